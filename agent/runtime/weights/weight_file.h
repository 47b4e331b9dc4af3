/* agent/runtime/weights/weight_file.h: the files of a weight cache, as bytes.
 *
 * A weight file holds the packed weights of one variant in the order in which loading asks for
 * them: a head of SL_WEIGHT_HEAD_BYTES, an entry of SL_WEIGHT_ENTRY_BYTES each, then the weights,
 * each at a multiple of 64, zeros between. The head names what the file is for (key), its own hash,
 * that of the entries included, and the weights'.
 *
 * A note says what a file's content was when the system called it by an identity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/file_map.h"
#include "agent/runtime/weights/content_hash.h"
#include "common/base/bytes.h"

enum {
    SL_WEIGHT_HEAD_BYTES = 128,
    SL_WEIGHT_ENTRY_BYTES = 24,
    SL_WEIGHT_MAX_ENTRIES = 1 << 18,
    SL_WEIGHT_NOTE_BYTES = 96,
};

struct sl_weight_file {
    struct sl_bytes bytes;     /* borrowed: the whole file */
    uint32_t count;            /* entries */
    uint64_t data_at;          /* where the weights begin */
    struct sl_content content; /* of all behind */
};

struct sl_weight_entry {
    uint64_t form; /* how they are packed: weight_store.h */
    uint64_t offset, bytes;
};

/* Takes the head apart and checks every entry; the weights are not looked at: their hash is to be
 * compared by sl_weight_file_whole(). 0, or SL_E_FORMAT, SL_E_TRUNCATED, SL_E_LIMIT, or
 * SL_E_MISMATCH for a file that is for another key; *out_why says in words what. */
int sl_weight_file_parse(struct sl_bytes bytes, struct sl_content key, struct sl_weight_file *out,
                         const char **out_why);
struct sl_weight_entry sl_weight_file_entry(const struct sl_weight_file *file, uint32_t index);
/* True if the weights are those that the head's hash was made of. Reads them all. */
bool sl_weight_file_whole(const struct sl_weight_file *file);

/* Writes the head over `entries` (their bytes, already in place behind it). */
void sl_weight_file_put_entry(uint8_t *head, uint32_t index, const struct sl_weight_entry *entry);
void sl_weight_file_put_head(uint8_t *head, uint32_t count, struct sl_content key,
                             uint64_t file_bytes, struct sl_content content);
/* Returns the offset of the weights in a file of `count` entries. */
uint64_t sl_weight_file_data_at(uint32_t count);

void sl_weight_note_put(const struct sl_file_identity *identity, struct sl_content content,
                        uint8_t out[SL_WEIGHT_NOTE_BYTES]);
/* False when the bytes are no note, or one of another identity. */
bool sl_weight_note_read(struct sl_bytes bytes, const struct sl_file_identity *identity,
                         struct sl_content *out);
