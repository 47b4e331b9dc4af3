/* common/format/ptd.c */
#include "common/format/ptd.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/format/flatbuf.h"
#include "common/format/pte.h"
#include "common/format/tensor_shape.h"

/* Slots of the schema's tables. */
enum { FLAT_TENSOR_SEGMENTS = 1, FLAT_TENSOR_NAMED = 2 };
enum { SEGMENT_OFFSET = 0, SEGMENT_SIZE = 1 };
enum { NAMED_KEY = 0, NAMED_SEGMENT = 1, NAMED_LAYOUT = 2 };
enum { LAYOUT_TYPE = 0, LAYOUT_SIZES = 1, LAYOUT_DIM_ORDER = 2 };

enum { HEADER_AT = 8, HEADER_BYTES = 40 };
enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };

struct header {
    uint64_t at, size; /* of the FlatBuffer; references count from the file's start */
    uint64_t base;     /* of the segments */
};

static int read_header(struct sl_flatbuf *fb, struct sl_bytes file, struct header *out)
{
    if (file.size < HEADER_AT + HEADER_BYTES)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, 0, "the file ends in its header");
    const uint8_t *header = file.data + HEADER_AT;
    if (memcmp(file.data + 4, "FT01", 4) != 0)
        return sl_flatbuf_fail(fb, SL_E_FORMAT, 4,
                               "not a tensor data file: the identifier is not FT01");
    if (memcmp(header, "FH01", 4) != 0 || sl_load_u32(header + 4) < HEADER_BYTES)
        return sl_flatbuf_fail(fb, SL_E_FORMAT, HEADER_AT, "the file has no FH01 header");
    *out = (struct header){sl_load_u64(header + 8), sl_load_u64(header + 16),
                           sl_load_u64(header + 24)};
    if (!sl_range_ok(out->at, out->size, file.size))
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT + 8,
                               "the tables reach past the end of the file (%zu bytes)", file.size);
    if (!sl_range_ok(out->base, sl_load_u64(header + 32), file.size))
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT + 24,
                               "the segments reach past the end of the file (%zu bytes)",
                               file.size);
    return 0;
}

/* Segment `index`, of those whose places count from `area`. */
static struct sl_bytes segment_at(struct sl_flatbuf *fb, const struct sl_flatbuf_vector *segments,
                                  uint32_t index, struct sl_bytes area)
{
    if (index >= segments->count) {
        sl_flatbuf_fail(fb, SL_E_FORMAT, segments->at, "there is no segment %" PRIu32, index);
        return (struct sl_bytes){0};
    }
    struct sl_flatbuf_table table = sl_flatbuf_element(fb, segments, index, "DataSegment");
    uint64_t offset = sl_flatbuf_u64(fb, &table, SEGMENT_OFFSET, 0);
    uint64_t size = sl_flatbuf_u64(fb, &table, SEGMENT_SIZE, 0);
    if (fb->error == 0 && !sl_range_ok(offset, size, area.size))
        sl_flatbuf_fail(fb, SL_E_TRUNCATED, table.at,
                        "segment %" PRIu32 " reaches past the end of the file", index);
    return fb->error == 0 ? (struct sl_bytes){area.data + offset, (size_t)size}
                          : (struct sl_bytes){0};
}

static void read_layout(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                        struct sl_ptd_entry *entry)
{
    struct sl_tensor_shape shape;
    if (table->at == 0)
        return;
    sl_tensor_shape_read(
        fb, table, (struct sl_tensor_slots){LAYOUT_TYPE, LAYOUT_SIZES, LAYOUT_DIM_ORDER}, &shape);
    if (fb->error == 0 && shape.nbytes != entry->data.size)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a tensor of %" PRIu64 " bytes lies in a segment of %zu", shape.nbytes,
                        entry->data.size);
    entry->is_tensor = true;
    entry->scalar_type = shape.scalar_type;
    entry->rank = shape.rank;
    entry->sizes = shape.sizes;
    entry->dim_order = shape.dim_order;
}

static void read_entries(struct sl_flatbuf *fb, struct sl_bytes area, struct sl_ptd *out)
{
    struct sl_flatbuf_table root = sl_flatbuf_root(fb, 0, "FlatTensor");
    struct sl_flatbuf_vector segments = sl_flatbuf_vector(fb, &root, FLAT_TENSOR_SEGMENTS, 4);
    struct sl_flatbuf_vector named = sl_flatbuf_vector(fb, &root, FLAT_TENSOR_NAMED, 4);
    struct sl_ptd_entry *entries = sl_flatbuf_alloc(fb, named.count, sizeof(*entries));
    for (uint32_t i = 0; i < named.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &named, i, "NamedData");
        uint32_t segment = sl_flatbuf_u32(fb, &table, NAMED_SEGMENT, 0);
        entries[i].key = sl_flatbuf_text(fb, &table, NAMED_KEY);
        if (fb->error == 0 && !entries[i].key)
            sl_flatbuf_fail(fb, SL_E_FORMAT, table.at, "named data %" PRIu32 " has no key", i);
        entries[i].data = segment_at(fb, &segments, segment, area);
        struct sl_flatbuf_table layout = sl_flatbuf_child(fb, &table, NAMED_LAYOUT, "TensorLayout");
        read_layout(fb, &layout, &entries[i]);
    }
    out->entries = entries;
    out->count = named.count;
}

int sl_ptd_parse(struct sl_bytes file, struct sl_ptd *out, struct sl_diag *diag)
{
    struct sl_flatbuf fb = {.data = file.data, .diag = diag};
    struct sl_ptd ptd = {0};
    struct header header;
    int rc = read_header(&fb, file, &header);
    if (rc == 0 && header.at + header.size > SL_FLATBUF_MAX_BYTES)
        rc = sl_flatbuf_fail(&fb, SL_E_LIMIT, HEADER_AT, "the tables are larger than 2 GiB");
    if (rc < 0)
        return rc;
    fb.size = (size_t)(header.at + header.size);
    ptd.pool = sl_arena_new(fb.size * BUDGET_PER_BYTE + BUDGET_BYTES);
    if (!ptd.pool)
        return -ENOMEM;
    fb.pool = ptd.pool;
    read_entries(&fb, (struct sl_bytes){file.data + header.base, file.size - (size_t)header.base},
                 &ptd);
    if (fb.error == 0)
        *out = ptd;
    else
        sl_ptd_fini(&ptd);
    return fb.error;
}

void sl_ptd_fini(struct sl_ptd *ptd)
{
    sl_arena_free(ptd->pool);
    *ptd = (struct sl_ptd){0};
}

const struct sl_ptd_entry *sl_ptd_find(const struct sl_ptd *ptd, const char *key)
{
    for (uint32_t i = 0; i < ptd->count; i++)
        if (strcmp(ptd->entries[i].key, key) == 0)
            return &ptd->entries[i];
    return NULL;
}
