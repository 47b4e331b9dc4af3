/* tests/unit/host/cli/test_kernels_log.c: `kernels --log`: what a log of XNNPACK names, and how far
 * that proves SME2 for the operators of a real ETDump. */
#include "host/cli/kernels_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "host/cli/exit_code.h"
#include "tests/support/cli_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#define ETDUMP SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/aarch64-sme2.etdump"
#define USING(kind, name) "Note (XNNPACK): Using " kind " microkernel '" name "'. (init)\n"

static const char on_log[] = USING("gemm", "xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2")
    USING("igemm", "xnn_pf32_igemm_minmax_ukernel_32x32__neonsme2")
        USING("transposec", "xnn_x32_transposec_ukernel__4x4_neon");
static const char off_log[] = USING("gemm", "xnn_pf32_gemm_minmax_ukernel_32x32__neonsme");

static char on[96], off[96];

static int open_all(void **state)
{
    *state = NULL;
    make_scratch();
    snprintf(on, sizeof(on), "%s/on.log", scratch);
    snprintf(off, sizeof(off), "%s/off.log", scratch);
    assert_int_equal(sl_buf_write_file(on, on_log, strlen(on_log)), 0);
    assert_int_equal(sl_buf_write_file(off, off_log, strlen(off_log)), 0);
    sl_cli_case_begin(NULL);
    return 0;
}

static int close_all(void **state)
{
    *state = NULL;
    remove_scratch();
    return sl_cli_case_end();
}

TEST_GROUP(open_all, close_all);

TEST(a_log_is_told_from_a_list_by_its_option)
{
    char kernels[] = "kernels", log[] = "--log", other[] = "--logs", joined[] = "--log=x";
    assert_true(sl_kernels_log_asked(2, (char *[]){kernels, log}));
    assert_true(sl_kernels_log_asked(2, (char *[]){kernels, joined}));
    assert_false(sl_kernels_log_asked(2, (char *[]){kernels, other}));
    assert_false(sl_kernels_log_asked(1, (char *[]){log}));
}

TEST(the_kernels_of_a_log_are_listed_as_available)
{
    SAY("kernels", "--log", on);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("kernel (available, not proven to run)");
    sl_verb_case_printed("xnn_pf32_gemm_minmax_ukernel_32x32__neonsme2");
    sl_verb_case_printed("SME2");
    sl_verb_case_printed("xnn_x32_transposec_ukernel__4x4_neon");
    sl_verb_case_printed_not("warning");
}

TEST(sme1_in_the_off_arm_is_warned_of)
{
    SAY("kernels", "--log", on, "--off-log", off);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("warning: the off arm still has 1 kernels of SME1");
    SAY("kernels", "--log", on, "--off-log", off, "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.kernel_log/1\",\"kernels\":[{\"kernel\":\"xnn_");
    sl_verb_case_printed("\"off_sme1_kernels\":1");
}

TEST(operators_say_how_far_sme2_is_proven)
{
    SAY("kernels", "--log", on, "--etdump", ETDUMP);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("operator");
    sl_verb_case_printed("log-available");
    SAY("kernels", "--log", off, "--etdump", ETDUMP, "--json");
    sl_verb_case_printed("\"sme2_proof\":[{\"operator\":");
    sl_verb_case_printed("\"evidence\":\"not proven\"");
    sl_verb_case_printed_not("log-available");
}

TEST(the_kits_files_are_written_once)
{
    SAY("kernels", "--log", on, "--off-log", off, "--csv", below("k.csv"), "--view", below("v.md"));
    sl_verb_case_exited(SL_EXIT_DONE);
    assert_int_equal(access(below("v.md"), R_OK), 0);
    assert_int_equal(sl_buf_write_file(below("k.csv"), "other", 5), 0);
    SAY("kernels", "--log", on, "--csv", below("k.csv"));
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("k.csv");
    SAY("kernels", "--log", on, "--csv", below("k.csv"), "--force");
    sl_verb_case_exited(SL_EXIT_DONE);
}

TEST(what_is_no_log_is_refused_in_words)
{
    SAY("kernels", "--log", "/nowhere.log");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("/nowhere.log");
    SAY("kernels", "--log", on, "--view", below("w.md"));
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("The view needs --off-log as well");
    SAY("kernels", "--log", on, "--etdump", on);
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("kernels", "--log", on, "--help");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("usage: sme2lab kernels --log FILE");
}
