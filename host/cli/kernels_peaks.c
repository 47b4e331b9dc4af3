/* host/cli/kernels_peaks.c */
#include "host/cli/kernels_peaks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/cli/cli.h"
#include "host/cli/device_identity.h"
#include "host/cli/kernels_measure.h"
#include "host/cli/roofline.h"
#include "host/cli/task.h"
#include "host/report/measured_silicon.h"
#include "host/report/silicon_file.h"
#include "host/spec/json_read.h"
#include "host/spec/json_value.h"
#include "host/spec/spec.h"

enum { MAX_ROWS = 4096, MAX_TEXT_BYTES = 4 << 20 };

static const char no_roofline[] =
    "an emulator has no roofline: its times mean nothing, so none was taken; what the loops "
    "execute was counted";

struct peaks {
    struct sl_task_device *device;
    struct sl_device_identity identity;
    const char *base;            /* of the silicon profile; NULL: by what the device is */
    char profile[SL_PATH_BYTES]; /* where that is kept; "": nowhere */
    char no_profile[480];        /* why */
    struct sl_peak_row *rows;    /* owned */
    const cJSON **counts;        /* owned; of each row, where it is counted */
    struct sl_task_answer answer;
    size_t count;
    unsigned svl_bits;
};

static int read_row(const cJSON *object, bool timed, struct sl_peak_row *row, struct sl_diag *diag)
{
    static const char *const keys[] = {"peak",        "what",       "kind",  "insns_a_turn",
                                       "work_a_turn", "operations", "bytes", "turns",
                                       "workers",     "ns"};
    struct sl_json_reader reader = {.diag = diag};
    struct sl_json_at at = sl_json_root(&reader, object);
    *row = (struct sl_peak_row){.ns = 0};
    sl_json_need_keys(&at, keys, timed ? 10 : 9);
    sl_json_copy_text(sl_json_member(&at, "peak"), row->peak, sizeof(row->peak));
    sl_json_copy_text(sl_json_member(&at, "what"), row->what, sizeof(row->what));
    sl_json_copy_text(sl_json_member(&at, "kind"), row->kind, sizeof(row->kind));
    sl_json_get_count(sl_json_member(&at, "insns_a_turn"), &row->insns);
    sl_json_get_count(sl_json_member(&at, "work_a_turn"), &row->work);
    sl_json_get_count(sl_json_member(&at, "operations"), &row->operations);
    sl_json_get_count(sl_json_member(&at, "bytes"), &row->bytes);
    sl_json_get_count(sl_json_member(&at, "turns"), &row->turns);
    sl_json_get_count(sl_json_member(&at, "workers"), &row->workers);
    if (timed)
        sl_json_get_count(sl_json_member(&at, "ns"), &row->ns);
    if (timed && row->ns == 0)
        sl_json_refuse(&at, "The loop of %" PRIu64 " turns took no time", row->turns);
    if (reader.error != 0)
        sl_json_name_file("the agent's output", diag);
    return reader.error;
}

static int run_loops(struct peaks *p, struct sl_diag *diag)
{
    const cJSON *object;
    int rc = sl_kernels_task(p->device, SL_TASK_PEAKS, NULL, &p->answer, diag);
    if (rc < 0)
        return rc;
    const cJSON *counts = p->answer.counts ? p->answer.counts->child : NULL;
    cJSON_ArrayForEach(object, p->answer.answers)
    {
        if (p->count == MAX_ROWS)
            return sl_diag_set(diag, SL_E_FORMAT, "the agent's output", "more than %d loops",
                               MAX_ROWS);
        rc = read_row(object, !p->device->traits.counted, &p->rows[p->count], diag);
        if (rc < 0)
            return rc;
        p->counts[p->count++] = counts;
        counts = counts ? counts->next : NULL;
    }
    return 0;
}

/* The counts' name of the measured instructions; NULL for those that are of no class. */
static const char *class_of(const struct sl_peak_row *row)
{
    return strcmp(row->kind, "outer") == 0          ? "outer"
           : strcmp(row->kind, "multiply_add") == 0 ? "vector_mac"
           : strcmp(row->kind, "mode") == 0         ? "smstart"
           : strcmp(row->kind, "hand_over") == 0    ? "smstart"
                                                    : NULL;
}

/* Returns how much more the second of two rows, of twice the turns, executed than the first. */
static uint64_t more_of(const struct peaks *p, size_t i, const char *insn_class)
{
    return sl_value_u64(p->counts[i + 1], insn_class) - sl_value_u64(p->counts[i], insn_class);
}

/* Every loop executes what it says it does, or its rate would be another thing's. */
static int check_loops(const struct peaks *p, struct sl_diag *diag)
{
    for (size_t i = 0; i + 1 < p->count; i += 2) {
        const struct sl_peak_row *row = &p->rows[i];
        const char *class = class_of(row);
        if (strcmp(row->peak, row[1].peak) != 0 || row[1].turns != 2 * row->turns)
            return sl_diag_set(diag, SL_E_FORMAT, row->peak,
                               "Its two lengths do not stand together");
        if (more_of(p, i, "all") != row->insns * row->turns ||
            (class && more_of(p, i, class) != row->work * row->turns))
            return sl_diag_set(diag, SL_E_MISMATCH, row->peak,
                               "%" PRIu64 " turns executed %" PRIu64 " instructions, %" PRIu64
                               " of them those measured, not %" PRIu64 " and %" PRIu64,
                               row->turns, more_of(p, i, "all"), class ? more_of(p, i, class) : 0,
                               row->insns * row->turns, row->work * row->turns);
    }
    return 0;
}

static void put_loops(const struct peaks *p, struct sl_json *json)
{
    sl_json_null(json, "roofline");
    sl_json_text(json, "reason", no_roofline);
    sl_json_open_array(json, "loops");
    for (size_t i = 0; i + 1 < p->count; i += 2) {
        const struct sl_peak_row *row = &p->rows[i];
        const char *class = class_of(row);
        sl_json_open_object(json, NULL);
        sl_json_text(json, "peak", row->peak);
        sl_json_text(json, "what", row->what);
        sl_json_text(json, "kind", row->kind);
        sl_json_u64(json, "turns", row->turns);
        sl_json_u64(json, "insns_a_turn", row->insns);
        sl_json_u64(json, "executed_insns", more_of(p, i, "all"));
        sl_json_u64(json, "measured_a_turn", row->work);
        if (!class)
            sl_json_null(json, "executed_measured");
        else
            sl_json_u64(json, "executed_measured", more_of(p, i, class));
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static int write_json(const struct peaks *p, struct sl_buf *out)
{
    struct sl_json json;
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_device_identity_put(&p->identity, p->device, "sme2lab.peaks/1", p->svl_bits, &json);
    if (p->identity.emulated)
        put_loops(p, &json);
    else
        sl_roofline_put(p->rows, p->count, &json);
    if (!p->identity.emulated) {
        sl_json_text(&json, "silicon", p->profile[0] ? p->profile : NULL);
        sl_json_text(&json, "silicon_reason", p->profile[0] ? NULL : p->no_profile);
    }
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}

static void print_loops(const struct peaks *p)
{
    sl_say(stdout, "%s (%s)\n%s\n\n%-28s %8s %9s  %s\n", p->identity.fingerprint, p->device->cpu,
           no_roofline, "loop", "a turn", "measured", "what");
    for (size_t i = 0; i + 1 < p->count; i += 2) {
        const struct sl_peak_row *row = &p->rows[i];
        sl_say(stdout, "%-28s %8" PRIu64 " %9" PRIu64 "  %s\n", row->peak, row->insns, row->work,
               row->what);
    }
    sl_say(stdout, "\nEvery loop executed so many instructions a turn, and so many of the kind it "
                   "measures.\n");
}

static void print_roofline(const struct peaks *p, const char *path)
{
    sl_say(stdout, "%s (%s)\n\n%-44s %7s %15s %12s %10s\n", p->identity.fingerprint,
           sl_task_device_words(p->device), "what", "workers", "per second", "Gmul-add/s", "GB/s");
    for (size_t i = 0; i < p->count; i++) {
        const struct sl_peak_row *row = &p->rows[i];
        bool mode = strcmp(row->kind, "mode") == 0;
        sl_say(stdout, "%-44s %7" PRIu64 " %15.4g %12.4g %10.4g\n", row->what, row->workers,
               sl_roofline_per_second(row),
               mode ? 0 : sl_roofline_per_second(row) * (double)row->operations / 1e9,
               sl_roofline_per_second(row) * (double)row->bytes / 1e9);
    }
    sl_say(stdout, "\nThe device's roofline is kept in %s.\n", path);
    if (p->profile[0])
        sl_say(stdout,
               "A profile for estimates of time is in %s:\n"
               "'--silicon " SL_SILICON_MEASURED "%s' takes it, '--policy estimated:' too.\n",
               p->profile, p->identity.fingerprint);
    else
        sl_say(stdout, "No profile for estimates of time was made: %s.\n", p->no_profile);
}

/* Keeps a silicon profile of what one worker's loops took. That they make none is no reason to lose
 * the roofline. */
static int keep_profile(struct peaks *p)
{
    struct sl_buf text;
    struct sl_silicon_loop *loops = sl_calloc(p->count + 1, sizeof(*loops));
    struct sl_diag diag = {.what = ""};
    struct sl_measured_silicon of = {p->base, p->identity.fingerprint, loops, 0};
    if (!loops)
        return -ENOMEM;
    for (size_t i = 0; i < p->count; i++) {
        const struct sl_peak_row *row = &p->rows[i];
        if (row->workers == 1)
            loops[of.count++] = (struct sl_silicon_loop){
                row->peak, (double)row->ns / ((double)row->turns * (double)row->work),
                (double)row->bytes};
    }
    of.base = p->base ? p->base : sl_measured_silicon_base(p->identity.apple, loops, of.count);
    sl_buf_init(&text, SL_SILICON_MAX_BYTES);
    int rc = sl_measured_silicon_write(&of, &text, &diag);
    if (rc == 0)
        rc = sl_device_identity_keep(&p->identity, SL_SILICON_FILE, &text, p->profile, &diag);
    if (rc < 0) {
        p->profile[0] = '\0';
        snprintf(p->no_profile, sizeof(p->no_profile), "%s%s%s", diag.where,
                 diag.where[0] ? ": " : "", diag.what[0] ? diag.what : sl_strerror(rc));
    }
    sl_buf_fini(&text);
    sl_free(loops);
    return rc == -ENOMEM ? rc : 0;
}

static int show(struct peaks *p, const struct sl_cli *cli, struct sl_diag *diag)
{
    char path[SL_PATH_BYTES] = "";
    struct sl_buf text;
    sl_buf_init(&text, MAX_TEXT_BYTES);
    int rc = p->identity.emulated ? 0 : keep_profile(p);
    if (rc == 0)
        rc = write_json(p, &text);
    if (rc == 0 && !p->identity.emulated)
        rc = sl_device_identity_keep(&p->identity, "peaks.json", &text, path, diag);
    if (rc == 0 && cli->json)
        sl_say_page(stdout, &text);
    else if (rc == 0 && p->identity.emulated)
        print_loops(p);
    else if (rc == 0)
        print_roofline(p, path);
    sl_buf_fini(&text);
    return rc;
}

int sl_kernels_peaks(const struct sl_cli *cli, struct sl_task_device *device, unsigned svl_bits,
                     const char *base, struct sl_diag *diag)
{
    struct peaks p = {.device = device, .svl_bits = svl_bits, .base = base};
    p.rows = sl_calloc(MAX_ROWS, sizeof(*p.rows));
    p.counts = sl_calloc(MAX_ROWS, sizeof(*p.counts));
    int rc = p.rows && p.counts ? sl_device_identity_read(device, &p.identity, diag) : -ENOMEM;
    if (rc == 0)
        rc = run_loops(&p, diag);
    if (rc == 0 && p.identity.emulated)
        rc = check_loops(&p, diag);
    if (rc == 0)
        rc = show(&p, cli, diag);
    sl_free(p.rows);
    sl_free(p.counts);
    cJSON_Delete(p.answer.document);
    return rc;
}
