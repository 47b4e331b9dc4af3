/* tests/unit/host/rundir/test_runners.c: a run that failed; others are the integration tests'. */
#include "host/rundir/runners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/device_kind.h"
#include "host/spec/plan.h"
#include "tests/support/test.h"

static const char configuration[] =
    "{\"model\":\"m.pte\",\"experiments\":[{\"name\":\"a\",\"runner_path\":\"r\",\"runs\":2}]}";

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

static int finish(struct sl_run_record *said)
{
    struct sl_diag diag = {.what = ""};
    struct sl_plan *plan = sl_calloc(1, sizeof(*plan));
    assert_non_null(plan);
    assert_int_equal(
        sl_plan_parse((struct sl_bytes){(const uint8_t *)configuration, sizeof(configuration) - 1},
                      "/c.json", plan, &diag),
        0);
    const struct sl_runners runners = {.plan = plan,
                                       .directory = folder,
                                       .model = "/nowhere",
                                       .command = "test",
                                       .generated_at = "now",
                                       .device_kind = SL_DEVICE_LOCAL};
    int rc = sl_runners_finish(&runners, said, &diag);
    sl_plan_fini(plan);
    sl_free(plan);
    return rc;
}

TEST_WITH(an_experiment_that_failed_is_there_with_its_last_lines, make_folder, remove_folder)
{
    struct sl_run_record said;
    struct sl_buf import;
    char path[128];
    write_file("files/runners.json",
               "[{\"arm\":0,\"order\":0,\"executions\":3,\"exit_code\":7,\"signal\":0,"
               "\"stderr_bytes\":8}]");
    write_file("files/0-0.log", "one\ntwo\nprinted\n");
    assert_int_equal(finish(&said), 0);
    assert_int_equal(said.exit_code, 1);
    assert_string_equal(said.verdict, "");
    snprintf(path, sizeof(path), "%s/import.json", folder);
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &import), 0);
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
