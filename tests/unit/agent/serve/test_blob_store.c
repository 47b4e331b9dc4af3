/* tests/unit/agent/serve/test_blob_store.c */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include "agent/serve/blob_store.h"
#include "common/base/buf.h"
#include "common/base/digest.h"
#include "proto/blob.pb-c.h"
#include "tests/support/test.h"

enum { MAX_BYTES = 1000, BLOB_BYTES = 400 };

static uv_loop_t loop;
static struct sl_blob_store *store;
static char workdir[] = "/tmp/sl-blobs-XXXXXX";
static uint8_t bytes[4][BLOB_BYTES];
static char names[4][SL_SHA256_HEX_SIZE];

/* The message that was told last. */
static struct {
    int count;
    uint64_t offset;
    bool complete, damaged;
    char refusal[200];
} told;

static void on_state(void *user, const Sme2lab__Proto__BlobState *state)
{
    (void)user;
    told.count++;
    told.offset = state->offset;
    told.complete = state->complete;
    told.damaged = state->damaged;
    snprintf(told.refusal, sizeof(told.refusal), "%s", state->refusal);
}

static void open_store(void)
{
    assert_int_equal(sl_blob_store_new(&loop, workdir, MAX_BYTES, on_state, NULL, &store), 0);
}

static void on_closed(void *user)
{
    (void)user;
}

static int set_up(void **state)
{
    char blobs[64];
    (void)state;
    strcpy(workdir, "/tmp/sl-blobs-XXXXXX");
    assert_non_null(mkdtemp(workdir));
    snprintf(blobs, sizeof(blobs), "%s/blobs", workdir);
    assert_int_equal(mkdir(blobs, 0700), 0);
    assert_int_equal(uv_loop_init(&loop), 0);
    for (int i = 0; i < 4; i++) {
        memset(bytes[i], i + 1, BLOB_BYTES);
        sl_sha256_hex(bytes[i], BLOB_BYTES, names[i]);
    }
    open_store();
    return 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    sl_blob_store_close(store, on_closed, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", workdir);
    return system(command);
}

static bool exists(const char *name, const char *ending)
{
    char path[200];
    snprintf(path, sizeof(path), "%s/blobs/%s%s", workdir, name, ending);
    return access(path, F_OK) == 0;
}

static void offer(const char *name, uint64_t size)
{
    Sme2lab__Proto__BlobOffer message = SME2LAB__PROTO__BLOB_OFFER__INIT;
    message.sha256 = (char *)(uintptr_t)name;
    message.size = size;
    sl_blob_store_offer(store, &message);
}

static void send_chunk(const char *name, uint64_t offset, const uint8_t *data, size_t len)
{
    Sme2lab__Proto__BlobChunk message = SME2LAB__PROTO__BLOB_CHUNK__INIT;
    message.sha256 = (char *)(uintptr_t)name;
    message.offset = offset;
    message.bytes = (ProtobufCBinaryData){len, (uint8_t *)(uintptr_t)data};
    sl_blob_store_take(store, &message);
}

/* All of blob `i`, checked. */
static void put(int i)
{
    offer(names[i], BLOB_BYTES);
    send_chunk(names[i], 0, bytes[i], BLOB_BYTES);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(told.complete);
    struct timespec apart = {0, 20000000}; /* times of files tell which is older */
    nanosleep(&apart, NULL);
}

TEST_WITH(a_blob_in_pieces_lies_there_once_it_is_whole, set_up, tear_down)
{
    offer(names[0], BLOB_BYTES);
    assert_int_equal(told.offset, 0);
    send_chunk(names[0], 0, bytes[0], 100);
    assert_int_equal(told.offset, 100);
    assert_false(exists(names[0], ""));
    send_chunk(names[0], 100, bytes[0] + 100, 300);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(told.complete);
    assert_true(exists(names[0], "") && !exists(names[0], ".part"));
    offer(names[0], BLOB_BYTES); /* again: nothing is sent */
    assert_true(told.complete);
}

TEST_WITH(a_later_agent_goes_on_from_what_is_there, set_up, tear_down)
{
    offer(names[0], BLOB_BYTES);
    send_chunk(names[0], 0, bytes[0], 150);
    sl_blob_store_close(store, on_closed, NULL);
    open_store();
    offer(names[0], BLOB_BYTES);
    assert_int_equal(told.offset, 150);
    send_chunk(names[0], 150, bytes[0] + 150, 250);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(told.complete);
}

TEST_WITH(wrong_bytes_are_thrown_away_and_said, set_up, tear_down)
{
    offer(names[0], BLOB_BYTES);
    send_chunk(names[0], 0, bytes[1], BLOB_BYTES);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(told.damaged && !told.complete);
    assert_false(exists(names[0], "") || exists(names[0], ".part"));
    put(0);
}

TEST_WITH(a_gap_or_too_much_ends_the_blob, set_up, tear_down)
{
    offer(names[0], BLOB_BYTES);
    send_chunk(names[0], 1, bytes[0], 10);
    assert_non_null(strstr(told.refusal, "does not follow"));
    int count = told.count;
    send_chunk(names[0], 0, bytes[0], 10); /* of an offer that is over */
    assert_int_equal(told.count, count);
    offer(names[0], 100);
    send_chunk(names[0], 0, bytes[0], 101);
    assert_non_null(strstr(told.refusal, "does not follow"));
}

TEST_WITH(names_that_are_no_digest_are_refused, set_up, tear_down)
{
    static const char *const wrong[] = {"", "../../../etc/passwd", "ab", NULL};
    char upper[SL_SHA256_HEX_SIZE];
    memset(upper, 'A', 64);
    upper[64] = '\0';
    for (size_t i = 0; wrong[i]; i++) {
        told.refusal[0] = '\0';
        offer(wrong[i], 10);
        assert_true(told.refusal[0] != '\0');
    }
    told.refusal[0] = '\0';
    offer(upper, 10);
    assert_true(told.refusal[0] != '\0');
}

TEST_WITH(the_least_recently_used_gives_way_but_none_of_this_job, set_up, tear_down)
{
    put(0);
    put(1);
    sl_blob_store_release(store);
    offer(names[0], BLOB_BYTES); /* used again: 1 is the older one now */
    assert_true(told.complete);
    put(2);
    assert_true(exists(names[0], "") && !exists(names[1], "") && exists(names[2], ""));
    offer(names[3], BLOB_BYTES); /* 0 and 2 are of this job */
    assert_non_null(strstr(told.refusal, "does not fit"));
    sl_blob_store_release(store);
    put(3);
    offer(names[0], MAX_BYTES + 1);
    assert_non_null(strstr(told.refusal, "does not fit"));
}

TEST_WITH(an_offer_while_another_is_checked_is_answered_after_it, set_up, tear_down)
{
    offer(names[0], BLOB_BYTES);
    send_chunk(names[0], 0, bytes[0], BLOB_BYTES); /* a thread has it now */
    int count = told.count;
    sl_blob_store_stop(store);
    offer(names[1], BLOB_BYTES);
    assert_int_equal(told.count, count);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(told.count, count + 1);
    assert_false(told.complete);
    assert_int_equal(told.offset, 0);
    assert_true(exists(names[0], ""));
}
