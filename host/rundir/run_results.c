/* host/rundir/run_results.c: traces, ETDumps, timelines and analyses out of what was recorded.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/format/trace_etdump.h"
#include "host/device/launch.h"
#include "host/device/trace_resolve.h"
#include "host/rundir/run.h"
#include "host/spec/experiment.h"

#define MAX_TRACE_BYTES ((size_t)1 << 30)
#define MAX_ETDUMP_BYTES ((size_t)1 << 31)

static int take_trace(struct sl_run *run, struct sl_diag *diag)
{
    char path[SL_RUN_PATH_BYTES];
    snprintf(path, sizeof(path), "%.900s.sltrace", run->raw_base);
    int rc = sl_buf_read_file(path, MAX_TRACE_BYTES, &run->raw_trace);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "The agent left no trace (%s)", sl_strerror(rc));
    struct sl_bytes raw = {run->raw_trace.data, run->raw_trace.size}, stream = raw;
    if (run->log) {
        sl_buf_init(&run->trace_bytes, MAX_TRACE_BYTES);
        rc = sl_trace_resolve(raw, run->log, &run->trace_bytes, diag);
        if (rc == 0)
            rc = sl_run_write(path, &run->trace_bytes, diag);
        stream = (struct sl_bytes){run->trace_bytes.data, run->trace_bytes.size};
    }
    if (rc == 0)
        rc = sl_trace_parse(stream, &run->trace, diag);
    run->has_trace = rc == 0;
    if (rc == 0 && !run->trace.ended)
        rc = sl_diag_set(diag, SL_E_TRUNCATED, path, "The trace breaks off before its end");
    if (rc < 0 && diag && !diag->where[0])
        snprintf(diag->where, sizeof(diag->where), "%.180s", path);
    return rc;
}

static int write_etdump(struct sl_run *run, int i, struct sl_diag *diag)
{
    struct sl_buf *bytes = &run->variants[i].etdump_bytes;
    sl_buf_init(bytes, MAX_ETDUMP_BYTES);
    int rc = sl_trace_to_etdump(&run->trace, (uint32_t)i, bytes, diag);
    if (rc == 0)
        rc = sl_run_write(run->variants[i].etdump_path, bytes, diag);
    if (rc == 0)
        rc = sl_etdump_parse((struct sl_bytes){bytes->data, bytes->size}, &run->variants[i].etdump,
                             diag);
    run->variants[i].parsed = rc == 0;
    if (rc < 0 && diag && !diag->where[0])
        snprintf(diag->where, sizeof(diag->where), "%.180s", run->variants[i].etdump_path);
    return rc;
}

static int analyse(struct sl_run *run, int i, struct sl_diag *diag)
{
    struct sl_analysis_request request = {
        .file = sl_run_shown(run, run->variants[i].etdump_path, run->variants[i].shown_path),
        .etdump = &run->variants[i].etdump,
        .categories = run->categories,
        .trace = &run->trace,
        .only_run = -1,
    };
    int rc = sl_analysis_make(&request, &run->variants[i].analysis, diag);
    run->variants[i].analysed = rc == 0;
    return rc;
}

/* In nanoseconds the agent writes ETDumps by itself; the ones made here from its trace are the same
 * to the byte and stand under the experiments' names. */
static void remove_own_etdumps(const struct sl_run *run)
{
    static const char *const suffixes[] = {"_sme2-off.etdump", "_sme2-on.etdump"};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        char path[SL_RUN_PATH_BYTES];
        snprintf(path, sizeof(path), "%.900s%s", run->raw_base, suffixes[i]);
        unlink(path);
    }
}

int sl_run_results(struct sl_run *run, struct sl_diag *diag)
{
    int rc = take_trace(run, diag);
    for (int i = 0; i < SL_RUN_VARIANTS && rc == 0; i++) {
        rc = write_etdump(run, i, diag);
        if (rc == 0)
            rc = analyse(run, i, diag);
    }
    remove_own_etdumps(run);
    return rc;
}
