/* common/net/handshake.h: the opening of a connection between host and agent: versions, then mutual
 * proof.
 *
 * Each side sends Hello with a fresh nonce, and on the other's Hello its Proof: HMAC-SHA-256 by the
 * shared secret over a role label, the agreed version and both nonces. The label makes a proof sent
 * back to its sender worthless, the nonces one from another connection. Until the peer's proof is
 * good no other message counts. Where either side asks for it, each frame after the proofs is
 * sealed (seal.h); that it is asked for is part of what the proofs prove. Pure: messages in,
 * messages out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_buf;
typedef struct Sme2lab__Proto__Envelope Sme2lab__Proto__Envelope;

enum { SL_SECRET_BYTES = 32, SL_NONCE_BYTES = 32 };
enum sl_role { SL_ROLE_HOST = 1, SL_ROLE_AGENT = 2 };

struct sl_handshake {
    int role; /* enum sl_role: ours */
    uint8_t secret[SL_SECRET_BYTES];
    uint8_t nonce[SL_NONCE_BYTES], peer_nonce[SL_NONCE_BYTES];
    uint32_t version_min, version_max; /* that we speak */
    uint32_t version;                  /* agreed; 0 until the peer's Hello */
    bool sealed;                       /* asked for by us; after the peer's Hello: by either */
    bool done;                         /* the peer has proven itself, and we sent our proof */
    char peer[64];                     /* what the peer calls itself, printable */
    char refusal[200];                 /* why not, once failed: one sentence */
};

/* `secret` and `nonce` are copied; the nonce must be fresh random bytes. */
void sl_handshake_init(struct sl_handshake *handshake, int role,
                       const uint8_t secret[SL_SECRET_BYTES], const uint8_t nonce[SL_NONCE_BYTES]);

/* Appends our Hello as a frame to `out`; set `sealed` before. `software` is borrowed. */
int sl_handshake_hello(struct sl_handshake *handshake, const char *software, struct sl_buf *out);

/* Takes the peer's next message; appends what we answer to `out`. Returns 0 (look at `done`), or a
 * negative code: the connection is over and `out` ends with a Refusal that says why. */
int sl_handshake_take(struct sl_handshake *handshake, const Sme2lab__Proto__Envelope *envelope,
                      struct sl_buf *out);

/* Gives the key of this session, which no other has. The handshake is done. */
void sl_handshake_session_key(const struct sl_handshake *handshake,
                              uint8_t out_key[SL_SECRET_BYTES]);
