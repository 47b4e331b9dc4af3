/* agent/plan/plan.c */
#include "agent/plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/variant.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "kernels/cpu/isa.h"

enum { MAX_OUTPUT_BYTES = 8 << 20, MAX_PROBLEMS = 8, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The first errors that the runtime logs while a variant is compiled. */
struct problems {
    char lines[MAX_PROBLEMS][200];
    size_t count;
};

static void keep_problem(void *user, char level, const char *file, int line, const char *message)
{
    struct problems *problems = user;
    (void)file;
    (void)line;
    if (level == 'E' && problems->count < MAX_PROBLEMS)
        snprintf(problems->lines[problems->count++], sizeof(problems->lines[0]), "%s", message);
}

static void open_op(struct sl_json *json, const struct sl_instruction *instruction)
{
    sl_json_open_object(json, NULL);
    sl_json_u64(json, "chain", instruction->chain);
    sl_json_u64(json, "instruction", instruction->index);
}

/* Kernels of an operator's steps, the one that counts first. */
static void put_kernels(struct sl_json *json, const struct sl_step *steps, uint32_t count,
                        uint32_t main_step)
{
    sl_json_open_array(json, "kernels");
    if (main_step < count && steps[main_step].kernel)
        sl_json_text(json, NULL, steps[main_step].kernel);
    for (uint32_t i = 0; i < count; i++)
        if (i != main_step && steps[i].kernel)
            sl_json_text(json, NULL, steps[i].kernel);
    sl_json_close_array(json);
    sl_json_close_object(json);
}

static void put_instruction(struct sl_json *json, const struct sl_instruction *instruction)
{
    const struct sl_op_call *call = instruction->call;
    const struct sl_xnn_plan *plan = instruction->plan;
    if (call) {
        open_op(json, instruction);
        sl_json_text(json, "name", call->op->name);
        put_kernels(json, call->steps, call->step_count, call->main_step);
    }
    for (uint32_t i = 0; plan && i < plan->op_count; i++) {
        const struct sl_xnn_op *op = &plan->ops[i];
        open_op(json, instruction);
        sl_json_u64(json, "node", op->node->index);
        sl_json_text(json, "name", op->name);
        put_kernels(json, &plan->steps[op->step_first], op->step_count, 0);
    }
}

static void put_variant(struct sl_json *json, struct sl_method *method, const char *name,
                        uint32_t isa, struct problems *problems)
{
    char bits[128];
    struct sl_diag diag = {.what = ""};
    struct sl_variant *variant = NULL;
    problems->count = 0;
    sl_isa_format(isa, bits, sizeof(bits));
    int rc = sl_variant_new(method, isa, 0, NULL, &variant, &diag);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", name);
    sl_json_text(json, "isa", bits);
    sl_json_bool(json, "loads", rc == 0);
    sl_json_open_array(json, "problems");
    for (size_t i = 0; rc != 0 && i < problems->count; i++)
        sl_json_text(json, NULL, problems->lines[i]);
    if (rc != 0 && diag.what[0] != '\0')
        sl_json_text(json, NULL, diag.what);
    sl_json_close_array(json);
    if (rc == 0)
        sl_json_u64(json, "packed_bytes", sl_variant_packed_bytes(variant));
    sl_json_open_array(json, "ops");
    for (uint32_t i = 0; rc == 0 && i < variant->instruction_count; i++)
        put_instruction(json, &variant->instructions[i]);
    sl_json_close_array(json);
    sl_json_close_object(json);
    sl_variant_free(variant);
}

static void put_method(struct sl_json *json, struct sl_model *model, const char *name,
                       struct problems *problems)
{
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2;
    struct sl_diag diag = {.what = ""};
    struct sl_method *method = NULL;
    uint32_t isa = sl_isa_detect();
    int rc = sl_method_new(model, name, &method, &diag);
    sl_json_open_object(json, NULL);
    sl_json_text(json, "name", name);
    sl_json_text(json, "problem", rc == 0 ? NULL : diag.what);
    sl_json_open_array(json, "variants");
    if (rc == 0)
        put_variant(json, method, "off", isa & ~sme, problems);
    if (rc == 0 && (isa & sme) != 0)
        put_variant(json, method, "on", isa, problems);
    sl_json_close_array(json);
    sl_json_close_object(json);
    sl_method_free(method);
}

/* paths[1] is NULL where the program has its own weights. Says what fails. */
static int open_model(char *const paths[2], const struct sl_runtime_log *log,
                      struct sl_model **out_model, struct sl_data **out_data)
{
    struct sl_diag diag = {.what = ""};
    const char *at = paths[1];
    int rc = at ? sl_data_open(at, log, out_data, &diag) : 0;
    if (rc == 0)
        rc = sl_model_open(at = paths[0], NULL, log, out_model, &diag);
    if (rc == 0)
        sl_model_set_data(*out_model, *out_data);
    else
        sl_say(stderr, "sme2lab-agent: plan: %s: %s\n", at, diag.what);
    return rc;
}

int sl_plan_main(int argc, char **argv)
{
    struct problems problems = {.count = 0};
    const struct sl_runtime_log log = {.log = keep_problem, .user = &problems};
    struct sl_model *model = NULL;
    struct sl_data *data = NULL;
    struct sl_buf out;
    struct sl_json json;
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        sl_say(stderr, "usage: sme2lab-agent plan MODEL.pte [WEIGHTS.ptd]\n");
        return EXIT_USAGE;
    }
    if (open_model(argv + 1, &log, &model, &data) != 0) {
        sl_data_free(data);
        return EXIT_FAILED;
    }
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    sl_json_init(&json, &out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.plan/1");
    sl_json_u64(&json, "svl_bytes", sl_isa_svl_bytes());
    sl_json_open_array(&json, "methods");
    for (uint32_t i = 0; i < model->pte.plan_count; i++)
        put_method(&json, model, model->pte.plans[i].name, &problems);
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    int failed = json.error != 0 || sl_buf_print_line(&out) != 0;
    sl_buf_fini(&out);
    sl_model_free(model);
    sl_data_free(data);
    return failed ? EXIT_FAILED : 0;
}
