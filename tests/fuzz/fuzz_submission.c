/* Fuzz target of host/spec/submission: a job as a client submits it is read whole, within the
 * bounds of its struct, or refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/spec/submission.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct sl_submitted *job)
{
    if (job->input_count > SL_SUBMISSION_MAX_INPUTS ||
        job->label_count > SL_SUBMISSION_MAX_LABELS ||
        (job->shown.input_count != 0 && job->shown.input_count != job->input_count))
        abort();
    if (strlen(job->model) != SL_DIGEST_BYTES - 1 || !job->model_name[0] || !job->experiment[0])
        abort();
    if (job->threads == 0 || job->processes == 0 || !(job->confidence > 0 && job->confidence < 1))
        abort();
    for (size_t i = 0; i < job->label_count; i++)
        if (!memchr(job->labels[i].key, 0, sizeof(job->labels[i].key)) ||
            !memchr(job->labels[i].value, 0, sizeof(job->labels[i].value)))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag = {0};
    struct sl_submitted *job = sl_calloc(1, sizeof(*job));
    if (!job)
        return 0;
    int rc = sl_submitted_parse((struct sl_bytes){data, size}, job, &diag);
    if (rc == 0)
        check(job);
    else if (!diag.what[0])
        abort();
    sl_free(job);
    return 0;
}
