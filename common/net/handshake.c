/* common/net/handshake.c */
#include "common/net/handshake.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/net/message.h"
#include "proto/envelope.pb-c.h"

void sl_handshake_init(struct sl_handshake *handshake, int role,
                       const uint8_t secret[SL_SECRET_BYTES], const uint8_t nonce[SL_NONCE_BYTES])
{
    *handshake = (struct sl_handshake){
        .role = role, .version_min = SL_MESSAGE_VERSION_MIN, .version_max = SL_MESSAGE_VERSION_MAX};
    memcpy(handshake->secret, secret, SL_SECRET_BYTES);
    memcpy(handshake->nonce, nonce, SL_NONCE_BYTES);
}

int sl_handshake_hello(struct sl_handshake *handshake, const char *software, struct sl_buf *out)
{
    Sme2lab__Proto__Hello hello = SME2LAB__PROTO__HELLO__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    hello.version_min = handshake->version_min;
    hello.version_max = handshake->version_max;
    hello.nonce = (ProtobufCBinaryData){SL_NONCE_BYTES, handshake->nonce};
    hello.role = (Sme2lab__Proto__Role)handshake->role;
    hello.software = (char *)(uintptr_t)software; /* only read */
    hello.sealed = handshake->sealed;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_HELLO;
    envelope.hello = &hello;
    return sl_message_append(out, &envelope, NULL);
}

static int refuse(struct sl_handshake *handshake, int code, struct sl_buf *out)
{
    Sme2lab__Proto__Refusal refusal = SME2LAB__PROTO__REFUSAL__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    refusal.reason = handshake->refusal;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_REFUSAL;
    envelope.refusal = &refusal;
    sl_message_append(out, &envelope, NULL); /* the connection ends either way */
    return code;
}

/* A MAC over the label and all that was agreed. */
static void mac_by_label(const struct sl_handshake *handshake, const char *label,
                         uint8_t out_mac[SL_HMAC_BYTES])
{
    uint8_t text[32 + 4 + 2 * SL_NONCE_BYTES + 1] = {0};
    bool host = handshake->role == SL_ROLE_HOST;
    snprintf((char *)text, 32, "%s", label);
    sl_store_u32(text + 32, handshake->version);
    memcpy(text + 36, host ? handshake->nonce : handshake->peer_nonce, SL_NONCE_BYTES);
    memcpy(text + 36 + SL_NONCE_BYTES, host ? handshake->peer_nonce : handshake->nonce,
           SL_NONCE_BYTES);
    text[sizeof(text) - 1] = handshake->sealed;
    sl_hmac_sha256(handshake->secret, SL_SECRET_BYTES, text, sizeof(text), out_mac);
}

/* The MAC by which `role` proves itself. */
static void mac_of(const struct sl_handshake *handshake, int role, uint8_t out_mac[SL_HMAC_BYTES])
{
    static const char *const labels[] = {"", "sme2lab host proof\n", "sme2lab agent proof\n"};
    mac_by_label(handshake, labels[role], out_mac);
}

void sl_handshake_session_key(const struct sl_handshake *handshake,
                              uint8_t out_key[SL_SECRET_BYTES])
{
    mac_by_label(handshake, "sme2lab session\n", out_key);
}

static int send_proof(const struct sl_handshake *handshake, struct sl_buf *out)
{
    uint8_t mac[SL_HMAC_BYTES];
    Sme2lab__Proto__Proof proof = SME2LAB__PROTO__PROOF__INIT;
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    mac_of(handshake, handshake->role, mac);
    proof.mac = (ProtobufCBinaryData){sizeof(mac), mac};
    proof.version = handshake->version;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_PROOF;
    envelope.proof = &proof;
    return sl_message_append(out, &envelope, NULL);
}

/* Anybody may be the peer, and its words end in logs and terminals: masks what is not printable. */
static void make_printable(char *text)
{
    for (char *at = text; *at; at++) {
        if (*at < ' ' || *at > '~' || *at == '"')
            *at = '?';
    }
}

static void say_versions(struct sl_handshake *handshake, const Sme2lab__Proto__Hello *hello)
{
    static const char *const names[] = {[SL_ROLE_HOST] = "daemon", [SL_ROLE_AGENT] = "agent"};
    const char *ours = names[handshake->role], *peers = names[3 - handshake->role];
    bool older = hello->version_max < handshake->version_min;
    snprintf(handshake->refusal, sizeof(handshake->refusal),
             "the %s (%s) speaks protocol %u to %u, this %s %u to %u: update the %s", peers,
             handshake->peer, hello->version_min, hello->version_max, ours, handshake->version_min,
             handshake->version_max, older ? peers : ours);
}

static int take_hello(struct sl_handshake *handshake, const Sme2lab__Proto__Hello *hello,
                      struct sl_buf *out)
{
    uint32_t low =
        handshake->version_min > hello->version_min ? handshake->version_min : hello->version_min;
    uint32_t high =
        handshake->version_max < hello->version_max ? handshake->version_max : hello->version_max;
    if (handshake->version != 0 || hello->nonce.len != SL_NONCE_BYTES ||
        (int)hello->role + handshake->role != 3) {
        snprintf(handshake->refusal, sizeof(handshake->refusal),
                 "the peer's hello is not one of sme2lab's %s",
                 handshake->role == SL_ROLE_HOST ? "agent" : "daemon");
        return refuse(handshake, SL_E_FORMAT, out);
    }
    snprintf(handshake->peer, sizeof(handshake->peer), "%s",
             hello->software ? hello->software : "?");
    make_printable(handshake->peer);
    if (low > high) {
        say_versions(handshake, hello);
        return refuse(handshake, SL_E_UNSUPPORTED, out);
    }
    handshake->sealed = handshake->sealed || hello->sealed;
    handshake->version = high;
    memcpy(handshake->peer_nonce, hello->nonce.data, SL_NONCE_BYTES);
    return send_proof(handshake, out);
}

static int take_proof(struct sl_handshake *handshake, const Sme2lab__Proto__Proof *proof,
                      struct sl_buf *out)
{
    uint8_t expected[SL_HMAC_BYTES];
    mac_of(handshake, 3 - handshake->role, expected);
    if (handshake->version == 0 || proof->version != handshake->version ||
        proof->mac.len != SL_HMAC_BYTES || !sl_mac_equal(expected, proof->mac.data)) {
        snprintf(handshake->refusal, sizeof(handshake->refusal),
                 "the peer does not know this connection's secret: it was not launched by this "
                 "daemon, or the two secret files differ");
        return refuse(handshake, SL_E_MISMATCH, out);
    }
    handshake->done = true;
    return 0;
}

int sl_handshake_take(struct sl_handshake *handshake, const Sme2lab__Proto__Envelope *envelope,
                      struct sl_buf *out)
{
    switch (envelope->body_case) {
    case SME2LAB__PROTO__ENVELOPE__BODY_HELLO:
        return take_hello(handshake, envelope->hello, out);
    case SME2LAB__PROTO__ENVELOPE__BODY_PROOF:
        return take_proof(handshake, envelope->proof, out);
    case SME2LAB__PROTO__ENVELOPE__BODY_REFUSAL:
        snprintf(handshake->refusal, sizeof(handshake->refusal), "the peer refused: %.150s",
                 envelope->refusal->reason ? envelope->refusal->reason : "");
        make_printable(handshake->refusal);
        return SL_E_MISMATCH;
    case SME2LAB__PROTO__ENVELOPE__BODY__NOT_SET:
        return 0; /* a newer peer's message */
    default:
        snprintf(handshake->refusal, sizeof(handshake->refusal),
                 "the peer sent a message before it proved itself");
        return refuse(handshake, SL_E_STATE, out);
    }
}
