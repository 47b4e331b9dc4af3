/* tests/bench/fast_agent.c: the real agent's `serve`, whose inference process records events as
 * fast as it can: for bench_stream and ingest.py.
 *
 *   fast_agent serve …            as sme2lab-agent serve
 *   fast_agent probe …            as sme2lab-agent probe
 *   fast_agent run --ring=FD --num_executions=N --variants=V …
 *
 * Each execution is a block of FAST_EVENTS events; N of each variant, by turns. The clock is read
 * as in a real one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/probe/probe.h"
#include "agent/serve/serve.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/format/sltrace.h"

enum { FAST_EVENTS = 1000 };

static void execute(struct sl_recorder *recorder, const struct sl_trace_label *label)
{
    for (int i = 0; i < FAST_EVENTS; i++) {
        struct sl_trace_span span;
        sl_recorder_begin(recorder, &span, label);
        sl_recorder_end(recorder, &span, label);
    }
}

static int record(struct sl_ring *ring, uint32_t executions, uint32_t variants)
{
    struct sl_recorder *recorder = NULL;
    int rc = sl_recorder_new(ring, SL_TRACE_NS, 1, &recorder);
    if (rc < 0)
        return rc;
    struct sl_trace_label label = {.name = sl_recorder_name(recorder, "Add (ND) #1"),
                                   .event = SL_TRACE_DELEGATE};
    uint32_t block = sl_recorder_name(recorder, "Execute");
    for (uint32_t i = 0; i < executions * variants && rc == 0; i++) {
        uint32_t pair = i / variants;
        sl_recorder_block(recorder, block, (uint16_t)(i % variants), pair, pair, false);
        rc = sl_recorder_ready(recorder, FAST_EVENTS);
        if (rc == 0)
            execute(recorder, &label);
    }
    sl_recorder_finish(recorder);
    rc = rc < 0 ? rc : sl_recorder_error(recorder);
    sl_recorder_free(recorder);
    return rc;
}

static const char *value_of(int argc, char **argv, const char *option)
{
    size_t len = strlen(option);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], option, len) == 0)
            return argv[i] + len;
    }
    return "";
}

int main(int argc, char **argv)
{
    struct sl_ring *ring = NULL;
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return sl_serve_main(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "probe") == 0) /* else the daemon asks again for each job */
        return sl_probe_main(argc - 1, argv + 1);
    if (argc < 2 || strcmp(argv[1], "run") != 0)
        return 2;
    int rc = sl_ring_open(atoi(value_of(argc, argv, "--ring=")), &ring);
    if (rc == 0)
        rc = record(ring, (uint32_t)strtoul(value_of(argc, argv, "--num_executions="), NULL, 10),
                    strchr(value_of(argc, argv, "--variants="), ',') ? 2 : 1);
    sl_ring_free(ring);
    if (rc < 0)
        fprintf(stderr, "fast_agent: error=%d\n", rc);
    return rc < 0 ? 1 : 0;
}
