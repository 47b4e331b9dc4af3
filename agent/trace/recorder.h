/* agent/trace/recorder.h: records what the measured thread does, as trace records in a ring.
 *
 * One thread. A NULL recorder is "tracing off" and costs one predictable branch a call. No call
 * blocks, allocates or enters the kernel (but for the clock) while an iteration runs:
 * sl_recorder_ready() is asked before it starts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/trace/marks.h"

struct sl_operands;
struct sl_ring;
struct sl_recorder;

/* The description of an event, prepared at load, one for each event of a plan. */
struct sl_trace_label {
    uint32_t name;     /* of sl_recorder_name(); for delegate events with its " #n" */
    uint32_t kernel;   /* name of the kernel that runs, or 0 */
    uint32_t origin;   /* name of the serialized node's kind or the operator's full name, or 0 */
    uint32_t node;     /* position of that node, or SL_TRACE_NO_NODE */
    uint32_t operands; /* of sl_recorder_operands(), or 0 */
    int32_t chain, instruction; /* -1, 0 for framework events */
    uint32_t event;             /* enum sl_trace_event_kind */
};

/* An event that has begun. */
struct sl_trace_span {
    uint64_t start;
    uint32_t order;
    uint32_t outer; /* name of the event that it began in, 0: none */
};

/* `unit` is SL_TRACE_NS (since this call) or SL_TRACE_MARKS (counted clock: begin and end are marks
 * in the emulator's log). Writes the HEADER. `ring` is borrowed; `stream` names the stream. 0,
 * -EINVAL for another unit, SL_E_FULL or -ENOMEM. */
int sl_recorder_new(struct sl_ring *ring, int unit, uint64_t stream, struct sl_recorder **out);
void sl_recorder_free(struct sl_recorder *recorder);

/* Called whenever the recorder needs room outside measured windows (names, facts, blocks, waiting
 * to be ready): the owner drains the ring in it, or waits for its parent to. NULL: wait by yielding
 * the processor. */
void sl_recorder_on_full(struct sl_recorder *recorder, void (*drain)(void *user), void *user);

/* Interns a name: the same text gives the same id. Outside measured windows only. 0 for a NULL
 * recorder, NULL text, or when out of memory (which sl_recorder_error() then reports). */
uint32_t sl_recorder_name(struct sl_recorder *recorder, const char *text);
/* The same of operands that are finished (common/format/operands.h). */
uint32_t sl_recorder_operands(struct sl_recorder *recorder, const struct sl_operands *operands);
void sl_recorder_meta_text(struct sl_recorder *recorder, const char *key, const char *value);
void sl_recorder_meta_integer(struct sl_recorder *recorder, const char *key, int64_t value);

/* Opens a block of a variant: "Default" for loading (iteration UINT32_MAX), "Execute" for each
 * execution. */
void sl_recorder_block(struct sl_recorder *recorder, uint32_t name, uint16_t variant,
                       uint32_t iteration, uint32_t pair, bool warmup);

/* Waits until the ring has room for `events` records; a wait is recorded as a STALL. Call before
 * each measured window. SL_E_LIMIT if the ring could never hold them. */
int sl_recorder_ready(struct sl_recorder *recorder, size_t events);

/* For the two functions below only: between their pause and resume. */
void sl_recorder_begin_slow(struct sl_recorder *recorder, struct sl_trace_span *span,
                            const struct sl_trace_label *label);
void sl_recorder_end_slow(struct sl_recorder *recorder, const struct sl_trace_span *span,
                          const struct sl_trace_label *label);

/* Until it ends, the ring's other side finds the label's name if this process dies. */
static inline void sl_recorder_begin(struct sl_recorder *recorder, struct sl_trace_span *span,
                                     const struct sl_trace_label *label)
{
    if (__builtin_expect(recorder != 0, 0)) {
        sl_mark_pause(); /* before the call, so that not even its prologue is counted */
        sl_recorder_begin_slow(recorder, span, label);
        sl_mark_resume();
    }
}

static inline void sl_recorder_end(struct sl_recorder *recorder, const struct sl_trace_span *span,
                                   const struct sl_trace_label *label)
{
    if (__builtin_expect(recorder != 0, 0)) {
        sl_mark_pause();
        sl_recorder_end_slow(recorder, span, label);
        sl_mark_resume();
    }
}

/* For a runtime that is not ours, which tells of events in its own order (agent/executorch). The
 * first four come between a pause and its resume that the caller makes: they stamp the clock, and
 * intern the name of what begins, where the ring's other side finds it if this process dies. The
 * record of the event is written outside measured windows, when its names are known. */
uint64_t sl_recorder_stamp_begin(struct sl_recorder *recorder);
uint64_t sl_recorder_stamp_end(struct sl_recorder *recorder);
uint32_t sl_recorder_enter(struct sl_recorder *recorder, const char *text);
void sl_recorder_enter_name(struct sl_recorder *recorder, uint32_t name);

/* An event that is over: when it was, and the ordinal of its begin within its block. */
struct sl_trace_past {
    uint64_t start, end;
    uint32_t order;
};
void sl_recorder_event(struct sl_recorder *recorder, const struct sl_trace_label *label,
                       const struct sl_trace_past *past);

/* The clock, for a recorder of another process that goes on with it while this one waits. */
struct sl_recorder_clock {
    int unit; /* SL_TRACE_NS or SL_TRACE_MARKS */
    uint64_t base;
};
struct sl_recorder_clock sl_recorder_get_clock(const struct sl_recorder *recorder);
void sl_recorder_set_clock(struct sl_recorder *recorder, struct sl_recorder_clock clock);

/* Writes the END record. */
void sl_recorder_finish(struct sl_recorder *recorder);
/* The first failure since creation (-ENOMEM, SL_E_LIMIT, SL_E_FULL: an event found no slot and was
 * counted as lost), or 0. */
int sl_recorder_error(const struct sl_recorder *recorder);
