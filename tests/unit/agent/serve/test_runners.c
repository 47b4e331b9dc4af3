/* tests/unit/agent/serve/test_runners.c: the runners are shell scripts. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "agent/serve/runners.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/serve/command.h"
#include "common/base/buf.h"
#include "proto/job.pb-c.h"
#include "tests/support/test.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
/* Leaves an ETDump and an output as it is told to. */
#define RUNS                                                                                       \
    "for a in \"$@\"; do case $a in --etdump_path=*) echo d >${a#*=};; "                           \
    "--output_file=*) echo o >${a#*=}-0.bin;; --num_executions=*) echo $a;; esac; done; "          \
    "echo log >&2\n"

static char workdir[64], job_dir[96], out[128];

static int make_folders(void **state)
{
    (void)state;
    char path[160];
    snprintf(workdir, sizeof(workdir), "/tmp/sl-runners-XXXXXX");
    if (!mkdtemp(workdir))
        return -1;
    snprintf(job_dir, sizeof(job_dir), "%s/job", workdir);
    snprintf(out, sizeof(out), "%s/out", job_dir);
    snprintf(path, sizeof(path), "%s/runners", job_dir);
    return mkdir(job_dir, 0700) || mkdir(out, 0700) || mkdir(path, 0700) || chdir(out);
}

static int remove_folders(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof(command), "rm -rf %s", workdir);
    return chdir("/") || system(command);
}

static void script(unsigned place, const char *text)
{
    char path[192], whole[1024];
    snprintf(path, sizeof(path), "%s/runners/%u", job_dir, place);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/runners/%u/bin", job_dir, place);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/runners/%u/bin/runner", job_dir, place);
    int len = snprintf(whole, sizeof(whole), "#!/bin/sh\n%s", text);
    assert_int_equal(sl_buf_write_file(path, whole, (size_t)len), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static Sme2lab__Proto__Arm arm_of(unsigned place, unsigned runs, unsigned processes)
{
    Sme2lab__Proto__Arm arm = SME2LAB__PROTO__ARM__INIT;
    arm.place = place;
    arm.program = (char *)(uintptr_t)"runner";
    arm.runner = arm.model = (char *)(uintptr_t)A64;
    arm.threads = 1;
    arm.warmup = 1;
    arm.runs = runs;
    arm.processes = processes;
    return arm;
}

/* Packs the request and runs it; the report is the caller's to end. */
static int run(Sme2lab__Proto__Arm **arms, size_t count, uint32_t timeout_ms, struct sl_buf *report)
{
    char path[160];
    uint8_t packed[4096];
    char parent[32], *argv[] = {(char *)(uintptr_t)"runners", workdir, job_dir, parent,
                                (char *)(uintptr_t)"1000000", NULL};
    snprintf(parent, sizeof(parent), "%ld", (long)getppid());
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    job.arms = arms;
    job.n_arms = count;
    job.seed = 1; /* the first round goes backwards */
    job.process_timeout_ms = timeout_ms;
    size_t size = sme2lab__proto__job__get_packed_size(&job);
    assert_true(size <= sizeof(packed));
    sme2lab__proto__job__pack(&job, packed);
    snprintf(path, sizeof(path), "%s/request", job_dir);
    assert_int_equal(sl_buf_write_file(path, packed, size), 0);
    int code = sl_runners_main(5, argv);
    if (code == 0)
        assert_int_equal(sl_buf_read_file("runners.json", 1 << 20, report), 0);
    return code;
}

static bool says(const struct sl_buf *report, const char *words)
{
    return strstr((const char *)report->data, words) != NULL;
}

TEST_WITH(arms_take_turns_forth_and_back, make_folders, remove_folders)
{
    Sme2lab__Proto__Arm a = arm_of(0, 3, 2), b = arm_of(1, 3, 2), *arms[] = {&a, &b};
    struct sl_buf report, log;
    script(0, RUNS);
    script(1, RUNS);
    assert_int_equal(run(arms, 2, 0, &report), 0);
    assert_true(says(&report, "\"arm\":1,\"order\":0,\"executions\":3"));
    assert_true(says(&report, "\"arm\":0,\"order\":1,\"executions\":3"));
    assert_true(says(&report, "\"arm\":0,\"order\":2,\"executions\":2"));
    assert_true(says(&report, "\"arm\":1,\"order\":3,\"executions\":2"));
    assert_int_equal(access("0-1.etdump", F_OK), 0);
    assert_int_equal(access("1-0.bin", F_OK), 0);
    assert_int_equal(sl_buf_read_file("0-0.log", 1000, &log), 0);
    assert_string_equal((const char *)log.data, "log\n--num_executions=3\n");
    sl_buf_fini(&log);
    sl_buf_fini(&report);
}

TEST_WITH(an_arm_that_failed_runs_no_more, make_folders, remove_folders)
{
    Sme2lab__Proto__Arm a = arm_of(0, 4, 2), b = arm_of(1, 4, 2), c = arm_of(2, 4, 2);
    Sme2lab__Proto__Arm *arms[] = {&a, &b, &c};
    struct sl_buf report;
    script(0, "kill -SEGV $$");
    script(1, "exit 0");
    script(2, RUNS);
    assert_int_equal(run(arms, 3, 0, &report), 0);
    assert_true(
        says(&report, "\"arm\":0,\"order\":2,\"executions\":3,\"exit_code\":0,\"signal\":11"));
    assert_true(says(&report, "\"arm\":1,\"order\":1,\"executions\":3,\"exit_code\":0,\"signal\":0,"
                              "\"timed_out\":false,\"etdump\":false"));
    assert_true(says(&report, "\"arm\":2,\"order\":3"));
    assert_false(says(&report, "\"order\":4"));
    sl_buf_fini(&report);
}

TEST_WITH(a_runner_that_knows_no_outputs_is_not_asked_again, make_folders, remove_folders)
{
    Sme2lab__Proto__Arm a = arm_of(0, 2, 2), *arms[] = {&a};
    struct sl_buf report;
    script(0,
           "case \"$*\" in *--output_file*) echo \"unknown command line flag 'output_file'\" >&2; "
           "exit 1;; esac\n" RUNS);
    assert_int_equal(run(arms, 1, 0, &report), 0);
    assert_true(says(&report, "\"order\":1"));
    assert_true(says(&report, "\"outputs\":false"));
    assert_false(says(&report, "\"etdump\":false"));
    sl_buf_fini(&report);
}

TEST_WITH(a_runner_that_hangs_or_is_no_program_is_told, make_folders, remove_folders)
{
    Sme2lab__Proto__Arm a = arm_of(0, 1, 1), b = arm_of(1, 1, 1), *arms[] = {&a, &b};
    struct sl_buf report;
    script(0, "sleep 60");
    assert_int_equal(run(arms, 2, 100, &report), 0);
    assert_true(says(&report, "\"timed_out\":true"));
    assert_true(says(&report, "\"problem\":\"The program could not be started"));
    sl_buf_fini(&report);
}

static char *text(const char *literal)
{
    return (char *)(uintptr_t)literal;
}

TEST_WITH(an_arm_has_its_libraries_and_variables_and_none_of_the_one_before_it, make_folders,
          remove_folders)
{
    char wanted[300];
    Sme2lab__Proto__Arm a = arm_of(0, 1, 1), b = arm_of(1, 1, 1), *arms[] = {&a, &b};
    char *names[] = {text("liba.so")}, *digests[] = {text(A64)};
    char *variables[] = {text("LD_LIBRARY_PATH=/vendor"), text("SL_TEST_SAID=a b")};
    struct sl_buf report, log;
    b.library_names = names; /* the first one to run */
    b.libraries = digests;
    b.n_libraries = b.n_library_names = 1;
    b.environment = variables;
    b.n_environment = 2;
    unsetenv("LD_LIBRARY_PATH");
    setenv("SL_TEST_SAID", "before", 1);
    script(0, "echo libraries=$LD_LIBRARY_PATH. said=$SL_TEST_SAID.\n" RUNS);
    script(1, "echo libraries=$LD_LIBRARY_PATH. said=$SL_TEST_SAID.\n" RUNS);
    assert_int_equal(run(arms, 2, 0, &report), 0);
    sl_buf_fini(&report);
    assert_int_equal(sl_buf_read_file("1-0.log", 1000, &log), 0);
    snprintf(wanted, sizeof(wanted), "libraries=%s/runners/1/bin:/vendor. said=a b.", job_dir);
    assert_true(says(&log, wanted));
    sl_buf_fini(&log);
    assert_int_equal(sl_buf_read_file("0-0.log", 1000, &log), 0);
    assert_true(says(&log, "libraries=. said=before."));
    sl_buf_fini(&log);
}

TEST_WITH(libraries_that_cannot_be_named_are_told, make_folders, remove_folders)
{
    char path[1100] = "LD_LIBRARY_PATH=/", *variables[] = {path};
    char *names[] = {text("liba.so")}, *digests[] = {text(A64)};
    Sme2lab__Proto__Arm a = arm_of(0, 1, 1), *arms[] = {&a};
    struct sl_buf report;
    memset(path + 17, 'a', sizeof(path) - 18);
    a.library_names = names;
    a.libraries = digests;
    a.n_libraries = a.n_library_names = 1;
    a.environment = variables;
    a.n_environment = 1;
    script(0, RUNS);
    assert_int_equal(run(arms, 1, 0, &report), 0);
    assert_true(says(&report, "\"problem\":\"The list of libraries' folders is longer"));
    sl_buf_fini(&report);
}

TEST_WITH(an_arm_past_its_limit_has_failed_and_the_others_go_on, make_folders, remove_folders)
{
    Sme2lab__Proto__Arm a = arm_of(0, 2, 2), b = arm_of(1, 2, 2), *arms[] = {&a, &b};
    struct sl_buf report;
    script(0, "head -c 2000000 /dev/zero >0-0.etdump");
    script(1, RUNS);
    assert_int_equal(run(arms, 2, 0, &report), 0);
    assert_true(says(&report, "more than the agent keeps of one"));
    assert_true(says(&report, "\"arm\":1,\"order\":2"));
    assert_int_not_equal(access("0-0.etdump", F_OK), 0);
    assert_int_equal(access("1-1.etdump", F_OK), 0);
    sl_buf_fini(&report);
}

TEST_WITH(an_etdump_is_a_file, make_folders, remove_folders)
{
    Sme2lab__Proto__Arm a = arm_of(0, 1, 1), *arms[] = {&a};
    struct sl_buf report;
    script(0, "echo d >elsewhere; ln -s elsewhere 0-0.etdump");
    assert_int_equal(run(arms, 1, 0, &report), 0);
    assert_true(says(&report, "\"etdump\":false"));
    sl_buf_fini(&report);
}

#if defined(__linux__)
TEST_WITH(a_runner_has_its_cpus_and_none_of_our_files, make_folders, remove_folders)
{
    cpu_set_t before, after;
    char cpu[16], wanted[32];
    int first = 0;
    Sme2lab__Proto__Arm a = arm_of(0, 1, 1), *arms[] = {&a};
    struct sl_buf report, log;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    while (!CPU_ISSET(first, &before))
        first++;
    snprintf(cpu, sizeof(cpu), "%d", first);
    snprintf(wanted, sizeof(wanted), "Cpus_allowed_list:\t%d\n", first);
    a.affinity = cpu;
    script(0, "grep Cpus_allowed_list /proc/$$/status\n"
              "test -e /proc/$$/fd/3 && echo ring\n" RUNS); /* no pipe, which would be its 3 */
    assert_int_equal(dup2(STDERR_FILENO, SL_COMMAND_RING_FD), SL_COMMAND_RING_FD);
    assert_int_equal(run(arms, 1, 0, &report), 0);
    sl_buf_fini(&report);
    assert_int_equal(sl_buf_read_file("0-0.log", 1000, &log), 0);
    assert_true(says(&log, wanted));
    assert_false(says(&log, "ring"));
    sl_buf_fini(&log);
    assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}
#endif

TEST_WITH(a_request_without_arms_is_none, make_folders, remove_folders)
{
    Sme2lab__Proto__Arm a = arm_of(0, 1, 0), *arms[] = {&a};
    assert_int_equal(run(arms, 0, 0, NULL), 2);
    assert_int_equal(run(arms, 1, 0, NULL), 2); /* in no process */
}

#if defined(__linux__)
TEST_WITH(nothing_runs_once_the_parent_has_gone, make_folders, remove_folders)
{
    char *argv[] = {(char *)(uintptr_t)"runners", workdir, job_dir, (char *)(uintptr_t)"0",
                    (char *)(uintptr_t)"1000000", NULL};
    assert_int_equal(sl_runners_main(5, argv), 2);
    assert_int_not_equal(access("runners.json", F_OK), 0);
}
#endif
