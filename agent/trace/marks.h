/* agent/trace/marks.h: six empty functions whose execution the counted clock sees in the
 * emulator's log.
 *
 * They stand in this order in one section named sl_marks, SL_MARK_STEP bytes apart, so that a
 * reader of the stripped file finds them from the section's header alone. What is executed between
 * a pause and its resume, and the marks themselves, is not counted. Pauses do not nest: only the
 * outermost entry to tracing calls them. */
#pragma once

#include <stdint.h>

#define SL_MARK_STEP 16
#if defined(__APPLE__)
#define SL_MARK_SECTION "__TEXT,sl_marks"
#else
#define SL_MARK_SECTION "sl_marks"
#endif

void sl_mark_pause(void);
void sl_mark_resume(void);
void sl_mark_begin(void); /* the n-th begin or end of the process belongs to ordinal n */
void sl_mark_end(void);
void sl_mark_zero(void); /* these two tell an address, bit by bit */
void sl_mark_one(void);

/* Tells the log's reader, who knows no names of libraries' functions, that one which packs lies
 * from address `begin` to `end`: both as bits, the highest first, between a pause and its resume.
 * Call it before that function is executed. */
void sl_marks_tell_packing(uint64_t begin, uint64_t end);
