/* tests/fuzz/fuzz_blob_put.c: what a hostile device says while files are sent to it: Envelopes,
 * each behind a u16 length. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/base/buf.h"
#include "common/net/channel.h"
#include "common/net/handshake.h"
#include "common/net/message.h"
#include "host/device/blob_put.h"
#include "host/device/transport.h"
#include "host/spec/device_kind.h"
#include "proto/envelope.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two blobs; what they hold is nothing to this side. */
static const char *const names[] = {
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"};
static char store[] = "/tmp/sl-fuzz-put-XXXXXX";
static bool made;

static void end(void)
{
    char command[80];
    snprintf(command, sizeof(command), "rm -rf %s", store);
    if (system(command) != 0)
        fprintf(stderr, "%s stays\n", store);
}

static void make_store(void)
{
    char path[160];
    bool right = mkdtemp(store) && atexit(end) == 0;
    for (size_t i = 0; right && i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", store, names[i]);
        right = sl_buf_write_file(path, path, 100) == 0;
    }
    if (!right)
        abort();
    made = true;
}

static void on_done(void *user, int rc, const struct sl_diag *diag)
{
    struct sl_blob_put **put = user;
    (void)rc;
    (void)diag;
    *put = NULL;
}

static void on_closed(void *user, int code, const char *reason)
{
    (void)user;
    (void)code;
    (void)reason;
}

static void take(struct sl_blob_put *put, const uint8_t *payload, size_t len)
{
    Sme2lab__Proto__Envelope *envelope = NULL;
    if (sl_message_decode(payload, len, &envelope) < 0)
        return;
    if (envelope->body_case == SME2LAB__PROTO__ENVELOPE__BODY_BLOB_STATE) {
        const Sme2lab__Proto__BlobState *said = envelope->blob_state;
        const struct sl_blob_put_state state = {said->sha256, said->refusal, said->offset,
                                                said->complete, said->damaged};
        sl_blob_put_state(put, &state);
    }
    sl_message_free(envelope);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t secret[SL_SECRET_BYTES];
    static const struct sl_channel_events events = {.closed = on_closed};
    const struct sl_channel_options options = {SL_ROLE_HOST, secret, "fuzz", true};
    const struct sl_blob_put_list list = {store, names, 2};
    uv_loop_t loop;
    struct sl_channel *channel = NULL; /* never connected: what is sent goes nowhere */
    struct sl_blob_put *put = NULL;
    if (!made)
        make_store();
    if (uv_loop_init(&loop) < 0 || sl_channel_new(&loop, &options, &events, NULL, &channel) < 0 ||
        sl_blob_put_start(&loop, sl_transport_of(SL_DEVICE_TCP), store, &list, on_done, &put,
                          &put) < 0)
        abort();
    sl_blob_put_link(put, channel);
    for (size_t at = 0; put && at + 2 <= size;) {
        size_t len = (size_t)data[at] | (size_t)data[at + 1] << 8;
        at += 2;
        len = len < size - at ? len : size - at;
        if (len > 0)
            take(put, data + at, len);
        else
            sl_blob_put_link(put, channel);
        at += len;
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    sl_channel_close(channel);
    if (put)
        sl_blob_put_stop(put);
    uv_run(&loop, UV_RUN_DEFAULT);
    if (put || uv_loop_close(&loop) != 0)
        abort();
    return 0;
}
