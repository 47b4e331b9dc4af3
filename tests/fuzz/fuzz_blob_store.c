/* tests/fuzz/fuzz_blob_store.c: frames of a proven host that sends files: offers and chunks in any
 * order. Each payload is a u16 length and an Envelope; length 0 ends a link. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <uv.h>

#include "agent/serve/blob_store.h"
#include "common/net/message.h"
#include "proto/envelope.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char workdir[] = "/tmp/sl-fuzz-blobs-XXXXXX", blobs[64];

static void end(void)
{
    char command[80];
    snprintf(command, sizeof(command), "rm -rf %s", workdir);
    if (system(command) != 0)
        fprintf(stderr, "%s stays\n", workdir);
}

static void on_state(void *user, const Sme2lab__Proto__BlobState *state)
{
    (void)user;
    if (!state->sha256 || !state->refusal)
        abort();
}

static void on_closed(void *user)
{
    *(bool *)user = true;
}

static void take(struct sl_blob_store *store, const uint8_t *payload, size_t len)
{
    Sme2lab__Proto__Envelope *envelope = NULL;
    if (sl_message_decode(payload, len, &envelope) < 0)
        return;
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_BLOB_OFFER)
        sl_blob_store_offer(store, envelope->blob_offer);
    else if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_BLOB_CHUNK)
        sl_blob_store_take(store, envelope->blob_chunk);
    sl_message_free(envelope);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uv_loop_t loop;
    struct sl_blob_store *store = NULL;
    bool closed = false;
    if (!blobs[0]) {
        if (!mkdtemp(workdir))
            abort();
        snprintf(blobs, sizeof(blobs), "%s/blobs", workdir);
        if (mkdir(blobs, 0700) != 0 || atexit(end) != 0)
            abort();
    }
    if (uv_loop_init(&loop) < 0 ||
        sl_blob_store_new(&loop, workdir, 300, on_state, NULL, &store) < 0)
        abort();
    for (size_t at = 0; at + 2 <= size;) {
        size_t len = (size_t)data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        len = len < size - at ? len : size - at;
        if (len > 0)
            take(store, data + at, len);
        else
            sl_blob_store_stop(store);
        if (len % 2 !=
            0) /* what is checked off the loop has ended then; else it goes on meanwhile */
            uv_run(&loop, UV_RUN_DEFAULT);
        at += len;
    }
    sl_blob_store_close(store, on_closed, &closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    if (!closed || uv_loop_close(&loop) != 0)
        abort();
    return 0;
}
