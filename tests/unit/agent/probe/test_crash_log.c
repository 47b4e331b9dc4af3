/* tests/unit/agent/probe/test_crash_log.c: a script is the logcat. */
#include "agent/probe/crash_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/tree_remove.h"
#include "tests/support/unit.h"

static char root[64];

static int fresh_root(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/sl-crash-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    sl_tree_remove(root);
    return 0;
}

static void write_logcat(const char *script)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/system", root);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/system/bin", root);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/system/bin/logcat", root);
    assert_int_equal(sl_buf_write_file(path, script, strlen(script)), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static struct sl_buf read_log(void)
{
    struct sl_buf out;
    sl_buf_init(&out, SL_CRASH_LOG_BYTES);
    sl_crash_log_read(root, 123, 1700000000042, &out);
    return out;
}

TEST_WITH(the_lines_of_the_process_since_its_start_come_and_no_others, fresh_root, remove_root)
{
    (void)state;
    write_logcat("#!/bin/sh\necho \"$*\"\n");
    struct sl_buf said = read_log();
    assert_string_equal(said.data,
                        "--- logcat of this process ---\n-d -T 1700000000.042 --pid=123\n");
    sl_buf_fini(&said);
}

TEST_WITH(a_crash_is_quoted_where_it_is_of_this_process, fresh_root, remove_root)
{
    (void)state;
    write_logcat("#!/bin/sh\n[ \"$4\" = -b ] && echo \"pid: 123, tid: 9\" && echo \"$*\"\n");
    struct sl_buf said = read_log();
    assert_string_equal(said.data, "--- what Android noted of its crash ---\npid: 123, tid: 9\n"
                                   "-d -T 1700000000.042 -b crash DEBUG:* *:S\n");
    sl_buf_fini(&said);
    write_logcat("#!/bin/sh\n[ \"$4\" = -b ] && echo \"pid: 1234, tid: 9\"\n");
    said = read_log();
    assert_int_equal(said.size, 0);
    sl_buf_fini(&said);
}

TEST_WITH(of_all_crashes_only_the_last_of_this_process_is_quoted, fresh_root, remove_root)
{
    (void)state;
    write_logcat("#!/bin/sh\n[ \"$4\" = -b ] || exit\n"
                 "echo '*** *** old'; echo 'pid: 123, tid: 1'; echo old\n"
                 "echo '*** *** before'; echo 'pid: 77, tid: 77'; echo before\n"
                 "echo '*** *** ours'; echo 'pid: 123, tid: 9'; echo 'signal 11'\n"
                 "echo '*** *** after'; echo 'pid: 124, tid: 9'; echo 'Abort: pid: 123, no'\n"
                 "i=0; while [ $i -lt 4000 ]; do echo maps $i; i=$((i+1)); done\n");
    struct sl_buf said = read_log();
    assert_string_equal(said.data, "--- what Android noted of its crash ---\n*** *** ours\n"
                                   "pid: 123, tid: 9\nsignal 11\n");
    sl_buf_fini(&said);
    write_logcat("#!/bin/sh\n[ \"$4\" = -b ] || exit\necho '*** ***'; echo 'pid: 123, tid: 9'\n"
                 "i=0; while [ $i -lt 4000 ]; do echo maps $i; i=$((i+1)); done\n");
    said = read_log();
    assert_in_range(said.size, SL_CRASH_LOG_BYTES / 2 - 64, SL_CRASH_LOG_BYTES / 2);
    assert_non_null(strstr((char *)said.data, "pid: 123, tid: 9\n"));
    sl_buf_fini(&said);
}

TEST_WITH(a_flood_is_cut_to_its_end_and_silence_and_failure_are_nothing, fresh_root, remove_root)
{
    (void)state;
    write_logcat("#!/bin/sh\n[ \"$4\" = -b ] && exit\n"
                 "i=0; while [ $i -lt 4000 ]; do echo line $i; i=$((i+1)); done\n");
    struct sl_buf said = read_log();
    assert_in_range(said.size, SL_CRASH_LOG_BYTES / 2 - 64, SL_CRASH_LOG_BYTES / 2);
    assert_non_null(strstr((char *)said.data, "line 3999\n"));
    assert_null(strstr((char *)said.data, "line 5\n"));
    sl_buf_fini(&said);
    write_logcat("#!/bin/sh\necho no; exit 1\n");
    said = read_log();
    assert_int_equal(said.size, 0);
    write_logcat("#!/bin/sh\nsleep 30\n");
    sl_crash_log_read(root, 1, 0, &said); /* not for so long */
    assert_int_equal(said.size, 0);
    sl_crash_log_read("/nowhere", 1, 0, &said);
    assert_int_equal(said.size, 0);
}
