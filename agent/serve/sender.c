/* agent/serve/sender.c */
#include "agent/serve/sender.h"

#include "agent/stream/spool.h"
#include "common/base/error.h"
#include "common/net/channel.h"
#include "proto/envelope.pb-c.h"

_Static_assert(SME2LAB__PROTO__STREAM__STREAM_TRACE == SL_STREAM_TRACE + 1,
               "the wire counts from 1");
_Static_assert(SME2LAB__PROTO__STREAM__STREAM_FILES == SL_STREAM_FILES + 1,
               "the wire counts from 1");

void sl_sender_init(struct sl_sender *sender, struct sl_job_dir *dir)
{
    *sender = (struct sl_sender){.dir = dir};
}

uint64_t sl_sender_rewind(struct sl_sender *sender)
{
    uint64_t again = 0;
    for (int i = 0; i < SL_STREAM_COUNT; i++) {
        again += sender->sent[i] - sender->acked[i];
        sender->sent[i] = sender->acked[i];
    }
    sender->result_sent = sender->result_acked;
    return again;
}

void sl_sender_restart(struct sl_sender *sender)
{
    *sender = (struct sl_sender){.dir = sender->dir};
}

uint64_t sl_sender_acked_bytes(const struct sl_sender *sender)
{
    uint64_t acked = 0;
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        acked += sender->acked[i];
    return acked;
}

uint64_t sl_sender_bytes(const struct sl_sender *sender)
{
    uint64_t bytes = 0;
    for (int i = 0; i < SL_STREAM_COUNT; i++)
        bytes += sl_spool_bytes(sender->dir->streams[i]);
    return bytes;
}

int sl_sender_acked(struct sl_sender *sender, int stream, uint64_t offset)
{
    if (stream == SME2LAB__PROTO__STREAM__STREAM_UNSPECIFIED) {
        sender->result_acked = sender->result_sent || (sender->kept && sender->dir->result);
        return 0;
    }
    if (stream < 1 || stream > SL_STREAM_COUNT)
        return SL_E_UNSUPPORTED;
    int i = stream - 1;
    if (offset > sl_spool_bytes(sender->dir->streams[i]))
        return SL_E_MISMATCH;
    if (offset > sender->acked[i])
        sender->acked[i] = offset;
    if (sender->sent[i] < sender->acked[i])
        sender->sent[i] = sender->acked[i];
    return 0;
}

static int send_chunk(struct sl_sender *sender, int i, struct sl_channel *channel)
{
    static uint8_t bytes[SL_SENDER_CHUNK_BYTES]; /* one loop, one thread */
    Sme2lab__Proto__TraceChunk chunk = SME2LAB__PROTO__TRACE_CHUNK__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    long n = sl_spool_read(sender->dir->streams[i], sender->sent[i], bytes, sizeof(bytes));
    if (n <= 0)
        return n < 0 ? (int)n : SL_E_TRUNCATED; /* the file became shorter under us */
    chunk.job = sender->dir->id.low;
    chunk.job_high = sender->dir->id.high;
    chunk.stream = (Sme2lab__Proto__Stream)(i + 1);
    chunk.offset = sender->sent[i];
    chunk.bytes = (ProtobufCBinaryData){(size_t)n, bytes};
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CHUNK;
    envelope.chunk = &chunk;
    int rc = sl_channel_send(channel, &envelope);
    if (rc == 0)
        sender->sent[i] += (uint64_t)n;
    return rc;
}

static int send_result(struct sl_sender *sender, struct sl_channel *channel)
{
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_RESULT;
    envelope.result = sender->dir->result;
    int rc = sl_channel_send(channel, &envelope);
    sender->result_sent = sender->result_sent || rc == 0;
    return rc;
}

int sl_sender_pump(struct sl_sender *sender, struct sl_channel *channel)
{
    for (int i = 0; i < SL_STREAM_COUNT && !sender->kept; i++) {
        while (sender->sent[i] < sl_spool_bytes(sender->dir->streams[i])) {
            int rc = send_chunk(sender, i, channel);
            if (rc < 0)
                return rc;
        }
    }
    bool owed = sender->dir->result && !sender->result_sent && !sender->kept;
    return owed ? send_result(sender, channel) : 0;
}

bool sl_sender_done(const struct sl_sender *sender)
{
    for (int i = 0; i < SL_STREAM_COUNT; i++) {
        if (sender->acked[i] < sl_spool_bytes(sender->dir->streams[i]))
            return false;
    }
    return sender->dir->result && sender->result_acked;
}
