/* host/device/link_message.h: the plain structs of a link to and from the protocol's messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/run_id.h"

typedef struct Sme2lab__Proto__Envelope Sme2lab__Proto__Envelope;
struct sl_channel;
struct sl_link_events;
struct sl_link_have;
struct sl_link_job;

/* Each sends one message: what sl_channel_send() returns. SL_E_LIMIT for a job of too many words.
 */
int sl_link_message_resume(struct sl_channel *channel, const struct sl_link_have *have,
                           size_t count);
int sl_link_message_job(struct sl_channel *channel, const struct sl_link_job *job);
int sl_link_message_proceed(struct sl_channel *channel, struct sl_run_id job, uint32_t pairs,
                            bool last);
int sl_link_message_cancel(struct sl_channel *channel, struct sl_run_id job);
/* `stream` as on the wire; 0 acknowledges the result. */
int sl_link_message_ack(struct sl_channel *channel, struct sl_run_id job, int stream,
                        uint64_t offset);
/* `wish` is enum sl_link_wish. */
int sl_link_message_claim(struct sl_channel *channel, struct sl_run_id job, int wish);

int sl_link_message_clean(struct sl_channel *channel);
int sl_link_message_look(struct sl_channel *channel);

/* Hands a message from the agent on; what a host has no use for, or what is out of its range, is
 * passed over. */
void sl_link_message_take(const Sme2lab__Proto__Envelope *envelope,
                          const struct sl_link_events *events, void *user);
