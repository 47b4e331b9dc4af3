/* tests/bench/make_store.c: a store with so many finished jobs and their runs, to ask about.
 *
 *   make_store FILE COUNT
 *
 * Ten models on four devices, one job a minute. Written through host/store, as the daemon does. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <uv.h>

#include "common/base/error.h"
#include "host/store/store.h"

enum { BATCH = 2000, MINUTE_MS = 60000, MODELS = 10, DEVICES = 4 };
#define FIRST_MS UINT64_C(1750000000000)

struct filling {
    struct sl_store *store;
    uint64_t count, asked, stored;
    int rc, closed;
};

static void add_more(struct filling *filling);

static void on_stored(void *user, int rc, uint64_t id)
{
    struct filling *filling = user;
    (void)id;
    filling->stored++;
    if (rc < 0)
        filling->rc = rc;
    if (filling->stored == filling->asked)
        add_more(filling);
}

static void on_closed(void *user)
{
    ((struct filling *)user)->closed = 1;
}

static int add_one(struct filling *filling, uint64_t i)
{
    uint64_t at = FIRST_MS + i * MINUTE_MS;
    struct sl_job_record job = {.state = SL_JOB_DONE,
                                .attempts = 1,
                                .submitted_ms = at,
                                .started_ms = at + 20,
                                .ended_ms = at + 20000,
                                .run = i + 1};
    struct sl_run_record run = {.job = i + 1,
                                .started_ms = at + 20,
                                .ended_ms = at + 20000,
                                .device_kind = SL_DEVICE_COUNTED,
                                .ratio = 1.5 + (double)(i % 1000) / 1000};
    snprintf(job.device, sizeof(job.device), "counted-%" PRIu64, i % DEVICES);
    snprintf(run.device, sizeof(run.device), "%s", job.device);
    snprintf(run.model, sizeof(run.model), "model_%" PRIu64 "_f32_xnnpack", i % MODELS);
    snprintf(run.model_sha256, sizeof(run.model_sha256), "%064" PRIx64, i % MODELS);
    snprintf(run.verdict, sizeof(run.verdict), "faster");
    snprintf(run.directory, sizeof(run.directory), "runs/2026-01-01/%06" PRIu64 ".000-%" PRIu64, i,
             i + 1);
    int rc =
        sl_store_add_job(filling->store, &job, "{\"model\":\"0\"}", NULL, 0, on_stored, filling);
    return rc < 0 ? rc : sl_store_add_run(filling->store, &run, on_stored, filling);
}

static void add_more(struct filling *filling)
{
    uint64_t first = filling->asked / 2, last = first + BATCH;
    last = last < filling->count ? last : filling->count;
    filling->asked += 2 * (last - first);
    for (uint64_t i = first; i < last && filling->rc == 0; i++)
        filling->rc = add_one(filling, i);
    if (first == last || filling->rc < 0)
        sl_store_close(filling->store, on_closed, filling);
}

int main(int argc, char **argv)
{
    uv_loop_t loop;
    struct sl_diag diag = {0};
    struct filling filling = {0};
    if (argc != 3 || (filling.count = strtoull(argv[2], NULL, 10)) == 0) {
        fprintf(stderr, "usage: make_store FILE COUNT\n");
        return 2;
    }
    int rc = uv_loop_init(&loop);
    if (rc == 0)
        rc = sl_store_open(&loop, argv[1], NULL, &filling.store, &diag);
    if (rc == 0) {
        add_more(&filling);
        uv_run(&loop, UV_RUN_DEFAULT);
        rc = filling.rc;
        uv_loop_close(&loop);
    }
    if (rc < 0)
        fprintf(stderr, "make_store: %s\n", diag.what[0] ? diag.what : sl_strerror(rc));
    return rc < 0 ? 6 : 0;
}
