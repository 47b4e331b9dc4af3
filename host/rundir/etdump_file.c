/* host/rundir/etdump_file.c */
#include "host/rundir/etdump_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "host/analysis/origin_plan.h"

#define MAX_ETDUMP_BYTES (UINT64_C(1) << 31) /* what the format's 32-bit offsets can reach */

/* The given trace, or the one beside the file if there is one. */
static int open_trace(const struct sl_etdump_request *request, struct sl_etdump_file *file,
                      struct sl_diag *diag)
{
    if (!request->trace_path) {
        file->traced = sl_trace_file_find(request->path, &file->etdump, &file->trace);
        return 0;
    }
    int rc = sl_trace_file_open(request->trace_path, &file->trace, diag);
    file->traced = rc == 0;
    return rc;
}

/* With its trace and rounds. */
static int analyse_opened(const struct sl_etdump_request *request, struct sl_etdump_file *file,
                          struct sl_diag *diag)
{
    const struct sl_rounds *rounds = &file->said.rounds;
    struct sl_analysis_request what = {.file = request->path,
                                       .etdump = &file->etdump,
                                       .categories = request->categories,
                                       .trace = file->traced ? &file->trace.trace : NULL,
                                       .only_run = request->only_run,
                                       .plan = request->plan,
                                       .rounds = rounds->count > 0 ? rounds : NULL,
                                       .cold = request->cold         ? request->cold
                                               : file->said.has_cold ? &file->said.cold
                                                                     : NULL};
    int rc = sl_analysis_make(&what, &file->analysis, diag);
    if (rc == 0 && file->loss.first[0] != '\0')
        sl_attribution_warn(&file->analysis.attribution,
                            "the file is damaged: %" PRIu64 " bytes are missing, %u runs and %u "
                            "events of others cannot be read; first: %.140s",
                            file->loss.missing_bytes, file->loss.runs, file->loss.events,
                            file->loss.first);
    return rc;
}

static int analyse(const struct sl_etdump_request *request, struct sl_etdump_file *file,
                   struct sl_diag *diag)
{
    int rc = open_trace(request, file, diag);
    if (rc < 0)
        return rc;
    struct sl_bytes bytes = {file->bytes.data, file->bytes.size};
    file->said = (struct sl_import_said){.has_cold = false};
    if (!file->traced)
        sl_import_find(request->path, bytes, &file->said);
    rc = analyse_opened(request, file, diag);
    if (rc < 0 && file->traced)
        sl_trace_file_close(&file->trace);
    return rc;
}

/* A damaged file must have some event left: without any there is no result. */
static int check_left(struct sl_etdump_file *file, struct sl_diag *diag)
{
    uint64_t events = 0;
    for (uint32_t i = 0; i < file->etdump.run_count; i++)
        events += file->etdump.runs[i].event_count;
    if (file->loss.first[0] == '\0' || events > 0)
        return 0;
    sl_diag_hint(diag, "copy the file again from where it was recorded");
    sl_etdump_fini(&file->etdump);
    return sl_diag_set(diag, SL_E_TRUNCATED, NULL,
                       "the file is damaged and not one event of it can be read: %.140s",
                       file->loss.first);
}

/* Puts the file before a place that a parser gave. */
static void name_file(const char *path, struct sl_diag *diag)
{
    char place[64];
    if (!diag->hint[0])
        sl_diag_hint(diag, "name a whole ETDump; 'sme2lab inspect' shows a program (.pte)");
    if (strcmp(diag->where, path) == 0)
        return;
    snprintf(place, sizeof(place), "%.60s", diag->where);
    snprintf(diag->where, sizeof(diag->where), "%.120s%s%s", path, place[0] ? ", " : "", place);
}

int sl_etdump_file_open(const struct sl_etdump_request *request, struct sl_etdump_file *file,
                        struct sl_diag *diag)
{
    const char *path = request->path;
    struct sl_diag unread = {.what = ""};
    diag = diag ? diag : &unread;
    int rc = sl_buf_read_file(path, MAX_ETDUMP_BYTES, &file->bytes);
    if (rc < 0) {
        sl_diag_hint(diag, "name ETDump files that can be read");
        return sl_diag_set(diag, rc, path, "the file cannot be read: %s", sl_strerror(rc));
    }
    snprintf(diag->where, sizeof(diag->where), "%s", path);
    struct sl_bytes bytes = {file->bytes.data, file->bytes.size};
    file->loss = (struct sl_etdump_loss){.first = ""};
    rc = request->salvage ? sl_etdump_salvage(bytes, &file->etdump, &file->loss, diag)
                          : sl_etdump_parse(bytes, &file->etdump, diag);
    if (rc >= 0)
        rc = check_left(file, diag);
    if (rc < 0) {
        name_file(path, diag);
    } else {
        rc = analyse(request, file, diag);
        if (rc < 0)
            sl_etdump_fini(&file->etdump);
    }
    if (rc < 0)
        sl_buf_fini(&file->bytes);
    if (rc < 0 && diag->what[0] == '\0')
        sl_diag_set(diag, rc, NULL, "%s", sl_strerror(rc));
    return rc;
}

int sl_etdump_files_align(struct sl_etdump_file *const files[2], struct sl_diag *diag)
{
    uint32_t cold[2] = {files[0]->analysis.attribution.cold, files[1]->analysis.attribution.cold};
    struct sl_etdump_file *fewer = files[cold[0] < cold[1] ? 0 : 1];
    struct sl_analysis kept = fewer->analysis;
    struct sl_etdump_request request = {.path = kept.file,
                                        .categories = kept.categories,
                                        .only_run = -1,
                                        .cold = cold[0] < cold[1] ? &cold[1] : &cold[0]};
    if (cold[0] == cold[1] || !files[0]->traced || !files[1]->traced)
        return 0;
    int rc = analyse_opened(&request, fewer, diag);
    if (rc < 0)
        return rc;
    fewer->analysis.readings = kept.readings;
    fewer->analysis.reading_count = kept.reading_count;
    sl_analysis_fini(&kept);
    return 0;
}

void sl_etdump_file_close(struct sl_etdump_file *file)
{
    sl_analysis_fini(&file->analysis);
    if (file->traced)
        sl_trace_file_close(&file->trace);
    sl_etdump_fini(&file->etdump);
    sl_buf_fini(&file->bytes);
}

int sl_etdump_file_open_planned(const struct sl_etdump_request *request,
                                const struct sl_origin_plan *plans, struct sl_etdump_file *file,
                                struct sl_diag *diag)
{
    struct sl_etdump_request planned = *request;
    uint32_t unplanned[2] = {0, 0};
    int best = 0;
    for (int level = 0; level < 2; level++) {
        planned.plan = &plans[level];
        int rc = sl_etdump_file_open(&planned, file, diag);
        if (rc < 0)
            return rc;
        unplanned[level] = file->analysis.attribution.unplanned;
        best = unplanned[level] < unplanned[best] ? level : best;
        sl_etdump_file_close(file);
    }
    planned.plan = &plans[best];
    return sl_etdump_file_open(&planned, file, diag);
}
