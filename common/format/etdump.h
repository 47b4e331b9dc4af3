/* common/format/etdump.h: reader and writer of ETDump files (identifier ED00).
 * Source of the format: ExecuTorch 1.5 devtools/etdump/etdump_schema_flatcc.fbs and
 * etdump_flatcc.cpp. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_buf;
struct sl_diag;
struct sl_arena;

enum sl_etdump_event_kind { SL_ETDUMP_PROFILE = 0, SL_ETDUMP_ALLOCATION = 1, SL_ETDUMP_DEBUG = 2 };

/* One event. Texts are borrowed from the file's bytes and are not terminated: use the lengths. */
struct sl_etdump_event {
    int kind;         /* enum sl_etdump_event_kind */
    const char *name; /* NULL when absent (delegate events) */
    uint32_t name_len;
    const char *delegate_id; /* delegate_debug_id_str; NULL when absent */
    uint32_t delegate_id_len;
    int32_t delegate_id_int; /* -1 when absent */
    int64_t chain_index;
    int32_t instruction_id;   /* -1 when absent */
    uint64_t start, end;      /* in the unit of the file's clock */
    struct sl_bytes metadata; /* delegate_debug_metadata */
    bool has_metadata;        /* an empty vector is not an absent one */
    uint64_t allocation_size; /* ALLOCATION */
    int32_t allocator_id;
    uint32_t value_offset; /* DEBUG: file offset of the Value table, 0 when absent */
    bool program_output;   /* DEBUG: the value is one of the method's outputs */
};

struct sl_etdump_run {
    const char *name; /* NULL when absent */
    uint32_t name_len;
    int32_t bundled_input_index; /* -1: none */
    bool has_events;             /* an absent vector is not an empty one */
    uint32_t event_count;        /* of those that can be read */
    uint32_t lost_events;        /* of a salvaged file: those that cannot */
    /* One of: events made by hand; where the Event tables of a file lie, or the vector that says
     * so. sl_etdump_event_read() knows. */
    const struct sl_etdump_event *events;
    const uint8_t *data;
    const uint32_t *tables;
    uint32_t vector;
};

struct sl_etdump {
    struct sl_bytes file; /* borrowed; must outlive this */
    bool size_prefixed;
    uint32_t version;
    uint32_t run_count;
    const struct sl_etdump_run *runs;
    struct sl_arena *pool; /* owns every array above */
};

/* The losses of a damaged file. */
struct sl_etdump_loss {
    uint64_t missing_bytes; /* that the file should have behind its end */
    uint32_t runs, events;  /* that stand in it and cannot be read */
    char first[256];        /* what was wrong first, and where; empty: nothing */
};

/* Checks a whole file, size-prefixed or not; events are decoded when they are read, so that memory
 * is a small share of file.size. End with sl_etdump_fini(). Returns 0, SL_E_FORMAT,
 * SL_E_TRUNCATED, SL_E_LIMIT or -ENOMEM. */
int sl_etdump_parse(struct sl_bytes file, struct sl_etdump *out, struct sl_diag *diag);

/* The same, but leaves out what cannot be read and says so. Fails only where nothing can be. */
int sl_etdump_salvage(struct sl_bytes file, struct sl_etdump *out, struct sl_etdump_loss *out_loss,
                      struct sl_diag *diag);
void sl_etdump_fini(struct sl_etdump *etdump);

/* Event `i` of a run, below event_count: `room` filled, or the one made by hand. */
const struct sl_etdump_event *sl_etdump_event_read(const struct sl_etdump_run *run, uint32_t i,
                                                   struct sl_etdump_event *room);

/* The writer gives the bytes that ExecuTorch's ETDumpGen gives for the same calls in the same order
 * (specs: flatcc builds back to front, so nothing is complete before sl_etdump_writer_finish()). */
struct sl_etdump_writer;

int sl_etdump_writer_new(struct sl_etdump_writer **out);

/* Makes room for a file of about so many bytes: sl_flatbuild_reserve(). */
void sl_etdump_writer_reserve(struct sl_etdump_writer *writer, size_t bytes);

void sl_etdump_writer_free(struct sl_etdump_writer *writer);

/* Opens the next block (RunData), closing the one before. `name` of `len` bytes is copied. */
int sl_etdump_writer_block(struct sl_etdump_writer *writer, const char *name, size_t len);

/* Creates the string of an event that has begun; ETDumpGen does so at the begin, so the string
 * stands behind those of events inside it. Puts a reference for sl_etdump_writer_event() to
 * *out_ref. */
int sl_etdump_writer_name(struct sl_etdump_writer *writer, const char *name, size_t len,
                          uint32_t *out_ref);

/* Appends a PROFILE event that has ended: `kind`, chain_index, instruction_id, start, end and
 * metadata of `event` count; its text is `text_ref`: the delegate's string id if `delegate` is set,
 * else the name. */
int sl_etdump_writer_event(struct sl_etdump_writer *writer, const struct sl_etdump_event *event,
                           uint32_t text_ref, bool delegate);

/* Ends the file and moves it to `out`, which is empty. The writer can only be freed afterwards. */
int sl_etdump_writer_finish(struct sl_etdump_writer *writer, struct sl_buf *out);
