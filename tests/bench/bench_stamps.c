/* tests/bench/bench_stamps.c: what a stamp at an operator's boundary costs on a device's clock.
 *
 *   bench_stamps [--quick]
 *
 * A library in the delegate's place reads the clock after each of its empty operators, as it would
 * without us and with stamps that leave the place, as a run's do; the difference is what a stamp
 * costs. Prints JSON; figures are minima
 * over rounds. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/executorch/events.h"
#include "agent/executorch/kernel_calls.h"
#include "agent/executorch/stamps.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/format/sltrace.h"

enum { OPERATORS = 4096, RING_RECORDS = 256 };

typedef void (*run_fn)(int operators, void (*name)(void *user, int operator_number), void *user);

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void ignore_name(void *user, int operator_number)
{
    (void)user;
    (void)operator_number;
}

static void discard(void *ring)
{
    struct sl_trace_record records[RING_RECORDS];
    while (sl_ring_pop(ring, records, RING_RECORDS) > 0)
        continue;
}

/* For one operator; a NULL recorder takes no stamps. */
static double round_ns(run_fn run, struct sl_recorder *recorder)
{
    sl_stamps_record(recorder);
    sl_stamps_clear();
    uint64_t start = now_ns();
    run(OPERATORS, ignore_name, NULL);
    double each = (double)(now_ns() - start) / (double)OPERATORS;
    sl_stamps_record(NULL);
    return each;
}

static bool measure(int rounds, double out_ns[2])
{
    struct sl_ring *ring = NULL;
    struct sl_recorder *recorder = NULL;
    struct sl_runtime_events *events = NULL;
    const struct sl_stamp *stamps;
    void *library = dlopen(SL_TEST_DELEGATE, RTLD_NOW | RTLD_LOCAL);
    run_fn run = NULL;
    if (library)
        *(void **)&run = dlsym(library, "stand_in_run");
    bool ready = run && sl_stamps_open(library) && sl_kernel_calls_open(library) > 0 &&
                 sl_ring_new(RING_RECORDS, &ring) == 0 &&
                 sl_recorder_new(ring, SL_TRACE_NS, 0, &recorder) == 0 &&
                 (events = sl_runtime_events_new(recorder)) != NULL;
    sl_recorder_on_full(recorder, discard, ring);
    sl_runtime_events_keep(events, SL_VARIANT_WARM_UP);
    if (ready)
        round_ns(run, recorder); /* the warm-up, which makes the names */
    sl_runtime_events_keep(events, SL_VARIANT_TRACED);
    for (int i = 0; ready && i < rounds; i++) {
        for (int taken = 0; taken < 2; taken++) {
            double each = round_ns(run, taken ? recorder : NULL);
            out_ns[taken] = i == 0 || each < out_ns[taken] ? each : out_ns[taken];
        }
        ready = sl_stamps_get(&stamps) == OPERATORS + 1;
    }
    sl_runtime_events_free(events);
    sl_recorder_free(recorder);
    sl_ring_free(ring);
    return ready;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    double each_ns[2];
    if (!measure(quick ? 20 : 500, each_ns)) {
        fprintf(stderr, "bench_stamps: no stamps were taken\n");
        return 6;
    }
    printf("{\"schema\":\"sme2lab.bench/1\",\"bench\":\"stamps\",\"stamp_ns\":%.2f,"
           "\"without_ns\":%.2f}\n",
           each_ns[1] - each_ns[0], each_ns[0]);
    return 0;
}
