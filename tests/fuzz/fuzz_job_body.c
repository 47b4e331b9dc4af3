/* Fuzz target of host/spec/job_body: a job as a client submits it is read whole, within the bounds
 * of its struct, or refused with a sentence; what was read can be written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/spec/job_body.h"
#include "host/spec/json_doc.h"
#include "host/spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct sl_spec *job)
{
    if (job->inputs_count > SL_SPEC_MAX_INPUTS || job->labels_count > SL_SPEC_MAX_LABELS ||
        job->threads_count != 1 || job->concurrency_count != 1)
        abort();
    if (strlen(job->model_sha256) != SL_DIGEST_BYTES - 1 || !job->model_name[0] || !job->name[0])
        abort();
    if (job->threads[0] == 0 || job->concurrency[0] == 0 ||
        !(job->confidence > 0 && job->confidence < 1))
        abort();
    for (size_t i = 0; i < job->labels_count; i++)
        if (strlen(job->labels_keys[i]) >= SL_NAME_BYTES ||
            strlen(job->labels_values[i]) >= SL_SELECTOR_BYTES)
            abort();
}

static void write_again(const struct sl_spec *job)
{
    struct sl_buf text;
    struct sl_spec again;
    struct sl_diag diag = {0};
    sl_buf_init(&text, 16 * SL_JSON_DOC_MAX_BYTES);
    if (sl_job_body_put(job, &text) < 0)
        abort();
    if (text.size <= SL_JSON_DOC_MAX_BYTES) {
        if (sl_job_body_read((struct sl_bytes){text.data, text.size}, &again, &diag) < 0)
            abort();
        sl_spec_fini(&again);
    }
    sl_buf_fini(&text);
}

/* A device says what another host asked of it. */
static void collect(const uint8_t *data, size_t size)
{
    struct sl_diag diag = {0};
    struct sl_buf text;
    sl_buf_init(&text, 16 * SL_JSON_DOC_MAX_BYTES);
    if (sl_job_body_collect((struct sl_bytes){data, size}, "phone", (struct sl_run_id){0, 7}, 1,
                            &text, &diag) < 0 &&
        !diag.what[0])
        abort();
    sl_buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag = {0};
    struct sl_spec job;
    collect(data, size);
    if (sl_job_body_read((struct sl_bytes){data, size}, &job, &diag) < 0) {
        if (!diag.what[0])
            abort();
        return 0;
    }
    check(&job);
    write_again(&job);
    sl_spec_fini(&job);
    return 0;
}
