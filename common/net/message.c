/* common/net/message.c */
#include "common/net/message.h"

#include <errno.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/net/frame.h"
#include "common/net/seal.h"
#include "proto/envelope.pb-c.h"

int sl_message_append(struct sl_buf *out, const Sme2lab__Proto__Envelope *envelope,
                      struct sl_seal *seal)
{
    size_t len = sme2lab__proto__envelope__get_packed_size(envelope);
    size_t tag = seal ? SL_SEAL_BYTES : 0;
    uint8_t *at;
    if (len == 0 || len > SL_FRAME_MAX_BYTES - tag)
        return SL_E_LIMIT;
    int rc = sl_buf_extend(out, SL_FRAME_HEADER_BYTES + len + tag, &at);
    if (rc < 0)
        return rc;
    uint8_t *payload = at + SL_FRAME_HEADER_BYTES;
    sme2lab__proto__envelope__pack(envelope, payload);
    if (seal)
        sl_seal_put(seal, payload, len, payload + len);
    return sl_frame_header(payload, len + tag, at);
}

/* protobuf-c allocates for each element of a repeated field before it reads it: a budget keeps a
 * payload of empty elements from taking more than its share. */
struct budget {
    size_t left;
    int exceeded;
};

static void *budget_alloc(void *user, size_t bytes)
{
    struct budget *budget = user;
    if (bytes > budget->left) {
        budget->exceeded = 1;
        return NULL;
    }
    budget->left -= bytes;
    return sl_malloc(bytes, 1);
}

static void budget_free(void *user, void *block)
{
    (void)user;
    sl_free(block);
}

int sl_message_decode(const uint8_t *payload, size_t len, Sme2lab__Proto__Envelope **out)
{
    struct budget budget = {.left = len * SL_MESSAGE_MEMORY_FACTOR + SL_MESSAGE_MEMORY_BASE};
    ProtobufCAllocator allocator = {budget_alloc, budget_free, &budget};
    if (len == 0 || len > SL_FRAME_MAX_BYTES)
        return SL_E_FORMAT;
    Sme2lab__Proto__Envelope *envelope = sme2lab__proto__envelope__unpack(&allocator, len, payload);
    if (!envelope)
        return SL_E_FORMAT;
    *out = envelope;
    return 0;
}

void sl_message_free(Sme2lab__Proto__Envelope *envelope)
{
    ProtobufCAllocator allocator = {budget_alloc, budget_free, NULL};
    if (envelope)
        sme2lab__proto__envelope__free_unpacked(envelope, &allocator);
}
