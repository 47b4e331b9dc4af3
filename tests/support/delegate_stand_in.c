/* tests/support/delegate_stand_in.c: a library that asks for the time as the XNNPACK delegate does:
 * once before its first operator and once after each, and then copies its stamps into events. */
#include <time.h>

#define SUBMIT_TRACE                                                                               \
    "_ZN10executorch8backends7xnnpack8delegate9profiling11XNNProfiler12submit_traceEv"

struct stand_in {
    void (*name)(void *user, int operator_number);
    void *user;
    int operators;
};

__attribute__((noinline)) void submit_trace(void *profiler) __asm__(SUBMIT_TRACE);
void submit_trace(void *profiler)
{
    const struct stand_in *in = profiler;
    for (int i = 0; i < in->operators; i++)
        in->name(in->user, i);
}

void stand_in_run(int operators, void (*name)(void *user, int operator_number), void *user);
void stand_in_run(int operators, void (*name)(void *user, int operator_number), void *user)
{
    struct stand_in profiler = {.name = name, .user = user, .operators = operators};
    struct timespec now;
    for (int i = 0; i <= operators; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
    submit_trace(&profiler);
}
