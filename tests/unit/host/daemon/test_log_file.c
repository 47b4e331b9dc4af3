/* tests/unit/host/daemon/test_log_file.c */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/daemon/log_file.h"
#include "tests/support/test.h"

static char folder[64], path[96], old_path[96];
static int true_stderr;

static size_t lines_of(const char *file)
{
    struct sl_buf text;
    size_t lines = 0;
    if (sl_buf_read_file(file, 1 << 20, &text) < 0)
        return 0;
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    sl_buf_fini(&text);
    return lines;
}

static int fresh_folder(void **state)
{
    (void)state;
    true_stderr = dup(STDERR_FILENO);
    snprintf(folder, sizeof(folder), "/tmp/sl-log-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/log", folder);
    snprintf(old_path, sizeof(old_path), "%s/log.1", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    close(true_stderr);
    unlink(path);
    unlink(old_path);
    return rmdir(folder);
}

TEST_WITH(a_full_file_is_rotated_and_no_line_is_lost, fresh_folder, remove_folder)
{
    struct sl_log_file *log = NULL;
    assert_int_equal(sl_log_file_open(path, 400, &log, NULL), 0);
    for (int i = 0; i < 30; i++) {
        fprintf(stderr, "level=info line=%04d\n", i);
        assert_int_equal(sl_log_file_rotate(log), 0);
    }
    sl_log_file_free(log);
    dup2(true_stderr, STDERR_FILENO);
    assert_true(lines_of(old_path) > 0);
    assert_int_equal(lines_of(path) + lines_of(old_path), 30);
}

TEST_WITH(a_file_that_was_moved_away_is_begun_anew, fresh_folder, remove_folder)
{
    struct sl_log_file *log = NULL;
    assert_int_equal(sl_log_file_open(path, 1 << 20, &log, NULL), 0);
    fprintf(stderr, "one\n");
    assert_int_equal(rename(path, old_path), 0);
    fprintf(stderr, "two\n"); /* still into the moved one */
    assert_int_equal(sl_log_file_reopen(log), 0);
    fprintf(stderr, "three\n");
    sl_log_file_free(log);
    dup2(true_stderr, STDERR_FILENO);
    assert_int_equal(lines_of(old_path), 2);
    assert_int_equal(lines_of(path), 1);
}

TEST_WITH(a_folder_that_is_not_there_is_refused_with_a_hint, fresh_folder, remove_folder)
{
    struct sl_log_file *log = NULL;
    struct sl_diag diag = {0};
    assert_int_equal(sl_log_file_open("/nowhere/at/all", 1, &log, &diag), -ENOENT);
    assert_true(diag.hint[0]);
}
