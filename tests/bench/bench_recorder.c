/* tests/bench/bench_recorder.c: what one recorded event costs, next to the two clock reads in it.
 *
 *   bench_recorder [--json] [--quick]
 *
 * An event is a begin and an end; the ring is emptied between rounds, outside the measured time, as
 * between iterations of a run. The figures are minima over rounds. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/format/sltrace.h"

enum { EVENTS = 4096 };
#define GOAL_NS 100.0

static struct sl_trace_record drained[EVENTS];

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Nanoseconds for EVENTS times two clock reads. */
static uint64_t clock_round(void)
{
    struct timespec at;
    uint64_t start = now_ns();
    for (int i = 0; i < EVENTS; i++) {
        clock_gettime(CLOCK_MONOTONIC, &at);
        __asm__ volatile("" : : "m"(at));
        clock_gettime(CLOCK_MONOTONIC, &at);
        __asm__ volatile("" : : "m"(at));
    }
    return now_ns() - start;
}

/* Nanoseconds for EVENTS events; a NULL recorder is tracing off. */
static uint64_t event_round(struct sl_recorder *recorder)
{
    const struct sl_trace_label label = {.name = 1, .event = SL_TRACE_DELEGATE};
    struct sl_trace_span span = {0};
    __asm__ volatile("" : "+r"(recorder));
    uint64_t start = now_ns();
    for (int i = 0; i < EVENTS; i++) {
        sl_recorder_begin(recorder, &span, &label);
        __asm__ volatile("" : : "m"(span) : "memory");
        sl_recorder_end(recorder, &span, &label);
        __asm__ volatile("" ::: "memory");
    }
    return now_ns() - start;
}

struct result {
    double clock_ns, on_ns, off_ns; /* for one event */
};

static void keep_least(double *least, uint64_t round_ns)
{
    double each = (double)round_ns / (double)EVENTS;
    if (*least == 0 || each < *least)
        *least = each;
}

static int measure(int rounds, struct result *out)
{
    struct sl_ring *ring = NULL;
    struct sl_recorder *recorder = NULL;
    int rc = sl_ring_new(EVENTS, &ring);
    if (rc == 0)
        rc = sl_recorder_new(ring, SL_TRACE_NS, 0, &recorder);
    for (int i = 0; i < rounds && rc == 0; i++) {
        while (sl_ring_pop(ring, drained, EVENTS) > 0) {
        }
        keep_least(&out->clock_ns, clock_round());
        keep_least(&out->on_ns, event_round(recorder));
        keep_least(&out->off_ns, event_round(NULL));
    }
    if (rc == 0)
        rc = sl_recorder_error(recorder);
    sl_recorder_free(recorder);
    sl_ring_free(ring);
    return rc;
}

int main(int argc, char **argv)
{
    bool json = false, quick = false;
    struct result result = {0};
    for (int i = 1; i < argc; i++) {
        json = json || strcmp(argv[i], "--json") == 0;
        quick = quick || strcmp(argv[i], "--quick") == 0;
    }
    int rc = measure(quick ? 20 : 500, &result);
    if (rc != 0) {
        fprintf(stderr, "bench_recorder: error=%d\n", rc);
        return 6;
    }
    double ratio = result.on_ns / result.clock_ns;
    if (json)
        printf("{\"schema\":\"sme2lab.bench/1\",\"bench\":\"recorder\",\"event_ns\":%.2f,"
               "\"two_clock_reads_ns\":%.2f,\"ratio\":%.3f,\"off_ns\":%.3f,\"goal_ns\":%.0f,"
               "\"met\":%s}\n",
               result.on_ns, result.clock_ns, ratio, result.off_ns, GOAL_NS,
               result.on_ns <= GOAL_NS ? "true" : "false");
    else
        printf("recorder: %.1f ns an event, %.2f times its two clock reads (%.1f ns); tracing off "
               "%.2f ns; goal %.0f ns\n",
               result.on_ns, ratio, result.clock_ns, result.off_ns, GOAL_NS);
    return 0;
}
