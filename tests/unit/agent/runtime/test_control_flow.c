/* tests/unit/agent/runtime/test_control_flow.c: an exported program that chooses, maps and scans,
 * and keeps state: each input executed three times, the last against the real runtime's third. */

#include "tests/support/model_case.h"
#include "tests/support/test.h"

static const char *const model = "control_flow_portable";

/* A method of its own for each: state lives in it. */
static void run_three_times(const char *folder, uint32_t mask)
{
    struct sl_model_case c;
    sl_case_open(&c, model);
    struct sl_variant *variant = sl_case_compile(&c, mask, 0, NULL);
    for (int i = 0; i < 2; i++) {
        sl_case_set_files(&c, model, folder);
        assert_int_equal(sl_variant_execute(variant, false, NULL), 0);
    }
    sl_case_run_gated(&c, variant, mask, model, folder, SL_GATE_F32);
    sl_variant_free(variant);
    sl_case_close(&c);
}

static void run_on_each_mask(const char *folder)
{
    uint32_t masks[SL_CASE_MASKS];
    unsigned count = sl_case_masks(masks);
    for (unsigned i = 0; i < count; i++)
        run_three_times(folder, masks[i]);
}

TEST(the_branch_taken_follows_the_input)
{
    run_on_each_mask("");
    run_on_each_mask("case-large/");
    run_on_each_mask("case-negative/");
}

/* On one method, after inputs that take the other branches. */
TEST(branches_may_change_from_run_to_run)
{
    static const char *const folders[] = {"case-large/", "", "case-negative/", "case-large/", ""};
    struct sl_model_case c;
    struct sl_tensor_view view;
    sl_case_open(&c, model);
    struct sl_variant *variant = sl_case_compile(&c, 0, 0, NULL);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        struct sl_buf expected;
        sl_case_set_files(&c, model, folders[i]);
        assert_int_equal(sl_variant_execute(variant, false, NULL), 0);
        sl_case_read(model,
                     i == 1 || i == 4 ? "runtime-0.bin"
                     : i == 2         ? "case-negative/runtime-0.bin"
                                      : "case-large/runtime-0.bin",
                     &expected);
        sl_case_check_close(&c, &expected); /* the chosen branch knows no state */
        sl_buf_fini(&expected);
        assert_int_equal(sl_method_output(c.method, 4, &view), 0);
        assert_int_equal(*(const int64_t *)(const void *)view.data, 10 * (int64_t)(i + 1));
    }
    sl_variant_free(variant);
    sl_case_close(&c);
}

/* Values move while it runs first, so what ran before that is prepared again the next time. */
TEST(a_method_that_is_reset_begins_anew_and_settles)
{
    struct sl_model_case c;
    struct sl_tensor_view view;
    sl_case_open(&c, model);
    struct sl_variant *variant = sl_case_compile(&c, 0, 0, NULL);
    for (int i = 0; i < 3; i++) {
        sl_method_reset(c.method);
        sl_case_set_files(&c, model, "");
        assert_int_equal(sl_variant_execute(variant, false, NULL), 0);
        assert_int_equal(sl_variant_settled(variant), i > 0);
        assert_int_equal(sl_method_output(c.method, 4, &view), 0);
        assert_int_equal(*(const int64_t *)(const void *)view.data, 10);
    }
    sl_variant_free(variant);
    sl_case_close(&c);
}
