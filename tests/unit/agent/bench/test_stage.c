/* tests/unit/agent/bench/test_stage.c: threads that run the stages of a shape in step. */
#include "agent/bench/stage.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/bench/shape.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "tests/support/test.h"

enum { WORKERS = 3, ROUNDS = 20, SLEEP_NS = 300000 };

struct job {
    atomic_uint runs;
    unsigned failing; /* this worker gives up before its stage; WORKERS: none does */
};

static void count_and_sleep(void *data)
{
    atomic_fetch_add(&((struct job *)data)->runs, 1);
    nanosleep(&(struct timespec){0, SLEEP_NS}, NULL);
}

static int work(void *data, struct sl_bench_stage_run *bench)
{
    struct job *job = data;
    if (bench->worker == job->failing)
        return SL_E_UNSUPPORTED;
    sl_bench_stage(bench, "whole", count_and_sleep, job);
    return bench->error;
}

static int run(struct job *job, struct sl_buf *out)
{
    struct sl_bench_shape shape;
    assert_int_equal(sl_bench_shape_parse("matmul:4x4x4", &shape), 0);
    const struct sl_bench_stage_run bench = {
        .shape = &shape, .text = "matmul:4x4x4", .kernel = "sl_x", .out = out};
    sl_buf_init(out, 1 << 12);
    int rc = sl_bench_team_run(WORKERS, &bench, work, job);
    assert_int_equal(sl_buf_append(out, "", 1), 0);
    return rc;
}

TEST(all_threads_run_every_round_and_the_first_prints)
{
    struct job job = {.failing = WORKERS};
    struct sl_buf out;
    assert_int_equal(run(&job, &out), 0);
    assert_int_equal(job.runs, WORKERS * (ROUNDS + 1)); /* one to warm up */
    const char *text = (const char *)out.data, *ns = strstr(text, "\"ns\":");
    assert_non_null(ns);
    assert_true(strtoull(ns + 5, NULL, 10) >= SLEEP_NS);
    assert_ptr_equal(strchr(text, '\n') + 1, text + strlen(text)); /* one line */
    sl_buf_fini(&out);
}

TEST(a_thread_that_fails_stops_nobody_from_ending)
{
    for (unsigned failing = 0; failing < WORKERS; failing++) {
        struct job job = {.failing = failing};
        struct sl_buf out;
        assert_int_equal(run(&job, &out), SL_E_UNSUPPORTED);
        sl_buf_fini(&out);
    }
}
