/* tests/unit/agent/serve/test_job_dir.c */
#include "agent/serve/job_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/stream/spool.h"
#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "proto/job.pb-c.h"
#include "tests/support/test.h"

enum { BOUND = 1 << 16 };

static char workdir[64];

static int make_workdir(void **state)
{
    (void)state;
    snprintf(workdir, sizeof(workdir), "/tmp/sl-job-dir-XXXXXX");
    return mkdtemp(workdir) ? 0 : -1;
}

static int remove_workdir(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", workdir);
    return system(command);
}

#define HIGH (UINT64_C(1) << 63)
#define IN_A_WORKDIR(name) TEST_WITH(name, make_workdir, remove_workdir)

static struct sl_job_dir *create(uint64_t id, uint64_t max_bytes)
{
    struct sl_job_dir *dir = NULL;
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    job.id = id;
    job.id_high = HIGH;
    assert_int_equal(sl_job_dir_create(workdir, &job, max_bytes, &dir), 0);
    assert_non_null(dir);
    return dir;
}

static void put(const struct sl_job_dir *dir, const char *name, const char *text)
{
    char path[700];
    snprintf(path, sizeof(path), "%s/%s", dir->path, name);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

IN_A_WORKDIR(a_job_that_is_known_is_not_made_again)
{
    struct sl_job_dir *dir = create(7, BOUND), *second = NULL;
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    job.id = 7;
    job.id_high = HIGH;
    assert_int_equal(sl_job_dir_create(workdir, &job, BOUND, &second), -EEXIST);
    assert_null(second);
    assert_null(dir->result);
    sl_job_dir_free(dir);
}

IN_A_WORKDIR(a_result_outlives_the_agent_with_the_lengths_of_its_streams)
{
    struct sl_job_dir *dir = create(7, BOUND);
    Sme2lab__Proto__Result result = SME2LAB__PROTO__RESULT__INIT;
    result.outcome = SME2LAB__PROTO__OUTCOME__OUTCOME_DONE;
    assert_int_equal(sl_spool_append(dir->streams[SL_STREAM_LOG], "a line\n", 7), 0);
    assert_int_equal(sl_spool_append(dir->streams[SL_STREAM_OUTPUT], "abc", 3), 0);
    assert_int_equal(sl_job_dir_finish(dir, &result), 0);
    sl_job_dir_free(dir);
    assert_int_equal(sl_job_dir_open(workdir, (struct sl_run_id){HIGH, 7}, BOUND, &dir), 0);
    assert_int_equal(dir->result->outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_DONE);
    assert_int_equal(dir->result->job, 7);
    assert_int_equal(dir->result->job_high, HIGH);
    assert_int_equal(dir->result->log_bytes, 7);
    assert_int_equal(dir->result->output_bytes, 3);
    assert_int_equal(dir->result->trace_bytes, 0);
    assert_int_equal(dir->result->dropped_bytes, 0);
    sl_job_dir_free(dir);
}

IN_A_WORKDIR(a_job_without_a_result_is_lost_and_keeps_what_it_recorded)
{
    struct sl_job_dir *dir = create(8, BOUND);
    assert_int_equal(sl_spool_append(dir->streams[SL_STREAM_TRACE], "0123456789", 10), 0);
    sl_job_dir_free(dir);
    for (int again = 0; again < 2; again++) { /* what was decided once stays */
        assert_int_equal(sl_job_dir_open(workdir, (struct sl_run_id){HIGH, 8}, BOUND, &dir), 0);
        assert_int_equal(dir->result->outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_LOST);
        assert_int_equal(dir->result->trace_bytes, 10);
        assert_true(strlen(dir->result->detail) > 10);
        sl_job_dir_free(dir);
    }
}

IN_A_WORKDIR(a_damaged_result_counts_as_none)
{
    struct sl_job_dir *dir = create(9, BOUND);
    put(dir, "result", "\xff\xff\xff\xff no message");
    sl_job_dir_free(dir);
    assert_int_equal(sl_job_dir_open(workdir, (struct sl_run_id){HIGH, 9}, BOUND, &dir), 0);
    assert_int_equal(dir->result->outcome, SME2LAB__PROTO__OUTCOME__OUTCOME_LOST);
    sl_job_dir_free(dir);
}

IN_A_WORKDIR(regular_files_are_collected_in_the_order_of_their_names)
{
    uint8_t bytes[256];
    char path[700];
    struct sl_job_dir *dir = create(10, BOUND);
    put(dir, "out/b.bin", "second");
    put(dir, "out/a.bin", "first");
    snprintf(path, sizeof(path), "%s/out/c.bin", dir->path);
    assert_int_equal(symlink("/etc/passwd", path), 0); /* leads elsewhere */
    snprintf(path, sizeof(path), "%s/out/d.bin", dir->path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(sl_job_dir_collect(dir), 0);
    long total = sl_spool_read(dir->streams[SL_STREAM_FILES], 0, bytes, sizeof(bytes));
    static const char *const wanted[][2] = {{"a.bin", "first"}, {"b.bin", "second"}};
    size_t at = 0;
    for (size_t i = 0; i < 2; i++) {
        uint32_t len = sl_load_u32(bytes + at);
        Sme2lab__Proto__FileHeader *header =
            sme2lab__proto__file_header__unpack(NULL, len, bytes + at + 4);
        assert_non_null(header);
        assert_string_equal(header->name, wanted[i][0]);
        assert_int_equal(header->size, strlen(wanted[i][1]));
        at += 4 + len;
        assert_memory_equal(bytes + at, wanted[i][1], strlen(wanted[i][1]));
        at += strlen(wanted[i][1]);
        sme2lab__proto__file_header__free_unpacked(header, NULL);
    }
    assert_int_equal(at, total);
    sl_job_dir_free(dir);
}

IN_A_WORKDIR(files_past_the_bound_are_an_error)
{
    struct sl_job_dir *dir = create(11, 64);
    char text[201];
    memset(text, 'x', 200);
    text[200] = '\0';
    put(dir, "out/large.bin", text);
    assert_true(sl_job_dir_collect(dir) < 0);
    sl_job_dir_free(dir);
}

IN_A_WORKDIR(removing_a_job_leaves_nothing_of_it)
{
    struct sl_job_dir *dir = create(12, BOUND);
    char path[512];
    put(dir, "out/a.bin", "x");
    memcpy(path, dir->path, sizeof(path));
    sl_job_dir_remove(dir);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(errno, ENOENT);
}

IN_A_WORKDIR(a_path_that_is_too_long_is_refused)
{
    struct sl_job_dir *dir = NULL;
    Sme2lab__Proto__Job job = SME2LAB__PROTO__JOB__INIT;
    char folder[600];
    memset(folder, 'a', sizeof(folder));
    folder[0] = '/';
    folder[sizeof(folder) - 1] = '\0';
    assert_int_equal(sl_job_dir_create(folder, &job, BOUND, &dir), -ENAMETOOLONG);
    assert_null(dir);
}
