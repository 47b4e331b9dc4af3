/* host/http/tls.h: the server's side of TLS 1.2 and 1.3: bytes in, bytes out, no sockets. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_diag;
struct sl_tls;          /* of one connection */
struct sl_tls_identity; /* the certificate and its key; both are the loop's thread's */

enum { SL_TLS_MAX_PLAIN_BYTES = 16 << 10 }; /* of one sl_tls_write() */

/* Reads a certificate with its chain, and the key, which others may not be able to read; both in
 * PEM. SL_E_FORMAT, SL_E_LIMIT, SL_E_MISMATCH, SL_E_STATE (the key is open to others) or the file's
 * -errno, with words. */
int sl_tls_identity_new(const char *certificate, const char *key, struct sl_tls_identity **out,
                        struct sl_diag *diag);
void sl_tls_identity_free(struct sl_tls_identity *identity); /* NULL is a no-op */

/* SL_E_STATE, with words: the certificate is not valid at this time. */
int sl_tls_identity_check_time(const struct sl_tls_identity *identity, struct sl_diag *diag);

/* Looks whether the files have changed, and a minute after a failure that may be over without that.
 * 0: no; 1: connections made from now on have the new certificate, earlier ones go on with theirs;
 * negative, once for each failure: as the two above, and the certificate before it stays. `now_ms`
 * is of any clock that never goes back. */
int sl_tls_identity_refresh(struct sl_tls_identity *identity, uint64_t now_ms,
                            struct sl_diag *diag);

/* The end of the certificate's validity, in seconds of Unix time. */
int64_t sl_tls_identity_expires_s(const struct sl_tls_identity *identity);

/* A connection to be. 0 or -ENOMEM. */
int sl_tls_new(const struct sl_tls_identity *identity, struct sl_tls **out);
void sl_tls_free(struct sl_tls *tls); /* NULL is a no-op */

/* Takes bytes that came. SL_E_LIMIT where those before them were not read; -ENOMEM. */
int sl_tls_feed(struct sl_tls *tls, const void *bytes, size_t len);

/* Opens them, shaking hands first: how many bytes they say; 0: there are no more; SL_E_STATE: the
 * client has said its last; SL_E_FORMAT: that is no TLS that can go on. */
int sl_tls_read(struct sl_tls *tls, void *at, size_t room);

/* Seals bytes to be sent: 0 or SL_E_FORMAT. */
int sl_tls_write(struct sl_tls *tls, const void *bytes, size_t len);

/* Says that nothing follows (close_notify). */
void sl_tls_end(struct sl_tls *tls);

/* The next bytes to be sent, which stand until the next call: how many, 0: none. */
size_t sl_tls_sealed(struct sl_tls *tls, const uint8_t **out);

/* Why it cannot go on; NULL: it can. */
const char *sl_tls_fault(const struct sl_tls *tls);
