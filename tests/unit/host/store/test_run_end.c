/* tests/unit/host/store/test_run_end.c */
#include "host/store/run_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/path.h"
#include "host/store/database.h"
#include "host/store/schema.h"
#include "tests/support/store_place.h"
#include "tests/support/test.h"

enum { BEGAN_MS = 1000 };
#define WHOLE "runs/2026-11-23/000000.007-12"
#define OF_ANOTHER_TYPE                                                                            \
    "{\"schema\":\"sme2lab.end/1\",\"job\":12,\"attempt\":2,\"ended_ms\":1795392009999,"           \
    "\"cause\":0,\"detail\":\"\",\"run\":{\"device\":\"phone\",\"model\":7}}"
static const uint64_t day_ms = 1795392000007; /* of that directory */

static const struct sl_run_end ended = {
    .job = 12,
    .ended_ms = 1795392000007 + 2 * BEGAN_MS,
    .attempt = 2,
    .cause = SL_CAUSE_RESULT,
    .detail = "a \"wrong\" output",
    .run = {.model = "toy", .device = "phone", .verdict = "wrong", .ratio = 1.25, .exit_code = 1}};

static const struct sl_job_record taken = {
    .id = 12, .attempts = 2, .device = "phone", .started_ms = 1795392000007 + BEGAN_MS};

static struct sl_database *open_store(void)
{
    struct sl_diag diag = {0};
    struct sl_database *db = NULL;
    assert_int_equal(sl_schema_open(store_path, store_root, &db, &diag), 0);
    return db;
}

static void make_directory(const char *name, char out[SL_PATH_BYTES])
{
    char command[SL_PATH_BYTES + 32];
    assert_int_equal(sl_path_join(out, SL_PATH_BYTES, store_folder, "%s", name), 0);
    snprintf(command, sizeof(command), "mkdir -p %s/streams", out);
    assert_int_equal(system(command), 0);
}

STORE_ANY_TEST(a_whole_run_is_found_as_it_ended)
{
    struct sl_database *db = open_store();
    struct sl_run_end found;
    char directory[SL_PATH_BYTES];
    assert_int_equal(sl_run_end_find(db, &taken, &found), 0);
    make_directory("runs/2026-11-22/235959.000-12", directory); /* broke off */
    make_directory(WHOLE, directory);
    assert_int_equal(sl_run_end_find(db, &taken, &found), 0);
    assert_int_equal(sl_run_end_write(directory, &ended), 0);
    assert_int_equal(sl_run_end_find(db, &taken, &found), 1);
    assert_string_equal(found.run.directory, WHOLE);
    assert_string_equal(found.run.model, "toy");
    assert_string_equal(found.run.verdict, "wrong");
    assert_string_equal(found.detail, ended.detail);
    assert_true(found.run.ratio == 1.25 && found.run.job == 12 && found.ended_ms == ended.ended_ms);
    assert_int_equal(found.cause, SL_CAUSE_RESULT);
    sl_database_close(db);
}

STORE_ANY_TEST(the_end_of_another_start_or_device_or_time_is_not_its_own)
{
    struct sl_database *db = open_store();
    struct sl_run_end found;
    struct sl_job_record other = taken;
    char directory[SL_PATH_BYTES];
    make_directory(WHOLE, directory);
    assert_int_equal(sl_run_end_write(directory, &ended), 0);
    other.attempts = 1;
    assert_int_equal(sl_run_end_find(db, &other, &found), 0);
    other = taken;
    other.id = 13;
    assert_int_equal(sl_run_end_find(db, &other, &found), 0);
    other = taken;
    snprintf(other.device, sizeof(other.device), "board");
    assert_int_equal(sl_run_end_find(db, &other, &found), 0);
    other = taken;
    other.started_ms = ended.ended_ms + 1; /* a directory of an earlier store */
    assert_int_equal(sl_run_end_find(db, &other, &found), 0);
    sl_database_close(db);
}

STORE_ANY_TEST(a_damaged_end_is_none)
{
    static const char *const bad[] = {
        "", "{", "[]", "{}", "{\"schema\":\"sme2lab.end/1\"}", OF_ANOTHER_TYPE};
    struct sl_database *db = open_store();
    struct sl_run_end found;
    char directory[SL_PATH_BYTES], path[2 * SL_PATH_BYTES];
    make_directory(WHOLE, directory);
    sl_path_join(path, sizeof(path), directory, "%s", SL_RUN_END);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(sl_buf_write_file(path, bad[i], strlen(bad[i])), 0);
        assert_int_equal(sl_run_end_find(db, &taken, &found), 0);
    }
    assert_true(taken.started_ms == day_ms + BEGAN_MS);
    sl_database_close(db);
}
