/* host/cli/model_plan.c */
#include "host/cli/model_plan.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/launch.h"
#include "host/inspect/cost.h"
#include "host/inspect/inspect.h"
#include "host/inspect/plan.h"

enum { TIMEOUT_MS = 300000, ANY_SVL = 512 };
#define MAX_MODEL_BYTES (UINT64_C(4) << 30)

/* One run of the agent that must succeed. `out` is ended by the caller when 0 is returned. */
static int ask_agent(const struct sl_device *device, const char *const *args,
                     struct sl_child_result *out, struct sl_diag *diag)
{
    const struct sl_launch launch = {.args = args, .timeout_ms = TIMEOUT_MS};
    int rc = sl_device_launch(device, &launch, out, diag);
    if (rc < 0)
        return rc;
    if (out->exit_code == 0)
        return 0;
    const char *text = (const char *)out->err.data;
    sl_diag_hint(diag, "--no-agent reads the file alone");
    rc = sl_diag_set(diag, out->timed_out ? SL_E_TIMEOUT : SL_E_CRASHED, "sme2lab-agent",
                     "the model could not be compiled: %.150s",
                     out->err.size > 0 ? text + (out->err.size > 150 ? out->err.size - 150 : 0)
                                       : "it said nothing");
    sl_child_fini(out);
    return rc;
}

int sl_model_plan_ask(const char *path, const char *data, unsigned svl, struct sl_inspect *inspect,
                      struct sl_diag *diag)
{
    const char *const plan_args[] = {"plan", path, data, NULL};
    const char *const list_args[] = {"kernels", "--list", "--json", NULL};
    struct sl_child_result plan, list;
    struct sl_device device;
    int kind = sl_device_local_has_sme2() ? SL_DEVICE_LOCAL : SL_DEVICE_EMULATED;
    int rc = sl_device_open(kind, svl, NULL, &device, diag);
    if (rc < 0)
        return rc;
    rc = ask_agent(&device, plan_args, &plan, diag);
    if (rc < 0)
        return rc;
    rc = ask_agent(&device, list_args, &list, diag);
    if (rc == 0) {
        rc = sl_inspect_take_plan(inspect, (struct sl_bytes){plan.out.data, plan.out.size},
                                  (struct sl_bytes){list.out.data, list.out.size}, diag);
        sl_child_fini(&list);
    }
    sl_child_fini(&plan);
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

int sl_model_origins_read(const char *path, const char *data, struct sl_model_origins *out,
                          struct sl_diag *diag)
{
    int rc = sl_buf_read_file(path, MAX_MODEL_BYTES, &out->file);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the model cannot be read: %s", sl_strerror(rc));
    rc = sl_inspect_new((struct sl_bytes){out->file.data, out->file.size}, &out->inspect, diag);
    if (rc == 0 && out->inspect->method_count == 0)
        rc = sl_diag_set(diag, SL_E_FORMAT, path, "the program has no method");
    if (rc == 0)
        rc = sl_model_plan_ask(path, data, ANY_SVL, out->inspect, diag);
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
