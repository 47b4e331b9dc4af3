/* agent/executorch/stamps.h: where each operator inside the XNNPACK delegate begins and ends.
 *
 * The delegate asks clock_gettime() before its first operator and after each, and nowhere else; an
 * operator that consists of several (a concatenation, an even split) asks after each of those. The
 * program's own clock_gettime() takes a stamp of the recorder's clock when the caller is the
 * delegate's code, and answers with a clock that each call puts forward by SL_STAMPS_STEP_NS: the
 * duration that the delegate reports of an operator tells how many stamps are its own. On the
 * counted clock a stamp costs the operators nothing: it stands between a pause and its resume. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_recorder;

enum { SL_STAMPS_STEP_NS = 1000 }; /* the delegate counts in microseconds */

/* The end of one operator and the begin of the next, of the recorder's clock. */
struct sl_stamp {
    uint64_t end, begin;
    const char *kernel; /* of that operator, where they are watched (kernel_calls.h); else NULL */
};

/* Finds the code of the delegate's library, a handle of dlopen(). False: it is not there. */
bool sl_stamps_open(void *delegate);
/* Stamps go to this recorder's clock; NULL: the delegate gets the real clock, and none is taken. */
void sl_stamps_record(struct sl_recorder *recorder);
void sl_stamps_clear(void);
/* Told of each stamp since the last clear, the first is 1, between a pause and its resume; NULL:
 * nobody. */
typedef void (*sl_stamps_fn)(void *user, size_t nth);
void sl_stamps_tell(sl_stamps_fn each, void *user);
/* Stamps since the last clear; those beyond the table are not kept. */
size_t sl_stamps_get(const struct sl_stamp **out);
/* True while the delegate copies its own stamps into events, which is a pause of ours. */
bool sl_stamps_paused(void);
