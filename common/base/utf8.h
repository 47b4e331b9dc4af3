/* common/base/utf8.h: which bytes are well-formed UTF-8 (RFC 3629). */
#pragma once

#include <stddef.h>

#include "common/base/bytes.h"

/* Bytes of the character at `at`, which a NUL or more ends; 0: no overlong form, surrogate or other
 * ill-formed sequence is one. A NUL is a character of one byte. */
size_t sl_utf8_length(const unsigned char *at);

/* Where the first byte stands that is of no character; `text.size` if all are. */
size_t sl_utf8_first_bad(struct sl_bytes text);
