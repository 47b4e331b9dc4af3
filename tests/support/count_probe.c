/* tests/support/count_probe.c: a guest program that does N equal steps between marks, for the test
 * of the counted clock. Nothing in it depends on time or place. */
#include <stdio.h>
#include <stdlib.h>

#include "agent/trace/marks.h"

static volatile unsigned sink;

static void trace_event(void (*mark)(void))
{
    sl_mark_pause();
    for (unsigned i = 0; i < 7; i++)
        sink = sink + i; /* the recorder's own work: not to be counted */
    mark();
    sl_mark_resume();
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    for (long step = 0; step < steps; step++) {
        trace_event(sl_mark_begin);
        for (unsigned i = 0; i < 1000; i++)
            sink = sink ^ i;
        trace_event(sl_mark_end);
    }
    puts("done");
    return 0;
}
