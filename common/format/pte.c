/* common/format/pte.c: the file around the plans: header, segments, constants, named data. */
#include "common/format/pte.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/pool.h"
#include "common/format/pte_parts.h"

/* Slots of the schema's tables. */
enum { PROGRAM_PLANS = 1, PROGRAM_CONSTANT_BUFFER = 2, PROGRAM_INLINE_BLOBS = 3 };
enum { PROGRAM_SEGMENTS = 4, PROGRAM_CONSTANTS = 5, PROGRAM_MUTABLE = 6, PROGRAM_NAMED = 7 };
enum { SEGMENT_OFFSET = 0, SEGMENT_SIZE = 1 };
enum { SUBSEGMENT_INDEX = 0, SUBSEGMENT_OFFSETS = 1 };
enum { NAMED_KEY = 0, NAMED_SEGMENT = 1 };

/* The extended header, which follows offset and identifier. */
enum { HEADER_AT = 8, HEADER_MIN_BYTES = 24, HEADER_BYTES = 32 };

/* An unaliased program needs about three times its size in our arrays. */
enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };

struct layout {
    uint64_t program_bytes;
    uint64_t segment_base; /* 0: no segments */
};

static int check_identifier(struct sl_flatbuf *fb, struct sl_bytes file)
{
    if (file.size < 8)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, 0, "the file ends before its identifier");
    const uint8_t *id = file.data + 4;
    if (memcmp(id, "ET12", 4) == 0)
        return 0;
    if (memcmp(id, "BP08", 4) == 0)
        return sl_flatbuf_fail(fb, SL_E_UNSUPPORTED, 4,
                               "this is a bundled program; give the program inside it");
    if (memcmp(id, "ET", 2) == 0)
        return sl_flatbuf_fail(
            fb, SL_E_UNSUPPORTED, 4, "the program has format version %c%c, we read version 12",
            id[2] >= '0' && id[2] <= '9' ? id[2] : '?', id[3] >= '0' && id[3] <= '9' ? id[3] : '?');
    return sl_flatbuf_fail(fb, SL_E_FORMAT, 4,
                           "not an ExecuTorch program: the identifier is not ET12");
}

static int read_header(struct sl_flatbuf *fb, struct sl_bytes file, struct layout *layout)
{
    *layout = (struct layout){.program_bytes = file.size};
    const uint8_t *header = file.data + HEADER_AT;
    uint64_t room = file.size - HEADER_AT;
    if (room < 4 || memcmp(header, "eh00", 4) != 0)
        return 0;
    if (room < HEADER_MIN_BYTES)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT, "the file ends in its header");
    uint32_t header_bytes = sl_load_u32(header + 4);
    if (header_bytes < HEADER_MIN_BYTES)
        return sl_flatbuf_fail(fb, SL_E_FORMAT, HEADER_AT + 4,
                               "a header of %" PRIu32 " bytes is too short", header_bytes);
    if (room < header_bytes)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT, "the file ends in its header");
    *layout = (struct layout){sl_load_u64(header + 8), sl_load_u64(header + 16)};
    uint64_t area = header_bytes >= HEADER_BYTES ? sl_load_u64(header + 24) : 0;
    if (layout->program_bytes > file.size)
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT + 8,
                               "the program has %" PRIu64 " bytes, the file only %zu",
                               layout->program_bytes, file.size);
    if (!sl_range_ok(layout->segment_base, area, file.size))
        return sl_flatbuf_fail(fb, SL_E_TRUNCATED, HEADER_AT + 16,
                               "the segments reach past the end of the file (%zu bytes)",
                               file.size);
    return 0;
}

static void read_segments(struct sl_pte_reader *reader, const struct sl_flatbuf_table *program,
                          uint64_t base)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_bytes file = reader->pte->file;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, program, PROGRAM_SEGMENTS, 4);
    struct sl_pte_segment *segments = sl_flatbuf_alloc(fb, vector.count, sizeof(*segments));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "DataSegment");
        uint64_t offset = sl_flatbuf_u64(fb, &table, SEGMENT_OFFSET, 0);
        uint64_t size = sl_flatbuf_u64(fb, &table, SEGMENT_SIZE, 0);
        if (fb->error != 0)
            return;
        if (base == 0 && size > 0) {
            sl_flatbuf_fail(fb, SL_E_FORMAT, table.at,
                            "there is a segment but no header says where segments begin");
            return;
        }
        if (!sl_range_ok(offset, size, file.size - base)) {
            sl_flatbuf_fail(fb, SL_E_TRUNCATED, table.at,
                            "segment %" PRIu32 " reaches past the end of the file (%zu bytes)", i,
                            file.size);
            return;
        }
        segments[i] =
            (struct sl_pte_segment){base + offset, {file.data + base + offset, (size_t)size}};
    }
    reader->segments = segments;
    reader->segment_count = vector.count;
}

/* A table SubsegmentOffsets: one segment with an offset for each of its entries. */
static void read_subsegment(struct sl_pte_reader *reader, const struct sl_flatbuf_table *table,
                            struct sl_bytes *out_bytes, uint32_t *out_count,
                            const uint64_t **out_offsets)
{
    struct sl_flatbuf *fb = &reader->fb;
    uint32_t segment = sl_flatbuf_u32(fb, table, SUBSEGMENT_INDEX, 0);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, SUBSEGMENT_OFFSETS, 8);
    uint64_t *offsets = sl_flatbuf_alloc(fb, vector.count, sizeof(*offsets));
    if (fb->error != 0 || vector.count == 0)
        return;
    struct sl_bytes bytes = {0};
    if (segment < reader->segment_count)
        bytes = reader->segments[segment].bytes;
    else if (vector.count > 1)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "there is no segment %" PRIu32, segment);
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        offsets[i] = sl_load_u64(fb->data + vector.at + 8 * (size_t)i);
        if (offsets[i] > bytes.size)
            sl_flatbuf_fail(fb, SL_E_FORMAT, vector.at + 8 * (uint64_t)i,
                            "constant %" PRIu32 " begins past the end of its segment", i);
    }
    *out_bytes = bytes;
    *out_count = vector.count;
    *out_offsets = offsets;
}

static void read_constants(struct sl_pte_reader *reader, const struct sl_flatbuf_table *program)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_pte *pte = reader->pte;
    struct sl_flatbuf_table constants =
        sl_flatbuf_child(fb, program, PROGRAM_CONSTANTS, "SubsegmentOffsets");
    read_subsegment(reader, &constants, &pte->constants, &pte->constant_count,
                    &pte->constant_offsets);
    /* Entry 0 is the only one that the runtime uses. */
    struct sl_flatbuf_vector states = sl_flatbuf_vector(fb, program, PROGRAM_MUTABLE, 4);
    if (states.count > 0) {
        struct sl_flatbuf_table state = sl_flatbuf_element(fb, &states, 0, "SubsegmentOffsets");
        read_subsegment(reader, &state, &pte->mutable_data, &pte->mutable_count,
                        &pte->mutable_offsets);
    }
    reader->inline_constants = sl_flatbuf_vector(fb, program, PROGRAM_CONSTANT_BUFFER, 4).count > 1;
}

static uint64_t start_of(const char *key)
{
    uint64_t start = 0;
    strncpy((char *)&start, key, sizeof(start)); /* no text: compared alone */
    return start;
}

static unsigned bucket_of(uint64_t start)
{
    return (unsigned)(start * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SL_PTE_NAMED_BUCKETS;
}

static void read_named(struct sl_pte_reader *reader, const struct sl_flatbuf_table *program)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, program, PROGRAM_NAMED, 4);
    struct sl_pte_named_data *named = sl_flatbuf_alloc(fb, vector.count, sizeof(*named));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "NamedData");
        uint32_t segment = sl_flatbuf_u32(fb, &table, NAMED_SEGMENT, 0);
        named[i].key = sl_flatbuf_text(fb, &table, NAMED_KEY);
        if (fb->error == 0 && (!named[i].key || segment >= reader->segment_count))
            sl_flatbuf_fail(fb, SL_E_FORMAT, table.at,
                            "named data %" PRIu32 " has no key or names no segment", i);
        if (fb->error != 0)
            break;
        named[i].data = reader->segments[segment].bytes;
        named[i].start = start_of(named[i].key);
    }
    for (uint32_t i = vector.count; i > 0 && fb->error == 0; i--) { /* of equal keys the first */
        uint32_t *first = &reader->pte->named_first[bucket_of(named[i - 1].start)];
        named[i - 1].next = *first;
        *first = i;
    }
    reader->pte->named = named;
    reader->pte->named_count = vector.count;
}

static void read_program(struct sl_pte_reader *reader, uint64_t segment_base)
{
    struct sl_flatbuf *fb = &reader->fb;
    struct sl_flatbuf_table program = sl_flatbuf_root(fb, 0, "Program");
    read_segments(reader, &program, segment_base);
    read_constants(reader, &program);
    read_named(reader, &program);
    reader->inline_blobs = sl_flatbuf_vector(fb, &program, PROGRAM_INLINE_BLOBS, 4);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, &program, PROGRAM_PLANS, 4);
    struct sl_pte_plan *plans = sl_flatbuf_alloc(fb, vector.count, sizeof(*plans));
    if (fb->error == 0 && vector.count == 0)
        sl_flatbuf_fail(fb, SL_E_FORMAT, program.at, "the program has no method");
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "ExecutionPlan");
        sl_pte_read_plan(reader, &table, &plans[i]);
    }
    reader->pte->plans = plans;
    reader->pte->plan_count = vector.count;
}

int sl_pte_parse(struct sl_bytes file, struct sl_pte *out, struct sl_diag *diag)
{
    struct sl_pte pte = {.file = file};
    struct sl_pte_reader reader = {.fb = {.data = file.data, .diag = diag}, .pte = &pte};
    struct layout layout;
    int rc = check_identifier(&reader.fb, file);
    if (rc == 0)
        rc = read_header(&reader.fb, file, &layout);
    if (rc == 0 && layout.program_bytes > SL_FLATBUF_MAX_BYTES)
        rc = sl_flatbuf_fail(&reader.fb, SL_E_LIMIT, HEADER_AT, "the program is larger than 2 GiB");
    if (rc < 0)
        return rc;
    reader.fb.size = (size_t)layout.program_bytes;
    pte.pool = sl_pool_new(reader.fb.size * BUDGET_PER_BYTE + BUDGET_BYTES);
    if (!pte.pool)
        return -ENOMEM;
    reader.fb.pool = pte.pool;
    read_program(&reader, layout.segment_base);
    if (reader.fb.error == 0)
        *out = pte;
    else
        sl_pte_fini(&pte);
    return reader.fb.error;
}

void sl_pte_fini(struct sl_pte *pte)
{
    sl_pool_free(pte->pool);
    *pte = (struct sl_pte){0};
}

const struct sl_pte_plan *sl_pte_find_plan(const struct sl_pte *pte, const char *name)
{
    for (uint32_t i = 0; i < pte->plan_count; i++) {
        if (!name || *name == '\0' || strcmp(pte->plans[i].name, name) == 0)
            return &pte->plans[i];
    }
    return NULL;
}

int sl_pte_constant(const struct sl_pte *pte, uint32_t data_buffer_idx, uint64_t nbytes,
                    const uint8_t **out_data)
{
    if (data_buffer_idx == 0 || data_buffer_idx >= pte->constant_count ||
        !sl_range_ok(pte->constant_offsets[data_buffer_idx], nbytes, pte->constants.size))
        return SL_E_FORMAT;
    *out_data = pte->constants.data + pte->constant_offsets[data_buffer_idx];
    return 0;
}

int sl_pte_find_named(const struct sl_pte *pte, const char *key, struct sl_bytes *out)
{
    const uint64_t start = start_of(key);
    for (uint32_t i = pte->named_first[bucket_of(start)]; i != 0; i = pte->named[i - 1].next) {
        const struct sl_pte_named_data *named = &pte->named[i - 1];
        if (named->start == start && strcmp(named->key, key) == 0) {
            *out = named->data;
            return 0;
        }
    }
    return SL_E_NOT_FOUND;
}
