/* tests/support/count_probe.c: a guest program that does N equal steps between marks, for the test
 * of the counted clock. Nothing in it depends on time or place. "places" as its last word makes it
 * say where its stack, its heap and its mappings lie instead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int print_places(void)
{
    int on_stack = 0;
    printf("stack %p\n", (void *)&on_stack);
    for (size_t bytes = 64; bytes <= 16 << 20; bytes *= 4) /* from the heap, then mapped */
        printf("%zu bytes %p\n", bytes, malloc(bytes));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[argc - 1], "places") == 0)
        return print_places();
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
