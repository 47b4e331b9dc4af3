/* host/cli/kernel_reach.c */
#include "host/cli/kernel_reach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"
#include "host/cli/device_identity.h"
#include "host/cli/kernel_shapes.h"
#include "host/cli/kernels_measure.h"
#include "host/cli/peaks_file.h"
#include "host/cli/task.h"
#include "host/rundir/etdump_file.h"
#include "host/rundir/rundir.h"
#include "host/spec/json_value.h"

/* Elsewhere the agent only runs in the emulator, whose times mean nothing. */
#if defined(__aarch64__)
static const bool times_here = true;
#else
static const bool times_here = false;
#endif

enum { FIXED_ARGS = 3, ANY_SVL = 512, MAX_ROWS_BYTES = 1 << 26 };

struct measuring {
    struct sl_kernel_reach *out;
    struct sl_task_device device;
    unsigned svl_bits;
    struct sl_kernel_row *rows; /* owned; SL_KERNELS_MAX_ROWS */
    bool refused;               /* the device is out of reach: nothing was measured */
};

/* Each shape once. */
static int collect_shapes(struct sl_kernel_reach *out, struct sl_diag *diag)
{
    out->benches = sl_calloc(SL_KERNEL_REACH_MAX_SHAPES, sizeof(*out->benches));
    if (!out->benches)
        return -ENOMEM;
    for (size_t i = 0; i < out->reach.count; i++) {
        const struct sl_workload *work = &out->reach.rows[i].work;
        size_t k = 0;
        while (k < out->bench_count && strcmp(out->benches[k].shape, work->bench) != 0)
            k++;
        if (work->times == 0 || k < out->bench_count)
            continue;
        if (out->bench_count == SL_KERNEL_REACH_MAX_SHAPES)
            return sl_diag_set(diag, SL_E_LIMIT, NULL, "the run has more than %d shapes",
                               SL_KERNEL_REACH_MAX_SHAPES);
        struct sl_reach_bench *bench = &out->benches[out->bench_count++];
        snprintf(bench->shape, sizeof(bench->shape), "%s", work->bench);
        bench->least_neon = sl_workload_least_neon(work) / work->times;
    }
    return 0;
}

/* Keeps the fastest whole of each shape; packing stands before it. */
static void take_rows(const struct measuring *m, size_t count)
{
    uint64_t right_pack = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sl_kernel_row *row = &m->rows[i];
        uint64_t cost = row->counted ? row->instructions : row->ns;
        if (strcmp(row->stage, "rhs_pack") == 0)
            right_pack = cost;
        if (strcmp(row->stage, "whole") != 0)
            continue;
        for (size_t k = 0; k < m->out->bench_count; k++) {
            struct sl_reach_bench *bench = &m->out->benches[k];
            if (strcmp(bench->shape, row->shape) != 0 || (bench->kernel[0] && bench->cost <= cost))
                continue;
            snprintf(bench->kernel, sizeof(bench->kernel), "%s", row->kernel);
            bench->cost = cost;
            bench->right_pack = right_pack;
            bench->least = row->counted ? sl_kernel_min_mac(row, m->svl_bits) : 0;
        }
        right_pack = 0;
    }
}

/* Counting takes long: a kernel without SME2 that cannot take fewer instructions is left out. */
static bool is_wanted(const struct measuring *m, const struct sl_reach_bench *bench, bool sme2)
{
    return sme2 || !m->device.traits.counted || !bench->kernel[0] ||
           bench->cost > bench->least_neon;
}

/* So many shapes from the first on, with all the CPU has or without SME2. */
static int measure(struct measuring *m, size_t first, size_t count, bool sme2, struct sl_diag *diag)
{
    const char *args[FIXED_ARGS + SL_KERNEL_BATCH_ARGS + 1];
    size_t n = 0, row_count = 0;
    args[n++] = "--engine";
    args[n++] = sme2 ? "any" : "nosme2";
    args[n++] = "--skip-absent";
    for (size_t i = first; i < first + count; i++) {
        if (!is_wanted(m, &m->out->benches[i], sme2))
            continue;
        args[n++] = "--bench";
        args[n++] = m->out->benches[i].shape;
    }
    args[n] = NULL;
    if (n == FIXED_ARGS)
        return 0;
    int rc = sl_kernels_measure(&m->device, args, m->rows, &row_count, diag);
    if (rc == 0)
        take_rows(m, row_count);
    return rc;
}

/* A batch at a time; where the agent refuses one, shape by shape: what it cannot run stays
 * unmeasured. */
static int measure_all(struct measuring *m, struct sl_diag *diag)
{
    int rc = 0;
    for (int e = 0; e < 2; e++) {
        for (size_t i = 0; rc == 0 && i < m->out->bench_count; i += SL_KERNEL_BATCH_SHAPES) {
            size_t left = m->out->bench_count - i;
            size_t batch = left < SL_KERNEL_BATCH_SHAPES ? left : SL_KERNEL_BATCH_SHAPES;
            rc = measure(m, i, batch, e == 0, diag);
            bool refused = rc == SL_E_UNSUPPORTED;
            for (size_t k = 0; refused && k < batch; k++) {
                rc = measure(m, i + k, 1, e == 0, NULL);
                rc = rc == SL_E_UNSUPPORTED ? 0 : rc;
                refused = rc == 0;
            }
        }
    }
    return rc;
}

/* The device in the run's manifest; texts are "" and numbers 0 where it says nothing. */
struct recorded {
    char fingerprint[SL_FINGERPRINT_BYTES], cpu[64];
    double svl_bytes;
};

static void find_recorded(const struct sl_etdump_file *file, struct recorded *out)
{
    struct sl_rundir directory;
    int level;
    *out = (struct recorded){.svl_bytes = 0};
    if (!sl_rundir_find(file->analysis.file, file->analysis.sha256, &directory, &level))
        return;
    const cJSON *device = sl_value(directory.manifest, "device");
    const cJSON *probe = sl_value(device, "probe");
    const char *text = sl_value_text(probe, "fingerprint", NULL);
    const char *cpu = sl_value_text(device, "cpu", NULL);
    snprintf(out->fingerprint, sizeof(out->fingerprint), "%.40s", text ? text : "");
    snprintf(out->cpu, sizeof(out->cpu), "%.60s", cpu ? cpu : "");
    out->svl_bytes = sl_value_number(probe, "svl_bytes", 0);
    sl_rundir_close(&directory);
}

/* Times of one device say nothing of another. */
static int check_identity(struct measuring *m, const struct sl_etdump_file *file,
                          const struct recorded *recorded, struct sl_diag *diag)
{
    struct sl_device_identity identity;
    char probed[SL_FINGERPRINT_BYTES] = "";
    if (m->device.traits.counted || recorded->fingerprint[0] == '\0')
        return 0;
    int rc = sl_device_identity_read(&m->device, &identity, diag);
    if (rc < 0 ||
        (sl_device_fingerprint(recorded->fingerprint, m->device.traits.emulated, probed) == 0 &&
         strcmp(probed, identity.fingerprint) == 0))
        return rc;
    return sl_diag_set(diag, SL_E_MISMATCH, file->analysis.file,
                       "the run is of device %.40s, this machine is %.40s: kernels measured here "
                       "say nothing of it",
                       probed, identity.fingerprint);
}

/* The device to measure on: the one that was named, else the run's own kind, with its emulated CPU.
 */
static int choose_device(struct measuring *m, const struct sl_kernel_reach_wish *wish,
                         const struct sl_etdump_file *file, struct sl_diag *diag)
{
    bool counted = file->analysis.attribution.unit == SL_TRACE_INSTRUCTIONS;
    struct recorded recorded;
    find_recorded(file, &recorded);
    double svl = recorded.svl_bytes;
    m->svl_bits = svl >= 16 && svl <= 256 ? 8 * (unsigned)svl : ANY_SVL;
    const struct sl_task_wish where = {.device = wish->device,
                                       .kind = counted || !times_here ? SL_DEVICE_COUNTED
                                                                      : SL_DEVICE_LOCAL,
                                       .svl = m->svl_bits,
                                       .cpu = recorded.cpu[0] ? recorded.cpu : NULL};
    int rc = sl_task_open(wish->cli, &where, &m->device, diag);
    if (rc < 0)
        return rc;
    m->svl_bits = m->device.svl;
    return check_identity(m, file, &recorded, diag);
}

static void describe(struct measuring *m, const struct sl_etdump_file *file, bool given)
{
    struct sl_reach_report *r = &m->out->report;
    bool counted = !given && m->device.traits.counted;
    bool meaningless = !given && m->device.traits.emulated && !m->device.traits.counted;
    bool timed_run = file->analysis.attribution.unit == SL_TRACE_NS;
    r->reach = &m->out->reach;
    if (m->refused) {
        r->unit = file->analysis.attribution.unit;
        snprintf(r->device, sizeof(r->device), "not measured");
        return;
    }
    r->unit = counted ? SL_TRACE_INSTRUCTIONS : SL_TRACE_NS;
    if (counted)
        snprintf(
            r->device, sizeof(r->device),
            "the emulated CPU, streaming vectors of %u bits: executed instructions, one thread",
            m->svl_bits);
    else
        snprintf(r->device, sizeof(r->device), "%s: the best of some rounds, one thread",
                 given         ? "the device that the rows were printed on"
                 : meaningless ? "the emulator by its own clock, which means nothing"
                               : "this machine");
    if (counted && timed_run)
        snprintf(r->note, sizeof(r->note),
                 "the run was timed on another CPU than this machine has: measure there with "
                 "'sme2lab-agent kernels --skip-absent --bench SHAPE...' (--json lists the shapes) "
                 "and name the rows with --kernel-rows FILE");
    else if (file->analysis.attribution.traced)
        snprintf(r->note, sizeof(r->note), "kernels alone: what a runtime does around them stays");
}

/* Measured elsewhere. */
static int read_given(struct measuring *m, const char *path, struct sl_diag *diag)
{
    struct sl_buf text;
    size_t count = 0;
    int rc = sl_buf_read_file(path, MAX_ROWS_BYTES, &text);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the rows cannot be read: %s", sl_strerror(rc));
    rc = sl_kernels_read_rows(&text, m->rows, &count, diag);
    sl_buf_fini(&text);
    if (rc == 0)
        take_rows(m, count);
    return rc;
}

/* A device that is out of reach is no failure of the report: it says why nothing was measured. */
static bool is_out_of_reach(int rc)
{
    return rc == SL_E_MISMATCH || rc == SL_E_UNSUPPORTED || rc == SL_E_STATE;
}

static int take_rows_of(struct measuring *m, const struct sl_kernel_reach_wish *wish,
                        const struct sl_etdump_file *file, struct sl_diag *diag)
{
    if (wish->rows_path)
        return read_given(m, wish->rows_path, diag);
    int rc = choose_device(m, wish, file, diag);
    if (rc == 0)
        return measure_all(m, diag);
    if (!is_out_of_reach(rc))
        return rc;
    m->refused = true;
    snprintf(m->out->report.refused, sizeof(m->out->report.refused), "%s", diag->what);
    *diag = (struct sl_diag){.what = ""};
    return 0;
}

int sl_kernel_reach_measure(const struct sl_etdump_file *file,
                            const struct sl_kernel_reach_wish *wish, struct sl_kernel_reach *out,
                            struct sl_diag *diag)
{
    const struct sl_attribution *a = &file->analysis.attribution;
    struct measuring m = {.out = out, .svl_bits = ANY_SVL};
    struct sl_reach_roof roof;
    bool given = wish->rows_path != NULL;
    int rc = sl_reach_list(a, &out->reach);
    if (rc == 0)
        rc = collect_shapes(out, diag);
    m.rows = sl_calloc(SL_KERNELS_MAX_ROWS, sizeof(*m.rows));
    if (rc == 0 && !m.rows)
        rc = -ENOMEM;
    if (rc == 0)
        rc = take_rows_of(&m, wish, file, diag);
    sl_free(m.rows);
    if (rc < 0)
        sl_task_close(&m.device);
    if (rc < 0)
        return diag->what[0] ? rc : sl_diag_set(diag, rc, NULL, "%s", sl_strerror(rc));
    describe(&m, file, given);
    bool roofed = sl_peaks_file_find(given || m.refused ? NULL : &m.device, &roof,
                                     out->report.roofline, sizeof(out->report.roofline));
    sl_reach_take(&out->reach, out->benches, out->bench_count, out->report.unit == a->unit,
                  roofed ? &roof : NULL);
    sl_task_close(&m.device);
    return 0;
}

void sl_kernel_reach_fini(struct sl_kernel_reach *reach)
{
    sl_reach_fini(&reach->reach);
    sl_free(reach->benches);
    *reach = (struct sl_kernel_reach){.benches = NULL};
}
