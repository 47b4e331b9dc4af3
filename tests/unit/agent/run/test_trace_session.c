/* tests/unit/agent/run/test_trace_session.c */
#include "agent/run/trace_session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "tests/support/test.h"

static void record_blocks(struct sl_trace_session *session, uint32_t count)
{
    uint32_t name = sl_recorder_name(session->recorder, "Execute");
    for (uint32_t i = 0; i < count; i++)
        sl_recorder_block(session->recorder, name, 0, i, i, false);
}

static size_t count_blocks(const struct sl_trace *trace)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->record_count; i++)
        count += trace->records[i].kind == SL_TRACE_BLOCK;
    return count;
}

/* Records through a fresh session and reads the stream again. */
static void round_trip(const struct sl_trace_target *target, uint32_t blocks)
{
    struct sl_trace_session session;
    struct sl_buf stream;
    struct sl_trace trace;
    assert_int_equal(sl_trace_session_init(&session, target), 0);
    record_blocks(&session, blocks);
    sl_trace_session_between(&session);
    assert_int_equal(sl_trace_session_finish(&session), 0);
    assert_int_equal(sl_trace_session_finish(&session), 0);
    assert_int_equal(sl_trace_session_read(&session, &stream), 0);
    assert_int_equal(sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, NULL), 0);
    assert_true(trace.ended);
    assert_int_equal(trace.unit, target->unit);
    assert_int_equal(trace.stream, 99);
    assert_int_equal(count_blocks(&trace), blocks);
    sl_trace_fini(&trace);
    sl_buf_fini(&stream);
    sl_trace_session_fini(&session);
}

TEST(stream_in_memory_is_read_whole)
{
    const struct sl_trace_target ns = {
        .unit = SL_TRACE_NS, .ring_fd = -1, .path = "", .stream = 99};
    const struct sl_trace_target marks = {
        .unit = SL_TRACE_MARKS, .ring_fd = -1, .path = "", .stream = 99};
    round_trip(&ns, 5);
    round_trip(&ns, 20000); /* more than the ring holds: a thread drains */
    round_trip(&marks, 5);
    round_trip(&marks, 20000); /* here the recorder drains itself when full */
}

TEST(path_that_cannot_be_made_is_refused)
{
    struct sl_trace_session session;
    const struct sl_trace_target target = {
        .unit = SL_TRACE_NS, .ring_fd = -1, .path = "/nonexistent/t.sltrace"};
    assert_int_equal(sl_trace_session_init(&session, &target), -ENOENT);
}

TEST(ring_of_the_parent_gets_the_records)
{
    struct sl_trace_session session;
    struct sl_trace_record seen[16];
    struct sl_ring *ring = NULL;
    struct sl_buf stream;
    assert_int_equal(sl_ring_new(16, &ring), 0);
    const struct sl_trace_target target = {
        .unit = SL_TRACE_NS, .ring_fd = sl_ring_fd(ring), .path = "", .stream = 99};
    assert_int_equal(sl_trace_session_init(&session, &target), 0);
    record_blocks(&session, 3);
    assert_int_equal(sl_trace_session_finish(&session), 0);
    assert_int_equal(sl_trace_session_read(&session, &stream), SL_E_STATE);
    sl_trace_session_fini(&session);
    assert_int_equal(sl_ring_pop(ring, seen, 16), 6);
    assert_int_equal(seen[0].kind, SL_TRACE_HEADER);
    assert_int_equal(seen[5].kind, SL_TRACE_END);
    sl_ring_free(ring);
}

TEST(descriptor_that_is_no_ring_is_refused)
{
    struct sl_trace_session session;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const struct sl_trace_target target = {.unit = SL_TRACE_NS, .ring_fd = pipes[0], .path = ""};
    assert_int_equal(sl_trace_session_init(&session, &target), SL_E_FORMAT);
    close(pipes[0]);
    close(pipes[1]);
}

enum { DYING_BLOCKS = 7 };

static size_t blocks_in_file(const char *path)
{
    struct sl_buf stream;
    size_t count = 0;
    if (sl_buf_read_file(path, 1 << 20, &stream) < 0)
        return 0;
    for (size_t at = 0; at + SL_TRACE_RECORD_BYTES <= stream.size; at += SL_TRACE_RECORD_BYTES)
        count += stream.data[at] == SL_TRACE_BLOCK;
    sl_buf_fini(&stream);
    return count;
}

/* The child: records, waits until that is drained, and dies without a word. */
static void record_and_die(const char *path)
{
    const struct timespec a_while = {.tv_nsec = 5000000};
    const struct sl_trace_target target = {
        .unit = SL_TRACE_NS, .ring_fd = -1, .path = path, .stream = 99};
    struct sl_trace_session session;
    if (sl_trace_session_init(&session, &target) < 0)
        _exit(9);
    record_blocks(&session, DYING_BLOCKS);
    sl_trace_session_wake(&session);
    for (int i = 0; i < 4000 && blocks_in_file(path) < DYING_BLOCKS; i++)
        nanosleep(&a_while, NULL);
    kill(getpid(), SIGKILL);
}

TEST(killed_run_leaves_what_was_drained)
{
    char path[] = "/tmp/sme2lab-test-XXXXXX";
    struct sl_buf stream;
    struct sl_trace trace;
    int status, fd = mkstemp(path);
    assert_true(fd >= 0);
    pid_t child = fork();
    if (child == 0)
        record_and_die(path);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(sl_buf_read_file(path, 1 << 20, &stream), 0);
    assert_int_equal(sl_trace_parse((struct sl_bytes){stream.data, stream.size}, &trace, NULL), 0);
    assert_false(trace.ended);
    assert_int_equal(count_blocks(&trace), DYING_BLOCKS);
    sl_trace_fini(&trace);
    sl_buf_fini(&stream);
    close(fd);
    unlink(path);
}
