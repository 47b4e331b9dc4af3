/* tests/bench/bench_streaming.c: what the measured thread pays for being streamed, in its own
 * processor time.
 *
 *   bench_streaming [--json] [--quick]
 *
 * The toy CNN is executed in turns without tracing and with it, the records going through the
 * shared ring to another process that takes them out as the agent's server does. The figure is the
 * median over rounds of (with ÷ without − 1): recording and streaming together, against neither. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"

enum { RING_RECORDS = 8192, BATCH = 1024, EXECUTIONS = 10, MAX_ROUNDS = 201, DRAIN_NS = 5000000 };
#define GOAL_PERCENT 1.0

static struct sl_trace_record batch[BATCH];

/* The other process: until it is killed. */
static void drain_for_ever(struct sl_ring *ring)
{
    const struct timespec pause = {.tv_nsec = DRAIN_NS};
    for (;;) {
        while (sl_ring_pop(ring, batch, BATCH) > 0) {
        }
        nanosleep(&pause, NULL);
    }
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

struct measured {
    struct sl_method *method;
    struct sl_variant *variant;
    struct sl_recorder *recorder;
    uint32_t block, iteration;
};

/* Processor time of one round; each execution as agent/run does it. */
static int round_ms(struct measured *m, bool traced, double *out_ms)
{
    double began = cpu_ms();
    int rc = 0;
    for (int i = 0; i < EXECUTIONS && rc == 0; i++) {
        rc = sl_method_fill_inputs(m->method, NULL);
        if (traced && rc == 0) {
            sl_recorder_block(m->recorder, m->block, 0, m->iteration, m->iteration, false);
            m->iteration++;
            rc = sl_recorder_ready(m->recorder, sl_variant_events(m->variant));
        }
        if (rc == 0)
            rc = sl_variant_execute(m->variant, traced, NULL);
    }
    *out_ms = cpu_ms() - began;
    return rc;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct result {
    double percent, execution_ms;
    size_t events;
};

/* Which of the two comes first changes from round to round. */
static int compare(struct measured *m, int rounds, struct result *out)
{
    static double ratios[MAX_ROUNDS], times[MAX_ROUNDS];
    double warm;
    int rc = round_ms(m, true, &warm);
    for (int i = 0; i < rounds && rc == 0; i++) {
        double ms[2];
        rc = round_ms(m, i % 2 == 0, &ms[i % 2 == 0]);
        if (rc == 0)
            rc = round_ms(m, i % 2 != 0, &ms[i % 2 != 0]);
        ratios[i] = ms[1] / ms[0];
        times[i] = ms[0] / (double)EXECUTIONS;
    }
    qsort(ratios, (size_t)rounds, sizeof(*ratios), by_size);
    qsort(times, (size_t)rounds, sizeof(*times), by_size);
    out->percent = (ratios[rounds / 2] - 1) * 100;
    out->execution_ms = times[rounds / 2];
    out->events = sl_variant_events(m->variant);
    return rc;
}

static int measure(struct sl_ring *ring, const char *path, int rounds, struct result *out)
{
    struct sl_model *model = NULL;
    struct measured m = {0};
    int rc = sl_recorder_new(ring, SL_TRACE_NS, 1, &m.recorder);
    if (rc == 0)
        rc = sl_model_open(path, NULL, NULL, &model, NULL);
    if (rc == 0)
        rc = sl_method_new(model, NULL, &m.method, NULL);
    if (rc == 0) {
        sl_recorder_block(m.recorder, sl_recorder_name(m.recorder, "Default"), 0, UINT32_MAX, 0,
                          false);
        rc = sl_variant_new(m.method, sl_isa_detect(), 0, m.recorder, &m.variant, NULL);
    }
    if (rc == 0) {
        m.block = sl_recorder_name(m.recorder, "Execute");
        rc = compare(&m, rounds, out);
    }
    if (rc == 0)
        rc = sl_recorder_error(m.recorder);
    sl_variant_free(m.variant);
    sl_method_free(m.method);
    sl_model_free(model);
    sl_recorder_free(m.recorder);
    return rc;
}

int main(int argc, char **argv)
{
    bool json = false, quick = false;
    struct result result = {0};
    struct sl_ring *ring = NULL;
    for (int i = 1; i < argc; i++) {
        json = json || strcmp(argv[i], "--json") == 0;
        quick = quick || strcmp(argv[i], "--quick") == 0;
    }
    int rc = sl_ring_new(RING_RECORDS, &ring);
    pid_t drainer = rc == 0 ? fork() : -1;
    if (drainer == 0)
        drain_for_ever(ring);
    if (drainer > 0) {
        rc = measure(ring, SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/model.pte",
                     quick ? 5 : MAX_ROUNDS, &result);
        kill(drainer, SIGKILL);
        waitpid(drainer, NULL, 0);
    }
    sl_ring_free(ring);
    if (rc != 0 || drainer < 0) {
        fprintf(stderr, "bench_streaming: error=%d\n", rc);
        return 6;
    }
    if (json)
        printf("{\"percent\":%.3f,\"execution_ms\":%.3f,\"events\":%zu,\"goal_percent\":%.1f}\n",
               result.percent, result.execution_ms, result.events, GOAL_PERCENT);
    else
        printf("streaming: %.2f %% of the measured thread's time, %zu events in %.3f ms; goal %.1f "
               "%%\n",
               result.percent, result.events, result.execution_ms, GOAL_PERCENT);
    return 0;
}
