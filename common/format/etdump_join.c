/* common/format/etdump_join.c */
#include "common/format/etdump_join.h"

#include <errno.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/etdump.h"
#include "common/format/etdump_slots.h"
#include "common/format/flatbuf.h"

/* The head, as ETDumpGen has it: size, root offset, identifier; then the vtable and the table of
 * ETDump, and the vector of blocks. */
enum { ROOT = 4, IDENTIFIER = 8, VTABLE = 12, VTABLE_BYTES = 8 };
enum { TABLE = 20, TABLE_BYTES = 12, VECTOR = 32 };
enum { TABLE_RUNS = 4, TABLE_VERSION = 8, ALIGNMENT = 16, POOL_BYTES = 4096 };

struct joiner {
    struct sl_buf *out;
    struct sl_diag *diag;
    struct sl_arena *pool;
    uint32_t version, blocks; /* blocks: named so far */
};

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    put_u16(at, value);
    put_u16(at + 2, value >> 16);
}

/* The reader at the file's blocks, which sl_etdump_parse() found sound. */
static struct sl_flatbuf_vector open_blocks(struct joiner *j, struct sl_bytes file,
                                            struct sl_flatbuf *fb, uint32_t *out_version)
{
    bool prefixed = file.size >= 12 && memcmp(file.data + 8, "ED00", 4) == 0;
    *fb =
        (struct sl_flatbuf){.data = file.data, .size = file.size, .pool = j->pool, .diag = j->diag};
    struct sl_flatbuf_table root = sl_flatbuf_root(fb, prefixed ? 4 : 0, "ETDump");
    *out_version = sl_flatbuf_u32(fb, &root, ETDUMP_VERSION, 0);
    return sl_flatbuf_vector(fb, &root, ETDUMP_RUNS, 4);
}

/* Checks a file; adds its blocks to the count. */
static int count_blocks(struct joiner *j, struct sl_bytes file, bool first)
{
    struct sl_etdump whole;
    uint32_t version;
    int rc = sl_etdump_parse(file, &whole, j->diag);
    if (rc < 0)
        return rc;
    version = whole.version;
    j->blocks += whole.run_count;
    sl_etdump_fini(&whole);
    if (!first && version != j->version)
        return sl_diag_set(j->diag, SL_E_FORMAT, NULL,
                           "ETDumps of versions %u and %u cannot be joined", j->version, version);
    j->version = version;
    return 0;
}

static int put_head(struct joiner *j)
{
    uint8_t *at;
    int rc = sl_buf_extend(j->out, VECTOR + 4 + 4 * (size_t)j->blocks, &at);
    if (rc < 0)
        return rc;
    memset(at, 0, VECTOR + 4 + 4 * (size_t)j->blocks);
    put_u32(at + ROOT, TABLE - ROOT);
    memcpy(at + IDENTIFIER, "ED00", 4);
    put_u16(at + VTABLE, VTABLE_BYTES);
    put_u16(at + VTABLE + 2, TABLE_BYTES);
    put_u16(at + VTABLE + 4 + 2 * ETDUMP_VERSION, TABLE_VERSION);
    put_u16(at + VTABLE + 4 + 2 * ETDUMP_RUNS, TABLE_RUNS);
    put_u32(at + TABLE, TABLE - VTABLE);
    put_u32(at + TABLE + TABLE_RUNS, VECTOR - (TABLE + TABLE_RUNS));
    put_u32(at + TABLE + TABLE_VERSION, j->version);
    put_u32(at + VECTOR, j->blocks);
    return 0;
}

/* The file behind all others, at a place where its own alignment holds; its blocks into the vector,
 * from `*next` on. */
static int put_file(struct joiner *j, struct sl_bytes file, uint32_t *next)
{
    static const uint8_t zeros[ALIGNMENT];
    struct sl_flatbuf fb;
    uint32_t version;
    int rc = sl_buf_append(j->out, zeros, (ALIGNMENT - j->out->size % ALIGNMENT) % ALIGNMENT);
    size_t begin = j->out->size;
    if (rc == 0 && file.size > SL_FLATBUF_MAX_BYTES - begin)
        rc = SL_E_LIMIT;
    if (rc == 0)
        rc = sl_buf_append(j->out, file.data, file.size);
    if (rc < 0)
        return rc;
    struct sl_flatbuf_vector blocks = open_blocks(j, file, &fb, &version);
    for (uint32_t i = 0; i < blocks.count && fb.error == 0; i++, (*next)++) {
        struct sl_flatbuf_table block = sl_flatbuf_element(&fb, &blocks, i, "RunData");
        size_t entry = VECTOR + 4 + 4 * (size_t)*next;
        put_u32(j->out->data + entry, (uint32_t)(begin + block.at - entry));
    }
    return fb.error;
}

int sl_etdump_join(const struct sl_bytes *files, size_t count, struct sl_buf *out,
                   struct sl_diag *diag)
{
    struct joiner j = {.out = out, .diag = diag};
    uint32_t next = 0;
    int rc = count == 0 || count > SL_ETDUMP_JOIN_MAX ? SL_E_LIMIT : 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = count_blocks(&j, files[i], i == 0);
    if (rc == 0) {
        j.pool = sl_arena_new(POOL_BYTES);
        rc = j.pool ? put_head(&j) : -ENOMEM;
    }
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = put_file(&j, files[i], &next);
    if (rc == 0)
        put_u32(out->data, (uint32_t)(out->size - 4));
    sl_arena_free(j.pool);
    if (rc == SL_E_LIMIT && diag && diag->what[0] == '\0')
        sl_diag_set(diag, rc, NULL, "the ETDumps are too many or too large to be joined");
    return rc;
}
