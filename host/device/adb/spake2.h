/* host/device/adb/spake2.h: the exchange by which two that know a short secret agree on a long one,
 * and nobody who listens or guesses wrong learns anything: SPAKE2 over edwards25519, as BoringSSL
 * and therefore a phone's pairing service has it. Pure but for the random number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_SPAKE2_MESSAGE_BYTES = 32, SL_SPAKE2_KEY_BYTES = 64, SL_SPAKE2_PASSWORD_BYTES = 256 };

struct sl_spake2 {
    bool first;                     /* of the two: the one that pairs, not the phone */
    uint8_t secret[32];             /* a scalar */
    uint8_t password[32], hash[64]; /* the former is a scalar */
    uint8_t message[SL_SPAKE2_MESSAGE_BYTES];
};

/* Begins: `message` is for the other side. SL_E_LIMIT: the password is too long; SL_E_STATE: there
 * is no arithmetic. Wipe it with sl_spake2_fini(). */
int sl_spake2_init(struct sl_spake2 *spake, bool first, const void *password, size_t len);

/* The key that both have if both know the password. `theirs` is the other's message; SL_E_FORMAT:
 * it is no point of the curve. */
int sl_spake2_key(const struct sl_spake2 *spake, const uint8_t theirs[SL_SPAKE2_MESSAGE_BYTES],
                  uint8_t out[SL_SPAKE2_KEY_BYTES]);

void sl_spake2_fini(struct sl_spake2 *spake);
