/* agent/executorch/events.h: the events of one execution, kept until it is over.
 *
 * Begin and end are stamped as they come; records are written between executions, because a
 * delegate tells the names of its operators after they ran. What is done here while an execution
 * goes on stands between a pause and its resume. One variant has one of these. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_buf;
struct sl_runtime_events;
struct sl_recorder;

/* `recorder` is borrowed; NULL: nothing is kept. NULL when memory is short. */
struct sl_runtime_events *sl_runtime_events_new(struct sl_recorder *recorder);
void sl_runtime_events_free(struct sl_runtime_events *events); /* NULL is a no-op */

/* Says which events are kept until the next call; at first SL_VARIANT_TRACED. `traced` is one of
 * SL_VARIANT_* (agent/runtime/runtime.h). At each stamp the process's state says after how many of
 * the delegate's operators it is (one of several parts counts as these). A warm-up makes the texts
 * for that, which takes longer than a stamp may; later stamps use the last text that is there. */
void sl_runtime_events_keep(struct sl_runtime_events *events, int traced);
/* From now on none of the delegate's operators may be of SME. */
void sl_runtime_events_forbid_sme(struct sl_runtime_events *events);
/* One that was all the same, the last; NULL: none was. */
const char *sl_runtime_events_forbidden(const struct sl_runtime_events *events);

/* An event of the runtime itself: `chain` is -1 for those of the framework. Returns a number for
 * the end, or -1 when it is not kept or memory is short (the flush says so). The caller pauses
 * before each of the two and resumes behind it. */
int64_t sl_runtime_events_begin(struct sl_runtime_events *events, const char *name, int32_t chain,
                                uint32_t instruction);
void sl_runtime_events_end(struct sl_runtime_events *events, int64_t number);
/* The next operator inside the delegate call that goes on. It has the next stamps, as many as the
 * `reported_ns` that the delegate says it took tell (stamps.h). */
void sl_runtime_events_delegate(struct sl_runtime_events *events, const char *name, int32_t chain,
                                uint32_t instruction, uint64_t reported_ns);

/* Writes the records of the execution that is over. Returns 0, -ENOMEM, SL_E_STATE when stamps and
 * operators of a delegate call are not as many, or the recorder's failure. */
int sl_runtime_events_flush(struct sl_runtime_events *events);

/* The same in two steps, where a variant has a process of its own: there the events are appended to
 * `out`, here they become records. SL_E_FORMAT: that is no such list. */
int sl_runtime_events_pack(struct sl_runtime_events *events, struct sl_buf *out);
int sl_runtime_events_unpack(struct sl_runtime_events *events, struct sl_bytes packed);
/* The name of each event that begins is left there too, in memory that both processes share
 * (apart.h); NULL: it is not. */
void sl_runtime_events_leave_current(struct sl_runtime_events *events, char *current);

/* Events of the last of these. */
size_t sl_runtime_events_count(const struct sl_runtime_events *events);
