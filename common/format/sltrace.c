/* common/format/sltrace.c */
#include "common/format/sltrace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/crc32c.h"
#include "common/base/error.h"

enum { BYTES = SL_TRACE_RECORD_BYTES, MAX_VARIANTS = UINT16_MAX + 1 };

struct reader {
    struct sl_bytes stream;
    struct sl_trace *trace;
    struct sl_diag *diag;
    const char **names;              /* trace->names while it grows */
    struct sl_trace_record *records; /* trace->records likewise */
    struct sl_operands *operands;    /* trace->operands likewise */
    uint32_t operand_have;           /* of operands that are still coming; 0: none are */
    uint32_t operand_count;          /* with the output */
    char *part;                      /* a name whose parts are still coming, or NULL */
    uint32_t part_total, part_have;
    uint64_t events, stalls;
    uint8_t blocks[MAX_VARIANTS / 8]; /* bit set: the variant has a block */
};

__attribute__((format(printf, 4, 5))) static int fail(struct sl_diag *diag, int code,
                                                      uint64_t offset, const char *what, ...)
{
    char where[32], words[192];
    va_list args;
    va_start(args, what);
    vsnprintf(words, sizeof(words), what, args);
    va_end(args);
    snprintf(where, sizeof(where), "byte %" PRIu64, offset);
    return sl_diag_set(diag, code, where, "%s", words);
}

static struct sl_trace_record record_at(struct sl_bytes stream, size_t offset)
{
    struct sl_trace_record record;
    memcpy(&record, stream.data + offset, sizeof(record));
    return record;
}

static int check_header(struct sl_bytes stream, struct sl_trace *trace, struct sl_diag *diag)
{
    struct sl_trace_record record = {0};
    if (stream.size >= 8 + sizeof(record.header.magic) &&
        memcmp(stream.data + 8, SL_TRACE_MAGIC, sizeof(record.header.magic)) != 0)
        return fail(diag, SL_E_FORMAT, 0, "not a trace: it does not begin with " SL_TRACE_MAGIC);
    if (stream.size < BYTES)
        return fail(diag, SL_E_TRUNCATED, stream.size, "the trace ends in its header");
    record = record_at(stream, 0);
    if (record.kind != SL_TRACE_HEADER || record.header.record_bytes != BYTES)
        return fail(diag, SL_E_FORMAT, 0, "the trace's header is damaged");
    if (record.header.version == 0 || record.header.version > SL_TRACE_VERSION)
        return fail(diag, SL_E_FORMAT, 0, "the trace has version %u, we read versions up to %d",
                    record.header.version, SL_TRACE_VERSION);
    if (record.header.unit < SL_TRACE_NS || record.header.unit > SL_TRACE_INSTRUCTIONS)
        return fail(diag, SL_E_FORMAT, 0, "the trace has unknown unit of time %" PRIu32,
                    record.header.unit);
    if ((record.flags & SL_TRACE_PACKING) && record.header.unit != SL_TRACE_INSTRUCTIONS)
        return fail(diag, SL_E_FORMAT, 0, "the trace tells packing apart, but counts nothing");
    trace->unit = (int)record.header.unit;
    trace->packing = (record.flags & SL_TRACE_PACKING) != 0;
    trace->version = record.header.version;
    trace->stream = record.header.stream;
    return 0;
}

/* Checks every span's CRC. Puts the bytes up to the end of the last whole span to *out_sealed. */
static int check_spans(struct sl_bytes stream, size_t *out_sealed, struct sl_diag *diag)
{
    size_t begin = 0;
    for (size_t at = 0; stream.size - at >= BYTES; at += BYTES) {
        size_t records = (at - begin) / BYTES;
        if (stream.data[at] != SL_TRACE_CRC) {
            if (records >= SL_TRACE_CRC_SPAN)
                return fail(diag, SL_E_FORMAT, at, "a span of records has no CRC record");
            continue;
        }
        /* Compared as a whole, so that no flipped bit of it goes unnoticed either. */
        struct sl_trace_record crc = {.kind = SL_TRACE_CRC};
        crc.crc.crc = sl_crc32c(0, stream.data + begin, at - begin);
        crc.crc.records = (uint32_t)records;
        crc.crc.offset = begin;
        if (records == 0 || memcmp(stream.data + at, &crc, sizeof(crc)) != 0)
            return fail(diag, SL_E_FORMAT, begin, "the %zu records up to byte %zu are damaged",
                        records, at);
        begin = at + BYTES;
    }
    *out_sealed = begin;
    return begin != 0 ? 0
                      : fail(diag, SL_E_TRUNCATED, stream.size,
                             "the trace ends before its first CRC record");
}

static int read_name(struct reader *reader, const struct sl_trace_record *record, size_t at)
{
    struct sl_trace *trace = reader->trace;
    if (!reader->part) {
        uint32_t total = record->part.total_bytes;
        if (record->name != trace->name_count + 1 || trace->name_count == SL_TRACE_MAX_NAMES ||
            total > SL_TRACE_MAX_NAME_BYTES)
            return fail(reader->diag, SL_E_FORMAT, at,
                        "name %" PRIu32 " is out of turn or too long", record->name);
        void *text = NULL;
        int rc = sl_arena_alloc(trace->pool, total + 1, 1, &text);
        if (rc < 0)
            return rc;
        reader->part = text;
        reader->part_total = total;
        reader->part_have = 0;
    }
    if (record->name != trace->name_count + 1 || record->part.total_bytes != reader->part_total ||
        record->part.part_offset != reader->part_have)
        return fail(reader->diag, SL_E_FORMAT, at, "a part of name %" PRIu32 " is missing",
                    trace->name_count + 1);
    uint32_t len = reader->part_total - reader->part_have;
    if (len > SL_TRACE_NAME_PART_BYTES)
        len = SL_TRACE_NAME_PART_BYTES;
    if (len != 0 && memchr(record->part.text, '\0', len))
        return fail(reader->diag, SL_E_FORMAT, at, "name %" PRIu32 " holds a zero byte",
                    record->name);
    memcpy(reader->part + reader->part_have, record->part.text, len);
    reader->part_have += len;
    if (reader->part_have == reader->part_total) {
        reader->names[++trace->name_count] = reader->part;
        reader->part = NULL;
    }
    return 0;
}

/* Operands in order, the output last. */
static int read_operand(struct reader *reader, const struct sl_trace_record *record, size_t at)
{
    struct sl_trace *trace = reader->trace;
    struct sl_operands *o = &reader->operands[trace->operands_count + 1];
    uint32_t count = record->operand.count, index = record->operand.index;
    if (index == 0) {
        reader->operand_count = count;
        *o = (struct sl_operands){.macs = record->operand.macs};
    }
    bool last = index + 1 == count;
    if (trace->version < 2 || record->name != trace->operands_count + 1 ||
        index != reader->operand_have || count != reader->operand_count || count == 0 ||
        count > SL_OPERANDS_MAX + 1 || record->operand.macs != o->macs ||
        record->operand.dims.rank > SL_OPERANDS_RANK || (!last && record->operand.dims.rank == 0))
        return fail(reader->diag, SL_E_FORMAT, at, "an operand of id %" PRIu32 " is damaged",
                    record->name);
    *(last ? &o->out : &o->in[index]) = record->operand.dims;
    o->count = last ? index : 0;
    reader->operand_have = last ? 0 : index + 1;
    trace->operands_count += last;
    return 0;
}

static bool defined(const struct sl_trace *trace, uint32_t id)
{
    return id <= trace->name_count;
}

static int read_event(struct reader *reader, const struct sl_trace_record *record, size_t at)
{
    const struct sl_trace *trace = reader->trace;
    if (record->name == 0 || !defined(trace, record->name) ||
        !defined(trace, record->event.kernel) || !defined(trace, record->event.origin) ||
        (trace->version < 2 && !defined(trace, record->event.operands)))
        return fail(reader->diag, SL_E_FORMAT, at, "an event uses a name that is not defined");
    if (trace->version >= 2 && record->event.operands > trace->operands_count)
        return fail(reader->diag, SL_E_FORMAT, at, "an event uses operands that are not defined");
    if (record->event.event > SL_TRACE_DELEGATE)
        return fail(reader->diag, SL_E_FORMAT, at, "an event has unknown kind %" PRIu32,
                    record->event.event);
    if (trace->packing && record->event.packing > record->event.end - record->event.start)
        return fail(reader->diag, SL_E_FORMAT, at, "an event holds more packing than it lasts");
    if ((reader->blocks[record->variant / 8] >> record->variant % 8 & 1) == 0)
        return fail(reader->diag, SL_E_FORMAT, at, "an event lies outside every block");
    reader->events++;
    return 0;
}

/* One record but HEADER and CRC. */
static int read_record(struct reader *reader, const struct sl_trace_record *record, size_t at)
{
    struct sl_trace *trace = reader->trace;
    int rc = 0;
    if (trace->ended)
        return fail(reader->diag, SL_E_FORMAT, at, "a record follows the end");
    if (reader->operand_have != 0 && record->kind != SL_TRACE_OPERAND)
        return fail(reader->diag, SL_E_FORMAT, at, "operands of id %" PRIu32 " are missing",
                    trace->operands_count + 1);
    if (record->kind == SL_TRACE_NAME)
        return read_name(reader, record, at);
    if (reader->part)
        return fail(reader->diag, SL_E_FORMAT, at, "a part of name %" PRIu32 " is missing",
                    trace->name_count + 1);
    switch (record->kind) {
    case SL_TRACE_OPERAND:
        return read_operand(reader, record, at);
    case SL_TRACE_META:
        if (record->name == 0 || !defined(trace, record->name) ||
            !defined(trace, record->meta.text))
            rc = fail(reader->diag, SL_E_FORMAT, at, "a fact uses a name that is not defined");
        break;
    case SL_TRACE_BLOCK:
        if (record->name == 0 || !defined(trace, record->name))
            rc = fail(reader->diag, SL_E_FORMAT, at, "a block uses a name that is not defined");
        reader->blocks[record->variant / 8] |= (uint8_t)(1 << record->variant % 8);
        break;
    case SL_TRACE_EVENT:
        rc = read_event(reader, record, at);
        break;
    case SL_TRACE_STALL:
        reader->stalls++;
        break;
    case SL_TRACE_END:
        trace->ended = true;
        if (record->end.events != reader->events || record->end.stalls != reader->stalls)
            rc = fail(reader->diag, SL_E_FORMAT, at,
                      "the end counts %" PRIu64 " events and %" PRIu64 " stalls, not %" PRIu64
                      " and %" PRIu64,
                      record->end.events, record->end.stalls, reader->events, reader->stalls);
        return rc;
    default:
        return fail(reader->diag, SL_E_FORMAT, at, "a record has unknown kind %u", record->kind);
    }
    if (rc < 0)
        return rc;
    reader->records[trace->record_count] = *record;
    if (record->kind == SL_TRACE_EVENT && trace->version < 2)
        reader->records[trace->record_count].event.operands = 0; /* the id of words */
    trace->record_count++;
    return 0;
}

static int read_all(struct reader *reader, size_t sealed)
{
    struct sl_trace *trace = reader->trace;
    size_t counts[UINT8_MAX + 1] = {0};
    void *names = NULL, *records = NULL, *operands = NULL;
    for (size_t at = 0; at < sealed; at += BYTES)
        counts[reader->stream.data[at]]++;
    size_t kept = counts[SL_TRACE_META] + counts[SL_TRACE_BLOCK] + counts[SL_TRACE_EVENT] +
                  counts[SL_TRACE_STALL];
    int rc = sl_arena_alloc(trace->pool, counts[SL_TRACE_NAME] + 1, sizeof(*reader->names), &names);
    if (rc == 0)
        rc = sl_arena_alloc(trace->pool, kept, sizeof(*reader->records), &records);
    if (rc == 0)
        rc = sl_arena_alloc(trace->pool, counts[SL_TRACE_OPERAND] + 2, sizeof(*reader->operands),
                            &operands);
    if (rc < 0)
        return rc;
    reader->names = names;
    reader->records = records;
    reader->operands = operands;
    reader->names[0] = "";
    trace->names = reader->names;
    trace->records = reader->records;
    trace->operands = reader->operands;
    for (size_t at = BYTES; at < sealed && rc == 0; at += BYTES) {
        if (reader->stream.data[at] == SL_TRACE_CRC)
            continue;
        struct sl_trace_record record = record_at(reader->stream, at);
        rc = read_record(reader, &record, at);
    }
    return rc;
}

int sl_trace_parse(struct sl_bytes stream, struct sl_trace *out, struct sl_diag *diag)
{
    struct sl_trace trace = {0};
    struct reader reader = {.stream = stream, .trace = &trace, .diag = diag};
    size_t sealed = 0;
    int rc = check_header(stream, &trace, diag);
    if (rc == 0)
        rc = check_spans(stream, &sealed, diag);
    if (rc < 0)
        return rc;
    /* Kept records are as large as in the stream; a name takes its pointer and text, an operand at
     * most all that an operator has. Long names announced and not delivered are what the rest is
     * for. */
    trace.pool =
        sl_arena_new(8 * sealed + SL_TRACE_MAX_NAME_BYTES + 1 + 2 * sizeof(struct sl_operands));
    if (!trace.pool)
        return -ENOMEM;
    rc = read_all(&reader, sealed);
    if (rc < 0) {
        sl_trace_fini(&trace);
        return rc;
    }
    if (sealed < stream.size)
        fail(diag, 0, sealed, "the last %zu bytes of the trace are lost: no CRC record covers them",
             stream.size - sealed);
    else if (!trace.ended)
        fail(diag, 0, sealed, "the trace has no end record: its writer was stopped");
    *out = trace;
    return 0;
}

void sl_trace_fini(struct sl_trace *trace)
{
    sl_arena_free(trace->pool);
    *trace = (struct sl_trace){0};
}

/* The last META record of `key`, or NULL. */
static const struct sl_trace_record *find_meta(const struct sl_trace *trace, const char *key)
{
    for (size_t i = trace->record_count; i-- > 0;) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind == SL_TRACE_META && strcmp(trace->names[record->name], key) == 0)
            return record;
    }
    return NULL;
}

bool sl_trace_meta_text(const struct sl_trace *trace, const char *key, const char **out)
{
    const struct sl_trace_record *record = find_meta(trace, key);
    if (!record || record->meta.text == 0)
        return false;
    *out = trace->names[record->meta.text];
    return true;
}

bool sl_trace_meta_integer(const struct sl_trace *trace, const char *key, int64_t *out)
{
    const struct sl_trace_record *record = find_meta(trace, key);
    if (!record || record->meta.text != 0)
        return false;
    *out = record->meta.integer;
    return true;
}
