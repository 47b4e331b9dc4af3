/* agent/runtime/weights/known_content.h: the content of files that were hashed before. */
#pragma once

#include <stdbool.h>

#include "agent/runtime/weights/weight_file.h"

/* The hash of a mapped file: noted in `directory` for its identity, or made now, and noted then
 * unless the file is so young that it may change without the system's clock telling. */
struct sl_content sl_known_content(const char *directory, const struct sl_file_identity *identity,
                                   struct sl_bytes bytes);
/* False where nothing is noted. */
bool sl_known_content_find(const char *directory, const struct sl_file_identity *identity,
                           struct sl_content *out);
/* A note that cannot be written is not there. */
void sl_known_content_note(const char *directory, const struct sl_file_identity *identity,
                           struct sl_content content);
/* Says that the file was used now: its note is touched, for a touched file would be another one. */
void sl_known_content_touch(const char *directory, const struct sl_file_identity *identity);
/* When a note was written or touched last, in nanoseconds of the epoch; false where there is none.
 */
bool sl_known_content_used(const char *directory, const struct sl_file_identity *identity,
                           int64_t *out_ns);
void sl_known_content_forget(const char *directory, const struct sl_file_identity *identity);
/* True when the file was not touched for so long that its times tell it from what comes later. */
bool sl_known_content_settled(const struct sl_file_identity *identity);
