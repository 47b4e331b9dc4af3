/* host/report/text.h: texts out of files, made fit for terminals and writers. */
#pragma once

#include <stddef.h>

enum { SL_TEXT_SIZE = 512 };

/* A terminated copy of `len` bytes, cut at SL_TEXT_SIZE, cleaned by sl_utf8_clean(). Returns `out`.
 */
const char *sl_text_copy(char out[SL_TEXT_SIZE], const char *text, size_t len);

/* Columns that UTF-8 `text` takes: one for each character. */
size_t sl_text_columns(const char *text);

/* Cuts `text` in place to `columns`, with "~" as its last where something was cut. */
void sl_text_fit(char *text, size_t columns);

/* Leaves in `text` the parts of its sentences that fit: it ends before a full stop, a comma, a
 * semicolon or a parenthesis; where not even the first part fits, after a word and with "...". */
void sl_text_parts(char *text, size_t columns);
