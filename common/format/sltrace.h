/* common/format/sltrace.h: the .sltrace stream: what a run records before any ETDump is made of it.
 *
 * A stream is a sequence of 64-byte records, little-endian, append-only. The first is a HEADER.
 * Names are interned: a NAME record defines an id before any record uses it; OPERAND records do so
 * for the operands of operators. The drainer (never the
 * measured thread) puts a CRC record after at most SL_TRACE_CRC_SPAN others and at the end. A
 * position in the stream is a byte offset, a multiple of 64: what goes over a wire is {stream id,
 * offset, bytes}, and a reader may be given the bytes in any cuts.
 *
 * The format is ours. The ETDump of a variant is a pure function of the stream
 * (common/format/trace_etdump.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/format/operands.h"

struct sl_diag;
struct sl_arena;

enum {
    SL_TRACE_RECORD_BYTES = 64,
    SL_TRACE_VERSION = 2,          /* 1 had operands as words: they are not read, all else is */
    SL_TRACE_CRC_SPAN = 255,       /* records that one CRC record covers at most */
    SL_TRACE_NAME_PART_BYTES = 48, /* text in one NAME record; longer names go on in the next */
    SL_TRACE_MAX_NAME_BYTES = 4096,
    SL_TRACE_MAX_NAMES = 1 << 20,
};
#define SL_TRACE_MAGIC "SLTRACE1"

enum sl_trace_kind {
    SL_TRACE_HEADER = 1,
    SL_TRACE_NAME = 2,    /* defines a name id */
    SL_TRACE_META = 3,    /* one fact: key and either an integer or a text */
    SL_TRACE_BLOCK = 4,   /* a variant's block (RunData) opens; it lasts until its next */
    SL_TRACE_EVENT = 5,   /* an event that has ended; children precede parents */
    SL_TRACE_STALL = 6,   /* the run waited outside measured windows for room in the ring */
    SL_TRACE_CRC = 7,     /* CRC-32C of the records since the last CRC record or the start */
    SL_TRACE_END = 8,     /* the recorder closed the stream; nothing but a CRC follows */
    SL_TRACE_OPERAND = 9, /* one operand of those that an id stands for; the output is the last */
};

/* The unit of every start and end in the stream. */
enum sl_trace_unit {
    SL_TRACE_NS = 1,           /* nanoseconds of the monotonic clock since process start */
    SL_TRACE_MARKS = 2,        /* ordinals of counting marks; host/device/count_log resolves them */
    SL_TRACE_INSTRUCTIONS = 3, /* executed since the first mark, tracing's own left out */
};

enum sl_trace_event_kind {
    SL_TRACE_FRAMEWORK = 0, /* Method::execute and the like: chain -1 */
    SL_TRACE_OPERATOR = 1,  /* native_call_*, OPERATOR_CALL, DELEGATE_CALL ... */
    SL_TRACE_DELEGATE = 2,  /* inside a delegate; its name is the delegate's string id */
};

enum { SL_TRACE_BLOCK_WARMUP = 1 }; /* flag of a BLOCK: not to be compared */
enum { SL_TRACE_PACKING = 1 };      /* flag of a HEADER of INSTRUCTIONS: events say their packing */
#define SL_TRACE_NO_NODE UINT32_MAX

/* All kinds share the first eight bytes. In memory a record is its wire form (both ends are
 * little-endian). */
struct sl_trace_record {
    uint8_t kind; /* enum sl_trace_kind */
    uint8_t flags;
    uint16_t variant; /* index of the plan that ran; 0 where there is one only */
    uint32_t name;    /* name id; ids start at 1, 0 is none. NAME, OPERAND: the id defined */
    union {
        struct {
            char magic[8]; /* SL_TRACE_MAGIC without terminator */
            uint16_t version;
            uint16_t record_bytes;
            uint32_t unit;   /* enum sl_trace_unit */
            uint64_t stream; /* id of the stream */
        } header;
        struct {
            uint16_t total_bytes; /* of the whole name */
            uint16_t part_offset; /* of this part in it; parts come in order, one after the other */
            uint32_t reserved;
            char text[SL_TRACE_NAME_PART_BYTES];
        } part;
        struct {
            uint32_t index, count; /* this one of so many, which come in order */
            uint64_t macs;         /* of the operator: the same in all of them */
            struct sl_dims dims;   /* of rank 0 if it is the output of an operator without one */
            uint32_t reserved;
        } operand;
        struct {
            int64_t integer;
            uint32_t text; /* name id, or 0: `integer` counts */
        } meta;
        struct {
            uint32_t iteration; /* of this variant, from 0; UINT32_MAX for a load block */
            uint32_t pair;      /* index in the pair schedule */
        } block;
        struct {
            int32_t chain, instruction; /* -1, 0 for framework events */
            uint64_t start, end;        /* in the header's unit */
            uint32_t kernel;            /* name id of the kernel that ran, or 0 */
            uint32_t
                origin;    /* name id of the serialized node's kind ("Conv2d") or operator, or 0 */
            uint32_t node; /* position of that node in its delegate, or SL_TRACE_NO_NODE */
            uint32_t operands; /* id that OPERAND records define, or 0 */
            uint32_t order;    /* ordinal of the event's begin within its block */
            uint32_t event;    /* enum sl_trace_event_kind */
            /* The part of end - start that laid operands out for products, children's included. */
            uint64_t packing;
        } event;
        struct {
            uint64_t start, end;
        } stall;
        struct {
            uint32_t crc;
            uint32_t records; /* covered */
            uint64_t offset;  /* of the first of them */
        } crc;
        struct {
            uint64_t events; /* written in the whole stream */
            uint64_t stalls;
        } end;
        uint8_t bytes[56];
    };
};
_Static_assert(sizeof(struct sl_trace_record) == SL_TRACE_RECORD_BYTES, "a record is 64 bytes");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are used in place");

/* Everything of a stream, checked and resolved. */
struct sl_trace {
    int unit;         /* enum sl_trace_unit */
    uint32_t version; /* of the stream */
    uint64_t stream;
    uint32_t name_count; /* ids 1..name_count; names[0] is "" */
    const char *const *names;
    uint32_t operands_count; /* ids 1..operands_count; operands[0] is not used */
    const struct sl_operands *operands;
    size_t record_count; /* META, BLOCK, EVENT and STALL records, in order */
    const struct sl_trace_record *records;
    bool ended;   /* an END record was seen: nothing is missing */
    bool packing; /* events say what packing they hold; else theirs is 0 and means nothing */
    struct sl_arena *pool;
};

/* Reads a whole stream. A stream cut off at any byte is read up to the last whole CRC span (`ended`
 * is then false and `diag`, if given, says what was lost); a damaged span, an undefined name id or
 * a bad header is an error. Returns 0, SL_E_FORMAT, SL_E_TRUNCATED (not even a header span),
 * SL_E_LIMIT or -ENOMEM. End with sl_trace_fini(). */
int sl_trace_parse(struct sl_bytes stream, struct sl_trace *out, struct sl_diag *diag);
void sl_trace_fini(struct sl_trace *trace);

/* The META fact by key: the text or the integer; false if absent or of the other kind. The last one
 * counts. */
bool sl_trace_meta_text(const struct sl_trace *trace, const char *key, const char **out);
bool sl_trace_meta_integer(const struct sl_trace *trace, const char *key, int64_t *out);
