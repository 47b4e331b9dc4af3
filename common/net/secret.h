/* common/net/secret.h: the secret that host and agent share, as text: 64 hexadecimal digits. */
#pragma once

#include <stdint.h>

#include "common/net/handshake.h"

struct sl_diag;

enum { SL_SECRET_TEXT_BYTES = 2 * SL_SECRET_BYTES + 1 };

/* Lower-case digits and the terminator. */
void sl_secret_format(const uint8_t secret[SL_SECRET_BYTES], char out[SL_SECRET_TEXT_BYTES]);

/* A line of 64 lower-case digits, with or without its end. 0 or SL_E_FORMAT. */
int sl_secret_parse(const char *line, uint8_t out[SL_SECRET_BYTES]);

/* The first line of a file that only its owner may read: the 64 digits, and after a space the Unix
 * time in seconds from which on the secret counts no more, or nothing. 0, SL_E_FORMAT, SL_E_STATE
 * (it has expired by this machine's clock), -EPERM (others may read it) or the file's -errno, with
 * `diag` set. */
int sl_secret_read(const char *path, uint8_t out[SL_SECRET_BYTES], struct sl_diag *diag);
