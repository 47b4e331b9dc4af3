/* common/format/flatbuild.h: builds one FlatBuffer back to front, laying bytes out as flatcc does.
 *
 * The file has its objects in reverse order of their creation. An object is named by a reference:
 * its distance from the file's end. The first failure sticks in `error` and makes every later call
 * a no-op. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_buf;

enum {
    SL_FLATBUILD_MAX_SLOTS = 10,
    SL_FLATBUILD_MAX_TABLE_BYTES = 48,
    SL_FLATBUILD_MAX_VTABLES = 64
};

struct sl_flatbuild {
    uint8_t *data;         /* owned; the file grows downwards from its end */
    size_t capacity, size; /* size: bytes at the end of `data` that are made */
    struct {
        uint16_t words[2 + SL_FLATBUILD_MAX_SLOTS];
        uint16_t bytes;
        uint32_t ref;
    } vtables[SL_FLATBUILD_MAX_VTABLES]; /* those made so far: equal ones are shared */
    unsigned vtable_count;
    uint16_t align; /* the largest of any object's */
    int error;
};

/* A table whose fields are being collected, in the order they are to lie in. */
struct sl_flatbuild_table {
    uint8_t data[SL_FLATBUILD_MAX_TABLE_BYTES]; /* what follows the vtable's offset */
    uint16_t offsets[SL_FLATBUILD_MAX_SLOTS];   /* from the table's start; 0: absent */
    uint16_t bytes, align, slot_count;
    uint16_t ref_slots; /* bit set: the slot holds a reference */
};

void sl_flatbuild_init(struct sl_flatbuild *build);
void sl_flatbuild_fini(struct sl_flatbuild *build);

/* Makes room for a file of about so many bytes, which then is not moved as it grows. */
void sl_flatbuild_reserve(struct sl_flatbuild *build, size_t bytes);

/* Objects. All return the reference, 0 after a failure (-ENOMEM, SL_E_LIMIT past 2 GiB). */
uint32_t sl_flatbuild_string(struct sl_flatbuild *build, const char *text, size_t len);
uint32_t sl_flatbuild_bytes(struct sl_flatbuild *build, const void *bytes, size_t len);
uint32_t sl_flatbuild_refs(struct sl_flatbuild *build, const uint32_t *refs, size_t count);
uint32_t sl_flatbuild_end_table(struct sl_flatbuild *build, struct sl_flatbuild_table *table);

/* Fields. Scalars equal to their default are left out. */
void sl_flatbuild_begin_table(struct sl_flatbuild_table *table);
void sl_flatbuild_add_u64(struct sl_flatbuild_table *table, unsigned slot, uint64_t value,
                          uint64_t absent);
void sl_flatbuild_add_i32(struct sl_flatbuild_table *table, unsigned slot, int32_t value,
                          int32_t absent);
void sl_flatbuild_add_ref(struct sl_flatbuild_table *table, unsigned slot, uint32_t ref);

/* Puts size prefix, root and identifier in front and moves the whole file to `out`, which is empty.
 * 0, or the first failure. */
int sl_flatbuild_finish(struct sl_flatbuild *build, uint32_t root, const char identifier[4],
                        struct sl_buf *out);
