/* host/rundir/run_agreement.c: do the outputs of off, on and the portable kernels agree? */
#include "common/base/error.h"
#include "host/rundir/run.h"

#define MAX_OUTPUT_BYTES ((size_t)1 << 30)

static int read_output(const struct sl_run *run, const char *variant, size_t i, struct sl_buf *out,
                       struct sl_diag *diag)
{
    char path[SL_RUN_PATH_BYTES];
    sl_run_output_path(run, variant, i, path);
    int rc = sl_buf_read_file(path, MAX_OUTPUT_BYTES, out);
    if (rc < 0)
        sl_diag_set(diag, rc, path, "The agent left no output to compare (%s)", sl_strerror(rc));
    return rc;
}

static int compare(const struct sl_run *run, const char *variant, const char *reference,
                   struct sl_agreement *out, struct sl_diag *diag)
{
    sl_agreement_init(out, SL_AGREEMENT_FLOAT);
    for (size_t i = 0; i < run->output_count; i++) {
        struct sl_buf a, b;
        if (run->output_types[i] < 0)
            continue;
        int rc = read_output(run, reference, i, &a, diag);
        if (rc < 0)
            return rc;
        rc = read_output(run, variant, i, &b, diag);
        if (rc == 0) {
            sl_agreement_add(out, run->output_types[i], (struct sl_bytes){a.data, a.size},
                             (struct sl_bytes){b.data, b.size});
            sl_buf_fini(&b);
        }
        sl_buf_fini(&a);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int sl_run_agreement(struct sl_run *run, struct sl_diag *diag)
{
    int rc = compare(run, "sme2-off", "sme2-on", &run->off_on, diag);
    if (rc == 0)
        rc = compare(run, "sme2-off", "portable", &run->off_portable, diag);
    if (rc == 0)
        rc = compare(run, "sme2-on", "portable", &run->on_portable, diag);
    return rc;
}
