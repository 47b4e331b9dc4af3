/* common/base/utf8.h: which bytes are well-formed UTF-8 (RFC 3629). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "common/base/bytes.h"

/* Bytes of the character at `at`, which a NUL or more ends; 0: no overlong form, surrogate or other
 * ill-formed sequence is one. A NUL is a character of one byte. */
size_t sl_utf8_length(const unsigned char *at);

/* Makes `text` fit for a terminal, a table or a file that others read: bytes of no character and
 * of characters that steer (controls, C1 too, but for those in `kept`; changes of direction) become
 * '?'. The length stays. */
void sl_utf8_clean(char *text, const char *kept);

/* Does the character of `len` bytes at `at` steer: a control (C1 too) or a change of direction? */
bool sl_utf8_steers(const unsigned char *at, size_t len);

/* Is `text` well-formed, and does no character of it steer? */
bool sl_utf8_is_plain(const char *text);

/* Returns the index of the first byte that belongs to no character; `text.size` if all belong. */
size_t sl_utf8_first_bad(struct sl_bytes text);
