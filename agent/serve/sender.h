/* agent/serve/sender.h: sends the streams of one job directory over a channel, from what the host
 * has on, as they grow. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "agent/serve/job_dir.h"

struct sl_channel;

enum { SL_SENDER_CHUNK_BYTES = 256 << 10 };

struct sl_sender {
    struct sl_job_dir *dir;         /* borrowed */
    uint64_t sent[SL_STREAM_COUNT]; /* handed to the channel of now */
    uint64_t acked[SL_STREAM_COUNT];
    bool result_sent, result_acked;
    bool kept; /* the host has not named it: nothing is sent */
};

void sl_sender_init(struct sl_sender *sender, struct sl_job_dir *dir);

/* A new connection: goes on from what was acknowledged. How many bytes that were sent will be sent
 * again, the result not among them. */
uint64_t sl_sender_rewind(struct sl_sender *sender);
/* All of it is sent from its begin. */
void sl_sender_restart(struct sl_sender *sender);
uint64_t sl_sender_acked_bytes(const struct sl_sender *sender); /* of all streams */
uint64_t sl_sender_bytes(const struct sl_sender *sender);       /* that they have */

/* The host has `offset` bytes of `stream` (the numbers of proto/trace.proto) durably;
 * STREAM_UNSPECIFIED acknowledges the result. Offsets beyond the stream are SL_E_MISMATCH; one
 * below what was acknowledged changes nothing. A host that acknowledges the result of one that is
 * kept had it before. */
int sl_sender_acked(struct sl_sender *sender, int stream, uint64_t offset);

/* Sends what there is room for, of one that is kept nothing. 0, SL_E_FULL when the channel took no
 * more (go on when it is writable), or a failure. */
int sl_sender_pump(struct sl_sender *sender, struct sl_channel *channel);

/* True when the host has everything, the result included. */
bool sl_sender_done(const struct sl_sender *sender);
