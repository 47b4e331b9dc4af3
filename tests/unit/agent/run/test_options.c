/* tests/unit/agent/run/test_options.c */
#include "agent/run/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernels/cpu/policy.h"

static struct sl_run_options options;

static int parse_two(char *first, char *second)
{
    char *argv[] = {"run", first, second, NULL};
    int code;
    return sl_run_options_parse(&options, second ? 3 : 2, argv, stderr, &code);
}

static void defaults_are_those_of_executor_runner(void **state)
{
    (void)state;
    assert_int_equal(parse_two("--json", NULL), SL_RUN_GO);
    assert_string_equal(options.model_path, "model.pte");
    assert_string_equal(options.etdump_path, "model.etdump");
    assert_string_equal(options.print_output, "summary");
    assert_int_equal(options.num_executions, 1);
    assert_int_equal(options.cpu_threads, -1);
    assert_int_equal(options.warmup, 0);
}

static void pairs_have_their_own_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse_two("--variants=off,on", NULL), SL_RUN_GO);
    assert_int_equal(options.num_executions, SL_RUN_DEFAULT_PAIRS);
    assert_int_equal(options.warmup, 1);
    assert_int_equal(parse_two("--variants=off,on", "--clock=marks"), SL_RUN_GO);
    assert_int_equal(options.num_executions, SL_RUN_COUNTED_PAIRS);
    assert_int_equal(parse_two("--variants=off,on", "--num_executions=1"), SL_RUN_GO);
    assert_int_equal(options.num_executions, 1);
}

static void off_lacks_sme_and_on_has_all(void **state)
{
    (void)state;
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2, all = SL_ISA_NEON | SL_ISA_FP16 | sme;
    assert_int_equal(parse_two("--variants=on,off", NULL), SL_RUN_GO);
    assert_int_equal(sl_run_options_variants(&options, all, NULL), 0);
    assert_int_equal(options.variant_count, 2);
    assert_string_equal(options.variant[0].name, "on");
    assert_int_equal(options.variant[0].isa, all);
    assert_int_equal(options.variant[1].isa, all & ~sme);
}

static void a_policy_is_of_the_variant_with_sme2_alone(void **state)
{
    (void)state;
    const uint32_t all = SL_ISA_NEON | SL_ISA_SME | SL_ISA_SME2;
    assert_int_equal(parse_two("--variants=off,on", "--policy=conv,gemv_int8"), SL_RUN_GO);
    assert_int_equal(sl_run_options_variants(&options, all, NULL), 0);
    assert_int_equal(options.variant[0].isa, SL_ISA_NEON);
    assert_int_equal(options.variant[1].isa,
                     all | SL_POLICY_BIT(SL_POLICY_CONV) | SL_POLICY_BIT(SL_POLICY_GEMV_INT8));
    assert_int_equal(parse_two("--isa=neon", "--policy=conv"), SL_RUN_GO);
    assert_int_equal(sl_run_options_variants(&options, all, NULL), 0);
    assert_int_equal(options.variant[0].isa, SL_ISA_NEON);
    assert_int_equal(parse_two("--policy=convolution", NULL), SL_RUN_GO);
    assert_int_equal(sl_run_options_variants(&options, all, NULL), SL_E_FORMAT);
}

static void variant_that_the_cpu_lacks_is_refused(void **state)
{
    (void)state;
    struct sl_diag diag = {0};
    assert_int_equal(parse_two("--variants=off,on", NULL), SL_RUN_GO);
    assert_int_equal(sl_run_options_variants(&options, SL_ISA_NEON, &diag), SL_E_UNSUPPORTED);
    assert_true(diag.what[0] && diag.hint[0]);
}

static void mask_limits_every_variant(void **state)
{
    (void)state;
    assert_int_equal(parse_two("--variants=off,portable", "--isa=neon"), SL_RUN_GO);
    assert_int_equal(sl_run_options_variants(&options, SL_ISA_NEON | SL_ISA_FP16, NULL), 0);
    assert_int_equal(options.variant[0].isa, SL_ISA_NEON);
    assert_int_equal(options.variant[1].isa, SL_ISA_NONE);
}

static void malformed_variants_are_refused(void **state)
{
    (void)state;
    char bad[][48] = {"--variants=off",  "--variants=off,on,on", "--variants=off,off",
                      "--variants=,off", "--variants=off,",      "--variants=off,sideways"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse_two(bad[i], NULL), SL_RUN_GO);
        assert_int_equal(sl_run_options_variants(&options, SL_ISA_NEON | SL_ISA_SME2, NULL),
                         SL_E_FORMAT);
    }
}

static void flags_that_contradict_are_refused(void **state)
{
    (void)state;
    assert_int_equal(parse_two("--server_mode", "--variants=off,on"), SL_RUN_STOP);
    assert_int_equal(parse_two("--server_mode", "--clock=marks"), SL_RUN_STOP);
    assert_int_equal(parse_two("--server_mode", "--trace_path=t"), SL_RUN_STOP);
    assert_int_equal(parse_two("--bundleio_rtol=-1", NULL), SL_RUN_STOP);
    assert_int_equal(parse_two("--bundleio_atol=nan", NULL), SL_RUN_STOP);
    assert_int_equal(parse_two("--bundleio_atol=1x", NULL), SL_RUN_STOP);
    assert_int_equal(parse_two("--ring=3", "--trace_path=t"), SL_RUN_STOP);
    assert_int_equal(parse_two("--clock=sun", NULL), SL_RUN_STOP);
    assert_int_equal(parse_two("--events=some", NULL), SL_RUN_STOP);
    assert_int_equal(parse_two("--events=runs", NULL), SL_RUN_GO);
    assert_true(options.clean);
    assert_int_equal(parse_two("--print_output=some", NULL), SL_RUN_STOP);
}

static void looks_and_budgets_are_for_timed_pairs(void **state)
{
    (void)state;
    char *argv[] = {"run", "--variants=off,on", "--first-look=20", "--ring=3", "--budget-ms=5"};
    int code;
    assert_int_equal(sl_run_options_parse(&options, 5, argv, stderr, &code), SL_RUN_GO);
    assert_int_equal(options.first_look, 20);
    assert_int_equal(options.budget_ms, 5);
    assert_int_equal(parse_two("--budget-ms=5", NULL), SL_RUN_STOP);                  /* no pairs */
    assert_int_equal(parse_two("--variants=off,on", "--first-look=20"), SL_RUN_STOP); /* no ring */
    argv[3] = "--clock=marks";
    assert_int_equal(sl_run_options_parse(&options, 5, argv, stderr, &code), SL_RUN_STOP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_executor_runner),
        cmocka_unit_test(pairs_have_their_own_defaults),
        cmocka_unit_test(off_lacks_sme_and_on_has_all),
        cmocka_unit_test(a_policy_is_of_the_variant_with_sme2_alone),
        cmocka_unit_test(variant_that_the_cpu_lacks_is_refused),
        cmocka_unit_test(mask_limits_every_variant),
        cmocka_unit_test(malformed_variants_are_refused),
        cmocka_unit_test(flags_that_contradict_are_refused),
        cmocka_unit_test(looks_and_budgets_are_for_timed_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
