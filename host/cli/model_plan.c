/* host/cli/model_plan.c */
#include "host/cli/model_plan.h"

#include <errno.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/cli/task.h"
#include "host/device/launch.h"
#include "host/inspect/cost.h"
#include "host/inspect/inspect.h"
#include "host/inspect/plan.h"
#include "host/spec/spec.h"

enum { TIMEOUT_S = 300, ANY_SVL = 512 };
#define MAX_MODEL_BYTES (UINT64_C(4) << 30)

/* The answer of an agent that must have one, as text to end with cJSON_free(). */
static int ask_agent(struct sl_task_device *device, const struct sl_task *task, char **out,
                     struct sl_diag *diag)
{
    struct sl_task_answer answer;
    int rc = sl_task_ask(device, task, &answer, diag);
    if (rc < 0)
        return rc;
    if (answer.done) {
        *out = cJSON_PrintUnformatted(cJSON_GetArrayItem(answer.answers, 0));
        rc = *out ? 0 : sl_diag_set(diag, SL_E_FORMAT, "sme2lab-agent", "It answered nothing");
    } else {
        size_t len = strlen(answer.said);
        sl_diag_hint(diag, "--no-agent reads the file alone");
        rc = sl_diag_set(diag, answer.timed_out ? SL_E_TIMEOUT : SL_E_CRASHED, "sme2lab-agent",
                         "the model could not be compiled: %.150s",
                         len > 0 ? answer.said + (len > 150 ? len - 150 : 0) : "it said nothing");
    }
    cJSON_Delete(answer.document);
    return rc;
}

static struct sl_bytes text_of(const char *text)
{
    return (struct sl_bytes){(const uint8_t *)text, strlen(text)};
}

int sl_model_plan_ask(const struct sl_cli *cli, const char *path, const char *data, unsigned svl,
                      struct sl_inspect *inspect, struct sl_diag *diag)
{
    const struct sl_task plan_task = {
        .task = SL_TASK_PLAN, .model = path, .data = data, .timeout_seconds = TIMEOUT_S};
    const struct sl_task list_task = {.task = SL_TASK_KERNELS, .timeout_seconds = TIMEOUT_S};
    const struct sl_task_wish wish = {
        .kind = sl_device_local_has_sme2() ? SL_DEVICE_LOCAL : SL_DEVICE_EMULATED, .svl = svl};
    struct sl_task_device device;
    char *plan = NULL, *list = NULL;
    int rc = sl_task_open(cli, &wish, &device, diag);
    if (rc == 0)
        rc = ask_agent(&device, &plan_task, &plan, diag);
    if (rc == 0)
        rc = ask_agent(&device, &list_task, &list, diag);
    if (rc == 0)
        rc = sl_inspect_take_plan(inspect, text_of(plan), text_of(list), diag);
    cJSON_free(plan);
    cJSON_free(list);
    sl_task_close(&device);
    if (rc == 0)
        sl_cost_predict(inspect);
    return rc;
}

/* Equal kinds of node get one pointer. */
static const char *intern(const struct sl_origin_plan *plan, const char *kind)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->operators[i].origin, kind) == 0)
            return plan->operators[i].origin;
    }
    return kind;
}

static int list_origins(struct sl_model_origins *out, int level)
{
    const struct sl_inspect *inspect = out->inspect;
    const struct sl_inspect_method *method = &inspect->methods[0];
    struct sl_origin_plan *plan = &out->plans[level];
    out->operators[level] =
        sl_calloc(method->operator_count[level] + (size_t)1, sizeof(*out->operators[level]));
    if (!out->operators[level])
        return -ENOMEM;
    plan->operators = out->operators[level];
    for (uint32_t i = 0; i < method->operator_count[level]; i++) {
        const struct sl_inspect_operator *op = &method->operators[level][i];
        const struct sl_inspect_node *node = &inspect->nodes[op->node];
        const struct sl_choice *choice = level ? &node->on : &node->off;
        const struct sl_operands *operands = /* else of none of them */
            choice->operators == 1 && node->operands.out.rank > 0 ? &node->operands : NULL;
        const struct sl_origin_planned one = {.chain = node->chain,
                                              .instruction = node->instruction,
                                              .name = op->name,
                                              .origin = intern(plan, node->kind),
                                              .operands = operands,
                                              .kernel = op->kernel[0] ? op->kernel : NULL};
        out->operators[level][plan->count++] = one;
    }
    return 0;
}

int sl_model_origins_read(const struct sl_cli *cli, const char *path, const char *data,
                          struct sl_model_origins *out, struct sl_diag *diag)
{
    int rc = sl_buf_read_file(path, MAX_MODEL_BYTES, &out->file);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the model cannot be read: %s", sl_strerror(rc));
    rc = sl_inspect_new((struct sl_bytes){out->file.data, out->file.size}, &out->inspect, diag);
    if (rc == 0 && out->inspect->method_count == 0)
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "the program has no method");
    if (rc == 0)
        rc = sl_model_plan_ask(cli, path, data, ANY_SVL, out->inspect, diag);
    if (rc == 0 && !out->inspect->methods[0].loads)
        rc = sl_diag_set(diag, SL_E_UNSUPPORTED, path, "the agent cannot load the model: %.120s",
                         out->inspect->methods[0].problem);
    for (int level = 0; rc == 0 && level < 2; level++)
        rc = list_origins(out, level);
    return rc;
}

void sl_model_origins_fini(struct sl_model_origins *origins)
{
    for (int level = 0; level < 2; level++)
        sl_free(origins->operators[level]);
    sl_inspect_free(origins->inspect);
    sl_buf_fini(&origins->file);
    *origins = (struct sl_model_origins){.inspect = NULL};
}
