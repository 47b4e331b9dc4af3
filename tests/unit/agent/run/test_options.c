/* tests/unit/agent/run/test_options.c */
#include "agent/run/options.h"

#include <stdint.h>

#include "common/base/error.h"
#include "kernels/cpu/policy.h"
#include "tests/support/test.h"

static struct sl_agent_run_options options;

static int parse_two(char *first, char *second)
{
    char *argv[] = {"run", first, second, NULL};
    int code;
    return sl_agent_run_options_parse(&options, second ? 3 : 2, argv, stderr, &code);
}

TEST(defaults_are_those_of_executor_runner)
{
    assert_int_equal(parse_two("--json", NULL), SL_AGENT_RUN_GO);
    assert_string_equal(options.model_path, "model.pte");
    assert_string_equal(options.etdump_path, "model.etdump");
    assert_string_equal(options.print_output, "summary");
    assert_int_equal(options.num_executions, 1);
    assert_int_equal(options.cpu_threads, -1);
    assert_int_equal(options.warmup, 0);
}

TEST(pairs_have_their_own_defaults)
{
    assert_int_equal(parse_two("--variants=off,on", NULL), SL_AGENT_RUN_GO);
    assert_int_equal(options.num_executions, SL_AGENT_RUN_DEFAULT_PAIRS);
    assert_int_equal(options.warmup, 1);
    assert_int_equal(parse_two("--variants=off,on", "--clock=marks"), SL_AGENT_RUN_GO);
    assert_int_equal(options.num_executions, SL_AGENT_RUN_COUNTED_PAIRS);
    assert_int_equal(parse_two("--variants=off,on", "--num_executions=1"), SL_AGENT_RUN_GO);
    assert_int_equal(options.num_executions, 1);
}

TEST(off_lacks_sme_and_on_has_all_that_the_policy_lets_stream)
{
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2, all = SL_ISA_NEON | SL_ISA_FP16 | sme;
    assert_int_equal(parse_two("--variants=on,off", NULL), SL_AGENT_RUN_GO);
    assert_int_equal(sl_agent_run_options_variants(&options, all, NULL), 0);
    assert_int_equal(options.variant_count, 2);
    assert_string_equal(options.variant[0].name, "on");
    assert_int_equal(options.variant[0].isa, all | sl_policy_default());
    assert_int_equal(options.variant[1].isa, all & ~sme);
    assert_int_equal(parse_two("--variants=on,off", "--policy=none"), SL_AGENT_RUN_GO);
    assert_int_equal(sl_agent_run_options_variants(&options, all, NULL), 0);
    assert_int_equal(options.variant[0].isa, all);
}

TEST(a_policy_is_of_the_variant_with_sme2_alone)
{
    const uint32_t all = SL_ISA_NEON | SL_ISA_SME | SL_ISA_SME2;
    assert_int_equal(parse_two("--variants=off,on", "--policy=conv,gemv_int8"), SL_AGENT_RUN_GO);
    assert_int_equal(sl_agent_run_options_variants(&options, all, NULL), 0);
    assert_int_equal(options.variant[0].isa, SL_ISA_NEON);
    assert_int_equal(options.variant[1].isa,
                     all | SL_POLICY_BIT(SL_POLICY_CONV) | SL_POLICY_BIT(SL_POLICY_GEMV_INT8));
    assert_int_equal(parse_two("--isa=neon", "--policy=conv"), SL_AGENT_RUN_GO);
    assert_int_equal(sl_agent_run_options_variants(&options, all, NULL), 0);
    assert_int_equal(options.variant[0].isa, SL_ISA_NEON);
    assert_int_equal(parse_two("--policy=convolution", NULL), SL_AGENT_RUN_GO);
    assert_int_equal(sl_agent_run_options_variants(&options, all, NULL), SL_E_FORMAT);
}

TEST(variant_that_the_cpu_lacks_is_refused)
{
    struct sl_diag diag = {0};
    assert_int_equal(parse_two("--variants=off,on", NULL), SL_AGENT_RUN_GO);
    assert_int_equal(sl_agent_run_options_variants(&options, SL_ISA_NEON, &diag), SL_E_UNSUPPORTED);
    assert_true(diag.what[0] && diag.hint[0]);
}

TEST(mask_limits_every_variant)
{
    assert_int_equal(parse_two("--variants=off,portable", "--isa=neon"), SL_AGENT_RUN_GO);
    assert_int_equal(sl_agent_run_options_variants(&options, SL_ISA_NEON | SL_ISA_FP16, NULL), 0);
    assert_int_equal(options.variant[0].isa, SL_ISA_NEON);
    assert_int_equal(options.variant[1].isa, SL_ISA_NONE);
}

TEST(malformed_variants_are_refused)
{
    char bad[][48] = {"--variants=off",  "--variants=off,on,on", "--variants=off,off",
                      "--variants=,off", "--variants=off,",      "--variants=off,sideways"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse_two(bad[i], NULL), SL_AGENT_RUN_GO);
        assert_int_equal(sl_agent_run_options_variants(&options, SL_ISA_NEON | SL_ISA_SME2, NULL),
                         SL_E_FORMAT);
    }
}

TEST(flags_that_contradict_are_refused)
{
    assert_int_equal(parse_two("--server_mode", "--variants=off,on"), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--server_mode", "--clock=marks"), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--server_mode", "--trace_path=t"), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--bundleio_rtol=-1", NULL), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--bundleio_atol=nan", NULL), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--bundleio_atol=1x", NULL), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--ring=3", "--trace_path=t"), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--clock=sun", NULL), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--events=some", NULL), SL_AGENT_RUN_STOP);
    assert_int_equal(parse_two("--events=runs", NULL), SL_AGENT_RUN_GO);
    assert_true(options.clean);
    assert_int_equal(parse_two("--print_output=some", NULL), SL_AGENT_RUN_STOP);
}

TEST(looks_and_budgets_are_for_timed_pairs)
{
    char *argv[] = {"run", "--variants=off,on", "--first-look=20", "--ring=3", "--budget-ms=5"};
    int code;
    assert_int_equal(sl_agent_run_options_parse(&options, 5, argv, stderr, &code), SL_AGENT_RUN_GO);
    assert_int_equal(options.first_look, 20);
    assert_int_equal(options.budget_ms, 5);
    assert_int_equal(parse_two("--budget-ms=5", NULL), SL_AGENT_RUN_STOP); /* no pairs */
    assert_int_equal(parse_two("--variants=off,on", "--first-look=20"),
                     SL_AGENT_RUN_STOP); /* no ring */
    argv[3] = "--clock=marks";
    assert_int_equal(sl_agent_run_options_parse(&options, 5, argv, stderr, &code),
                     SL_AGENT_RUN_STOP);
}
