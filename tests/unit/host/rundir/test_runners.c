/* tests/unit/host/rundir/test_runners.c: a run that failed; others are the integration tests'. */
#include "host/rundir/runners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/report/categories_file.h"
#include "host/report/kernel_log.h"
#include "host/spec/device_kind.h"
#include "host/spec/plan.h"
#include "tests/support/test.h"
#include "tests/support/vector_etdump.h"

#define MODEL "{\"model\":\"m.pte\",\"experiments\":["
#define EXPERIMENT(name) "{\"name\":\"" name "\",\"runner_path\":\"r\",\"runs\":1}"
#define DONE(arm, order) "{\"arm\":" arm ",\"order\":" order ",\"executions\":1,\"etdump\":true}"
static const char one[] = MODEL EXPERIMENT("a") "]}";
static const char two[] = MODEL EXPERIMENT("a") "," EXPERIMENT("b") "]}";

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    char path[96];
    snprintf(folder, sizeof(folder), "/tmp/sl-runners-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/files", folder);
    return mkdir(path, 0700);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

static void write_etdump(const char *name, size_t size)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(sl_buf_write_file(path, vector_etdump, size), 0);
}

static void read_import(struct sl_buf *out)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/import.json", folder);
    assert_int_equal(sl_buf_read_file(path, 1 << 20, out), 0);
}

static bool says(const struct sl_buf *import, const char *words)
{
    return strstr((const char *)import->data, words) != NULL;
}

static int finish_plan(const char *configuration, bool whole, struct sl_run_record *said)
{
    struct sl_diag diag = {.what = ""};
    char model[96];
    snprintf(model, sizeof(model), "%s/model", folder);
    write_file("model", "none");
    struct sl_categories categories;
    assert_int_equal(sl_categories_load(NULL, &categories, &diag), 0);
    struct sl_plan *plan = sl_calloc(1, sizeof(*plan));
    assert_non_null(plan);
    assert_int_equal(
        sl_plan_parse((struct sl_bytes){(const uint8_t *)configuration, strlen(configuration)},
                      "/c.json", plan, &diag),
        0);
    const struct sl_runners runners = {.plan = plan,
                                       .directory = folder,
                                       .model = model,
                                       .command = "test",
                                       .generated_at = "now",
                                       .device_kind = SL_DEVICE_LOCAL,
                                       .whole = whole,
                                       .threshold_percent = 5,
                                       .categories = &categories};
    int rc = sl_runners_finish(&runners, said, &diag);
    sl_categories_fini(&categories);
    sl_plan_fini(plan);
    sl_free(plan);
    return rc;
}

static int finish(struct sl_run_record *said)
{
    return finish_plan(one, true, said);
}

TEST_WITH(an_experiment_that_failed_is_there_with_its_last_lines, make_folder, remove_folder)
{
    struct sl_run_record said;
    struct sl_buf import;
    write_file("files/runners.json",
               "[{\"arm\":0,\"order\":0,\"executions\":3,\"exit_code\":7,\"signal\":0,"
               "\"stderr_bytes\":8}]");
    write_file("files/0-0.log", "one\ntwo\nprinted\n");
    assert_int_equal(finish(&said), 0);
    assert_int_equal(said.exit_code, 1);
    assert_string_equal(said.verdict, "");
    read_import(&import);
    assert_non_null(strstr((const char *)import.data, "the runner ended with exit code 7"));
    assert_non_null(strstr((const char *)import.data, "\"last_lines\":\"one\\u000atwo\""));
    assert_non_null(strstr((const char *)import.data, "\"runs\":[]"));
    sl_buf_fini(&import);
}

TEST_WITH(a_report_that_is_missing_or_wrong_makes_no_run, make_folder, remove_folder)
{
    struct sl_run_record said;
    assert_true(finish(&said) < 0);
    write_file("files/runners.json", "[{\"arm\":1}]");
    assert_int_equal(finish(&said), SL_E_FORMAT);
}

TEST_WITH(a_damaged_etdump_is_its_experiments_failure_only, make_folder, remove_folder)
{
    struct sl_run_record said;
    struct sl_buf import;
    write_file("files/runners.json", "[" DONE("0", "0") "," DONE("1", "1") "]");
    write_file("files/0-0.log", "printed\n");
    write_file("files/1-0.log", "printed\n");
    write_etdump("files/0-0.etdump", sizeof(vector_etdump) / 2);
    write_etdump("files/1-0.etdump", sizeof(vector_etdump));
    assert_int_equal(finish_plan(two, true, &said), 0);
    assert_int_equal(said.exit_code, 1);
    read_import(&import);
    assert_true(says(&import, "\"etdump\":\"b/m_b_t1.etdump\""));
    assert_true(
        says(&import, "\"process\":1,\"exit_code\":-1,\"why\":\"its ETDump cannot be used: "));
    assert_true(says(&import, "\"last_lines\":\"printed\""));
    assert_false(says(&import, "a/m_a_t1.etdump"));
    sl_buf_fini(&import);
}

TEST_WITH(a_log_with_too_many_kernels_is_its_experiments_failure_only, make_folder, remove_folder)
{
    struct sl_run_record said;
    struct sl_buf import, log;
    sl_buf_init(&log, 1 << 20);
    for (int i = 0; i <= SL_KERNEL_LOG_MAX; i++)
        assert_int_equal(sl_buf_printf(&log, "Using gemm microkernel 'k%d'\n", i), 0);
    write_file("files/runners.json", "[" DONE("0", "0") "," DONE("1", "1") "]");
    write_file("files/0-0.log", (const char *)log.data);
    write_file("files/1-0.log", "printed\n");
    write_etdump("files/0-0.etdump", sizeof(vector_etdump));
    write_etdump("files/1-0.etdump", sizeof(vector_etdump));
    assert_int_equal(finish_plan(two, true, &said), 0);
    assert_int_equal(said.exit_code, 1);
    read_import(&import);
    assert_true(says(&import, "\"etdump\":\"b/m_b_t1.etdump\""));
    assert_true(says(&import, "what it printed cannot be used: the log names more than"));
    assert_false(says(&import, "a/m_a_t1.etdump"));
    sl_buf_fini(&import);
    sl_buf_fini(&log);
}

TEST_WITH(an_etdump_that_did_not_come_is_its_experiments_failure, make_folder, remove_folder)
{
    struct sl_run_record said;
    struct sl_buf import;
    write_file("files/runners.json", "[" DONE("0", "0") "]");
    write_file("files/0-0.log", "printed\n");
    assert_int_equal(finish(&said), 0);
    assert_int_equal(said.exit_code, 1);
    read_import(&import);
    assert_true(says(&import, "its ETDump cannot be used: the file cannot be read"));
    sl_buf_fini(&import);
}

TEST_WITH(processes_that_are_missing_are_a_failure_of_a_whole_job, make_folder, remove_folder)
{
    struct sl_run_record said;
    struct sl_buf import;
    write_file("files/runners.json", "[" DONE("0", "0") "]");
    write_file("files/0-0.log", "printed\n");
    write_etdump("files/0-0.etdump", sizeof(vector_etdump));
    assert_int_equal(finish_plan(two, true, &said), 0);
    assert_int_equal(said.exit_code, 1);
    read_import(&import);
    assert_true(says(&import, "the agent tells of 0 of its 1 processes"));
    sl_buf_fini(&import);
    assert_int_equal(finish_plan(two, false, &said), 0); /* one that was cancelled */
    assert_int_equal(said.exit_code, 0);
    read_import(&import);
    assert_true(says(&import, "\"etdump\":\"a/m_a_t1.etdump\""));
    assert_true(says(&import, "\"failures\":[]"));
    sl_buf_fini(&import);
}
