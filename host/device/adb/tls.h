/* host/device/adb/tls.h: the client's side of the TLS 1.3 that wireless debugging wants: bytes in,
 * bytes out, no sockets. Its certificate is made of one of adb's keys; whatever certificate the
 * device has is taken, for it knows ours or ends the connection. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_adb_tls;
struct sl_buf;
struct sl_diag;

/* Reads the keys, and makes one where there is none: not for the loop's thread. 0, -ENOMEM, or what
 * the first key's file says. */
int sl_adb_tls_new(struct sl_adb_tls **out, struct sl_diag *diag);
void sl_adb_tls_free(struct sl_adb_tls *tls);

/* Takes what came from the device (nothing: begins) and appends what it says to `plain`, and what
 * is to be sent to `sealed`. SL_E_STATE: it ends the connection, as to a key that it does not know;
 * SL_E_FORMAT: that is no TLS; SL_E_LIMIT, -ENOMEM. */
int sl_adb_tls_take(struct sl_adb_tls *tls, const void *bytes, size_t len, struct sl_buf *plain,
                    struct sl_buf *sealed);

/* Are hands shaken? */
bool sl_adb_tls_is_up(const struct sl_adb_tls *tls);

/* Then: the secret that both ends of this connection and nobody else can compute, for a pairing.
 * SL_E_STATE. */
int sl_adb_tls_export(struct sl_adb_tls *tls, void *out, size_t len);

/* Appends to `sealed` what these bytes are to be sent as, once the device has said something.
 * SL_E_FORMAT, SL_E_LIMIT, -ENOMEM. */
int sl_adb_tls_put(struct sl_adb_tls *tls, const void *bytes, size_t len, struct sl_buf *sealed);
