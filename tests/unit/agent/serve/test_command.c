/* tests/unit/agent/serve/test_command.c */
#include "agent/serve/command.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/run/options.h"
#include "agent/serve/job_dir.h"
#include "proto/job.pb-c.h"
#include "tests/support/test.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static const struct sl_job_dir dir = {.path = "/w/jobs/1", .max_bytes = 1000};

static Sme2lab__Proto__Job whole_job(char **inputs)
{
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    job.model = (char *)(uintptr_t)A64;
    job.data = (char *)(uintptr_t)B64;
    job.inputs = inputs;
    job.n_inputs = 2;
    job.method = (char *)(uintptr_t)"encode";
    job.variants = (char *)(uintptr_t)"off,on";
    job.pairs = 7;
    job.warmup = 3;
    job.threads = 4;
    job.seed = UINT64_C(1) << 40;
    job.clock = (char *)(uintptr_t)"ns";
    job.input_shapes = (char *)(uintptr_t)"1x3";
    job.affinity = (char *)(uintptr_t)"big";
    job.sme_threads = 2;
    job.svl = 256;
    job.clean = true;
    job.first_look = 20;
    job.budget_ms = 1500;
    job.weight_cache = true;
    job.policy = (char *)(uintptr_t)"conv";
    job.max_memory = UINT64_C(3) << 30;
    return job;
}

/* Reads the command line as `run` does. */
static void parse(struct sl_command *command, struct sl_agent_run_options *out)
{
    int code;
    assert_string_equal(command->argv[0], "self");
    assert_string_equal(command->argv[1], "run");
    assert_int_equal(
        sl_agent_run_options_parse(out, (int)command->argc - 1, command->argv + 1, stderr, &code),
        SL_AGENT_RUN_GO);
}

TEST(run_reads_what_the_job_says)
{
    char *inputs[] = {(char *)(uintptr_t)A64, (char *)(uintptr_t)B64};
    Sme2lab__Proto__Job job = whole_job(inputs);
    struct sl_command command;
    struct sl_agent_run_options o;
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), 0);
    parse(&command, &o);
    assert_string_equal(o.model_path, "/w/blobs/" A64);
    assert_string_equal(o.data_path, "/w/blobs/" B64);
    assert_string_equal(o.inputs, "/w/blobs/" A64 ",/w/blobs/" B64);
    assert_string_equal(o.method_name, "encode");
    assert_string_equal(o.variants, "off,on");
    assert_string_equal(o.input_shapes, "1x3");
    assert_string_equal(o.affinity, "big");
    assert_string_equal(o.policy, "conv");
    assert_string_equal(o.weight_cache, "/w/weights");
    assert_string_equal(o.output_file, "output");
    assert_string_equal(o.print_output, "none");
    assert_int_equal(o.num_executions, 7);
    assert_int_equal(o.warmup, 3);
    assert_int_equal(o.cpu_threads, 4);
    assert_int_equal(o.sme_threads, 2);
    assert_int_equal(o.svl, 256);
    assert_int_equal(o.first_look, 20);
    assert_int_equal(o.budget_ms, 1500);
    assert_true(o.max_memory == UINT64_C(3) << 30);
    assert_true(o.seed == UINT64_C(1) << 40);
    assert_true(o.clean && o.paired && o.json && !o.counted);
    assert_int_equal(o.ring, SL_COMMAND_RING_FD);
    sl_command_fini(&command);
}

TEST(a_process_beside_runs_the_same_model_with_the_same_kernels_and_records_nothing)
{
    char *inputs[] = {(char *)(uintptr_t)A64, (char *)(uintptr_t)B64};
    Sme2lab__Proto__Job job = whole_job(inputs);
    struct sl_command command;
    struct sl_agent_run_options o;
    assert_int_equal(sl_command_init_load(&command, "self", "/w", &job, &dir, 2), 0);
    parse(&command, &o);
    assert_string_equal(o.model_path, "/w/blobs/" A64);
    assert_string_equal(o.policy, "conv");
    assert_string_equal(o.load, "load-2.json");
    assert_int_equal(o.place, 2);
    assert_int_equal(o.sme_threads, 2);
    assert_int_equal(o.ring, -1);
    assert_false(o.paired || o.clean || o.weight_cache[0]);
    sl_command_fini(&command);
}

TEST(a_single_word_is_a_set_of_instructions_not_a_pair)
{
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    struct sl_command command;
    struct sl_agent_run_options o;
    job.model = (char *)(uintptr_t)A64;
    job.variants = (char *)(uintptr_t)"portable";
    job.pairs = 1;
    job.process_timeout_ms = 70;
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), 0);
    assert_int_equal(command.time_limit_ms, 70);
    parse(&command, &o);
    assert_string_equal(o.isa, "portable");
    assert_false(o.paired);
    assert_string_equal(o.data_path, "");
    assert_string_equal(o.policy, "default");
    sl_command_fini(&command);
}

TEST(a_task_is_a_verb_that_answers_and_the_files_behind_it)
{
    char *words[] = {(char *)(uintptr_t)"plan"};
    char *prefix[] = {(char *)(uintptr_t)"emulator", (char *)(uintptr_t)"guest"};
    const char *const wanted[] = {"emulator", "guest", "plan", "/w/blobs/" A64, "/w/blobs/" B64};
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    struct sl_command command;
    job.task = words;
    job.n_task = 1;
    job.exec_prefix = prefix;
    job.n_exec_prefix = 2;
    job.model = (char *)(uintptr_t)A64;
    job.data = (char *)(uintptr_t)B64;
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), 0);
    assert_int_equal(command.argc, sizeof(wanted) / sizeof(wanted[0]));
    for (size_t i = 0; i < command.argc; i++)
        assert_string_equal(command.argv[i], wanted[i]);
    sl_command_fini(&command);
    job.data = (char *)(uintptr_t)"../../etc/passwd";
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), -EINVAL);
    job.data = (char *)(uintptr_t)"";
    words[0] = (char *)(uintptr_t)"serve";
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), -EINVAL);
}

static Sme2lab__Proto__Arm whole_arm(char **inputs)
{
    Sme2lab__Proto__Arm arm = SME2LAB__PROTO__ARM__INIT;
    arm.place = 3;
    arm.program = (char *)(uintptr_t)"executor_runner";
    arm.runner = arm.model = (char *)(uintptr_t)A64;
    arm.inputs = inputs;
    arm.n_inputs = 1;
    arm.threads = 2;
    return arm;
}

TEST(runners_are_left_to_a_process_of_the_agent_itself)
{
    char parent[32];
    const char *const wanted[] = {"self", "runners", "/w", "/w/jobs/1", parent, "1000"};
    char *inputs[] = {(char *)(uintptr_t)A64}, *prefix[] = {(char *)(uintptr_t)"qemu"};
    Sme2lab__Proto__Arm arm = whole_arm(inputs), *arms[] = {&arm};
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    struct sl_command command;
    job.arms = arms;
    job.n_arms = 1;
    job.exec_prefix = prefix;
    job.n_exec_prefix = 1;
    job.process_timeout_ms = 70;
    snprintf(parent, sizeof(parent), "%ld", (long)getpid());
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), 0);
    assert_int_equal(command.argc, 6);
    for (size_t i = 0; i < command.argc; i++)
        assert_string_equal(command.argv[i], wanted[i]);
    assert_null(command.environment[0]);
    assert_int_equal(command.time_limit_ms, 0); /* each of its processes has one */
    sl_command_fini(&command);
}

TEST(a_runner_in_the_emulator_gets_the_flags_that_it_needs_alone)
{
    static const char *const wanted[] = {"qemu",
                                         "/w/jobs/1/runners/3/bin/executor_runner",
                                         "--model_path=/w/blobs/" A64,
                                         "--inputs=/w/blobs/" A64,
                                         "--etdump_path=3-0.etdump",
                                         "--num_executions=7",
                                         "--output_file=3",
                                         "--cpu_threads=2",
                                         "--more"};
    char *inputs[] = {(char *)(uintptr_t)A64}, *args[] = {(char *)(uintptr_t)"--more"};
    char *prefix[] = {(char *)(uintptr_t)"qemu", (char *)(uintptr_t)"agent"};
    Sme2lab__Proto__Arm arm = whole_arm(inputs);
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    struct sl_command_process process = {"3-0", 7, true};
    struct sl_command command;
    arm.args = args;
    arm.n_args = 1;
    job.exec_prefix = prefix;
    job.n_exec_prefix = 2;
    job.process_timeout_ms = 70;
    assert_int_equal(sl_command_init_arm(&command, "/w", dir.path, &job, &arm, &process), 0);
    assert_int_equal(command.time_limit_ms, 70);
    assert_int_equal(command.argc, sizeof(wanted) / sizeof(wanted[0]));
    for (size_t i = 0; i < command.argc; i++)
        assert_string_equal(command.argv[i], wanted[i]);
    sl_command_fini(&command);
    process.outputs = false;
    assert_int_equal(sl_command_init_arm(&command, "/w", dir.path, &job, &arm, &process), 0);
    assert_string_equal(command.argv[6], "--cpu_threads=2");
    sl_command_fini(&command);
    inputs[0] = (char *)(uintptr_t)"../../etc/passwd";
    assert_int_equal(sl_command_init_arm(&command, "/w", dir.path, &job, &arm, &process), -EINVAL);
}

TEST(a_name_that_is_no_digest_leads_nowhere)
{
    char *inputs[] = {(char *)(uintptr_t)A64, (char *)(uintptr_t)"../../etc/passwd"};
    Sme2lab__Proto__Job job = whole_job(inputs);
    struct sl_command command;
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), -EINVAL);
    job.n_inputs = 1;
    job.data = (char *)(uintptr_t)"x";
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), -EINVAL);
    job.data = (char *)(uintptr_t)"";
    job.model = (char *)(uintptr_t)"";
    assert_int_equal(sl_command_init(&command, "self", "/w", &job, &dir), -EINVAL);
}
