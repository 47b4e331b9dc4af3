/* tests/unit/host/daemon/test_policies.c: which table of what runs in streaming mode a run gets. */
#include "host/daemon/policies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#define TABLE(off)                                                                                 \
    "{\"schema\":\"sme2lab.policy/1\",\"fingerprint\":\"0123456789abcdef\",\"unit\":\"ns\","       \
    "\"streaming_off\":[\"" off "\"],\"families\":[]}"
#define SHA "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static cJSON *probe;
static char words[SL_POLICY_WORDS_BYTES];
static struct sl_diag diag;

static void write_file(const char *name, const char *text)
{
    char command[256];
    const char *path = below(name);
    snprintf(command, sizeof(command), "mkdir -p \"$(dirname %s)\"", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

static int open_case(void **state)
{
    *state = NULL;
    make_scratch();
    write_file("run/begun", "");
    setenv("SME2LAB_STATE", below("user"), 1);
    probe = cJSON_Parse("{\"fingerprint\":\"0123456789abcdef\"}");
    assert_non_null(probe);
    diag = (struct sl_diag){0};
    return 0;
}

static int close_case(void **state)
{
    *state = NULL;
    cJSON_Delete(probe);
    unsetenv("SME2LAB_STATE");
    remove_scratch();
    return 0;
}

static int take(const char *sent)
{
    return sl_policies_take(probe, false, below("state"), sent, below("run"), words, &diag);
}

/* The run's own copy keeps out this family. */
static void run_has(const char *family)
{
    cJSON *table = sl_policies_of_run(below("run"));
    assert_non_null(table);
    const cJSON *off = cJSON_GetObjectItem(table, "streaming_off");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(off, 0)), family);
    cJSON_Delete(table);
}

TEST_WITH(a_device_without_a_table_gets_the_default, open_case, close_case)
{
    assert_int_equal(take(NULL), 0);
    assert_string_equal(words, "");
    assert_null(sl_policies_of_run(below("run")));
    cJSON_Delete(probe);
    probe = cJSON_Parse("{\"fingerprint\":7}");
    assert_int_equal(take(NULL), 0);
    assert_string_equal(words, "");
}

TEST_WITH(the_devices_table_is_used_and_kept_with_the_run, open_case, close_case)
{
    write_file("user/devices/0123456789abcdef/policy.json", TABLE("unary"));
    assert_int_equal(take(NULL), 0);
    assert_string_equal(words, "unary");
    run_has("unary");
    write_file("state/devices/0123456789abcdef/policy.json", TABLE("conv"));
    assert_int_equal(take(NULL), 0);
    assert_string_equal(words, "unary"); /* a run goes on with what it began with */
}

TEST_WITH(the_daemons_own_table_comes_before_its_users, open_case, close_case)
{
    write_file("user/devices/0123456789abcdef/policy.json", TABLE("unary"));
    write_file("state/devices/0123456789abcdef/policy.json", TABLE("conv"));
    assert_int_equal(take(NULL), 0);
    assert_string_equal(words, "conv");
}

TEST_WITH(times_in_an_emulator_are_of_another_device, open_case, close_case)
{
    write_file("state/devices/0123456789abcdef/policy.json", TABLE("conv"));
    assert_int_equal(
        sl_policies_take(probe, true, below("state"), NULL, below("run"), words, &diag), 0);
    assert_string_equal(words, "");
}

TEST_WITH(a_table_that_came_with_the_job_replaces_the_devices, open_case, close_case)
{
    write_file("state/devices/0123456789abcdef/policy.json", TABLE("conv"));
    assert_int_equal(take(SHA), SL_E_NOT_FOUND);
    assert_non_null(strstr(diag.what, "not among the blobs"));
    write_file("state/blobs/" SHA, TABLE("pool"));
    assert_int_equal(take(SHA), 0);
    assert_string_equal(words, "pool");
    run_has("pool");
}

TEST_WITH(a_table_that_is_none_fails_the_run_and_says_how_to_make_one, open_case, close_case)
{
    write_file("state/devices/0123456789abcdef/policy.json", "{\"schema\":\"other/1\"}");
    assert_int_equal(take(NULL), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "is no table of what runs in streaming mode"));
    assert_non_null(strstr(diag.hint, "kernels bench --tune"));
    assert_null(sl_policies_of_run(below("run")));
}

TEST_WITH(a_table_that_cannot_be_read_or_kept_is_said, open_case, close_case)
{
    write_file("state/blobs/" SHA "/folder", "");
    assert_true(take(SHA) < 0);
    assert_non_null(strstr(diag.what, "cannot be read"));
    write_file("state/devices/0123456789abcdef/policy.json", TABLE("conv"));
    assert_int_equal(
        sl_policies_take(probe, false, below("state"), NULL, below("gone"), words, &diag), -ENOENT);
    assert_non_null(strstr(diag.what, "The run's copy"));
}
