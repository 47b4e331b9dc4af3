/* common/net/message.h: messages of proto/envelope.proto to and from the payloads of frames.
 *
 * The structs are those that protobuf-c generates from proto at build time. Pure: no sockets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_buf;
struct sl_seal;
typedef struct Sme2lab__Proto__Envelope Sme2lab__Proto__Envelope;

/* The protocol's versions. Both rise with a field that a peer must not skip, such as one of Job's
 * that says what is run. */
enum { SL_MESSAGE_VERSION_MIN = 4, SL_MESSAGE_VERSION_MAX = 4 };

/* The run that a message is about, whose halves are two of its fields; common/base/run_id.h. */
#define SL_MESSAGE_RUN(message) ((struct sl_run_id){(message)->job_high, (message)->job})

/* Appends `envelope` to `out` as one frame, with the tag of `seal` (NULL: none). SL_E_LIMIT when it
 * exceeds a frame, -ENOMEM; then no tag was spent. */
int sl_message_append(struct sl_buf *out, const Sme2lab__Proto__Envelope *envelope,
                      struct sl_seal *seal);

/* Decodes one payload. Memory is bounded by SL_MESSAGE_MEMORY_FACTOR times its length. On success
 * end *out with sl_message_free(). A body that this version does not know comes out as body_case 0,
 * not as an error. SL_E_FORMAT or -ENOMEM. */
int sl_message_decode(const uint8_t *payload, size_t len, Sme2lab__Proto__Envelope **out);
void sl_message_free(Sme2lab__Proto__Envelope *envelope);

enum { SL_MESSAGE_MEMORY_FACTOR = 64, SL_MESSAGE_MEMORY_BASE = 4096 };
