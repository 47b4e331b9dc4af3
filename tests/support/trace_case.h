/* tests/support/trace_case.h: what a load and one execution leave in a ring, against the ETDump of
 * the real runtime. All functions fail the test when something goes wrong. */
#pragma once

#include <stddef.h>

#include "common/format/sltrace.h"

enum { SL_TRACE_CASE_NAME = 512 };

struct sl_trace_case {
    struct sl_ring *ring;
    struct sl_recorder *recorder;      /* for sl_case_compile() */
    char (*names)[SL_TRACE_CASE_NAME]; /* by id */
    struct sl_operands *operands;      /* by id */
    struct sl_trace_record *events;    /* taken so far */
    size_t count;
};

void sl_trace_case_open(struct sl_trace_case *t);
/* Ends the events of the load; those of an execution follow. */
void sl_trace_case_loaded(struct sl_trace_case *t);
/* Takes what is in the ring. */
void sl_trace_case_drain(struct sl_trace_case *t);
/* All events taken are those of the load and the first execution in the model's file. */
void sl_trace_case_check(const struct sl_trace_case *t, const char *model, const char *file);
void sl_trace_case_close(struct sl_trace_case *t);
