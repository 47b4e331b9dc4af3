/* common/format/flatbuf.h: bounded reader of FlatBuffers of any origin, without generated code.
 *
 * The first failure sticks in `error` (with its words and byte offset in `diag`) and makes every
 * later call give something empty, so a parser checks after each loop and at its end. Nothing
 * here recurses, and every array a parser makes is charged to the arena's budget, which bounds
 * both memory and time when offsets alias. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/format/flatbuf_table.h"

/* An array of the arena, or NULL with `error` set. */
void *sl_flatbuf_alloc(struct sl_flatbuf *fb, size_t count, size_t size);

/* The numbers of a vector, of 4 or 8 bytes each: where they stand if this machine has them so, else
 * a copy; either is charged. NULL with `error` set. */
const void *sl_flatbuf_numbers(struct sl_flatbuf *fb, const struct sl_flatbuf_vector *vector,
                               size_t element_bytes);

/* The table that the offset field at `at` names. */
struct sl_flatbuf_table sl_flatbuf_root(struct sl_flatbuf *fb, uint64_t at, const char *name);

/* Returns the `bytes` bytes of the field in `slot`, or NULL when it is absent. */
const uint8_t *sl_flatbuf_field(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                unsigned slot, unsigned bytes);

/* Returns the target of the offset field in `slot`. */
struct sl_flatbuf_table sl_flatbuf_child(struct sl_flatbuf *fb,
                                         const struct sl_flatbuf_table *table, unsigned slot,
                                         const char *name);
struct sl_flatbuf_vector sl_flatbuf_vector(struct sl_flatbuf *fb,
                                           const struct sl_flatbuf_table *table, unsigned slot,
                                           unsigned element_bytes);
struct sl_flatbuf_table sl_flatbuf_element(struct sl_flatbuf *fb,
                                           const struct sl_flatbuf_vector *vector, uint32_t index,
                                           const char *name);

/* A string's text: a terminator follows its `size` bytes. `data` is NULL when it is absent. */
struct sl_bytes sl_flatbuf_string(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                                  unsigned slot);
/* The same of the bytes that field `slot` has. */
struct sl_bytes sl_flatbuf_terminated(struct sl_flatbuf *fb, struct sl_flatbuf_vector text,
                                      unsigned slot);
/* The same as C text, which ends at its first zero byte; NULL when it is absent. */
const char *sl_flatbuf_text(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                            unsigned slot);

/* Scalars, with the schema's default. */
uint8_t sl_flatbuf_u8(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                      uint8_t absent);
uint32_t sl_flatbuf_u32(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                        uint32_t absent);
int32_t sl_flatbuf_i32(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                       int32_t absent);
uint64_t sl_flatbuf_u64(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                        uint64_t absent);
float sl_flatbuf_f32(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table, unsigned slot,
                     float absent);
