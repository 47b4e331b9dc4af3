/* tests/unit/agent/runtime/test_limits.c: what counts against --max-memory, and that nobody gets
 * more. */
#include "tests/support/unit.h"

#include "agent/runtime/method.h"
#include "agent/runtime/variant.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"
#include "tests/support/program_case.h"

/* Everything of a method with one variant, in bytes. */
struct used {
    uint64_t all, parts, planned, packed;
};

/* Loads under a limit and executes; 0, or what refused it. */
static int load(const struct sl_buf *program, uint64_t limit, struct used *out)
{
    const struct sl_runtime_limits limits = {limit, 100000};
    struct sl_model *model = NULL;
    struct sl_method *method = NULL;
    struct sl_variant *variant = NULL;
    *out = (struct used){.all = 0};
    assert_int_equal(sl_model_open_bytes(program->data, program->size, &limits, NULL, &model, NULL),
                     0);
    int rc = sl_method_new(model, NULL, &method, NULL);
    uint64_t before = rc == 0 ? method->budget.used : 0;
    if (rc == 0)
        rc = sl_variant_new(method, sl_isa_detect(), 0, NULL, &variant, NULL);
    if (rc == 0) {
        assert_int_equal(sl_method_fill_inputs(method, NULL), 0);
        assert_int_equal(sl_variant_execute(variant, SL_VARIANT_UNTRACED, NULL), 0);
        for (size_t b = 0; b < sl_method_planned_buffers(method); b++)
            out->planned += sl_method_planned_bytes(method, b);
        out->packed = sl_variant_packed_bytes(variant);
        out->parts = out->planned + out->packed + method->workspace.bytes + method->tables.bytes +
                     variant->pool.bytes;
        for (uint32_t i = 0; i < method->plan->delegate_count; i++)
            out->parts += variant->plans[i]->table_bytes;
        out->all = method->budget.used;
        assert_true(out->all <= limit);
    }
    sl_variant_free(variant);
    if (method) /* all was given back but what the method keeps */
        assert_int_equal(method->budget.used, before + method->workspace.bytes);
    sl_method_free(method);
    sl_model_free(model);
    return rc;
}

TEST(buffers_weights_workspace_and_tables_count)
{
    static const char *const models[] = {
        "toy_cnn_f32_xnnpack",    "toy_cnn_int8_xnnpack",    "toy_cnn_f32_portable",
        "toy_cnn_f16_portable",   "linear_qd8_qb4w_xnnpack", "dynamic_shape_f32_xnnpack",
        "quant_ops_int8_xnnpack", "kitchen_math_portable",   "llm_cache_portable",
    };
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        struct sl_buf program;
        struct used whole, less;
        sl_case_read(models[i], "model.pte", &program);
        assert_int_equal(load(&program, SL_RUNTIME_MAX_BYTES, &whole), 0);
        assert_true(whole.all >= whole.parts);
        for (int share = 1; share <= 4; share++) /* quarters of what it came to, less a byte */
            assert_int_equal(load(&program, whole.all * (uint64_t)share / 4 - 1, &less),
                             SL_ET_MEMORY_ALLOCATION_FAILED);
        assert_int_equal(load(&program, 2 * whole.all, &less), 0);
        assert_int_equal(less.all, whole.all);
        sl_buf_fini(&program);
    }
}

/* A file may name one instruction as often as it has room for four bytes. */
TEST(instructions_count_though_the_file_has_but_one)
{
    enum { COUNT = 100000 };
    sl_program_begin();
    uint32_t a = sl_program_add_tensor(SL_SIZES(4)), b = sl_program_add_tensor(SL_SIZES(4));
    sl_program_add_call("aten::relu.out", SL_ARGS(a, b));
    struct sl_pte_instruction *code = calloc(COUNT, sizeof(*code));
    assert_non_null(code);
    for (size_t i = 0; i < COUNT; i++)
        code[i] = sl_program.code[0];
    sl_program.model.limits.bytes = 16 << 20;
    assert_int_equal(sl_program_load_code(code, COUNT, SL_ISA_NONE),
                     SL_ET_MEMORY_ALLOCATION_FAILED);
    sl_program_end();
    assert_int_equal(sl_program_load_code(code, 100, SL_ISA_NONE), 0);
    sl_program_end();
    free(code);
}

TEST(values_count)
{
    sl_program_begin();
    uint32_t a = sl_program_add_tensor(SL_SIZES(4)), b = sl_program_add_tensor(SL_SIZES(4));
    sl_program_add_call("aten::relu.out", SL_ARGS(a, b));
    sl_program.model.limits.bytes = 2 * sizeof(struct sl_tensor);
    assert_int_equal(sl_program_load(SL_ISA_NONE), SL_ET_MEMORY_ALLOCATION_FAILED);
    sl_program_end();
}
