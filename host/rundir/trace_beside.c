/* host/rundir/trace_beside.c */
#include "host/rundir/trace_beside.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "host/analysis/origin.h"

enum { MAX_BYTES = 1 << 30, MAX_CANDIDATES = 64 };

int sl_trace_file_open(const char *path, struct sl_trace_file *out, struct sl_diag *diag)
{
    struct sl_trace_file file;
    int rc = sl_buf_read_file(path, MAX_BYTES, &file.bytes);
    if (rc < 0)
        return sl_diag_set(diag, rc, path, "the trace cannot be read: %s", sl_strerror(rc));
    if (diag)
        snprintf(diag->where, sizeof(diag->where), "%s", path);
    rc = sl_trace_parse((struct sl_bytes){file.bytes.data, file.bytes.size}, &file.trace, diag);
    if (rc < 0)
        sl_buf_fini(&file.bytes);
    else
        *out = file;
    return rc;
}

void sl_trace_file_close(struct sl_trace_file *file)
{
    sl_trace_fini(&file->trace);
    sl_buf_fini(&file->bytes);
}

static bool is_trace_name(const char *name)
{
    size_t len = strlen(name);
    return len > 8 && strcmp(name + len - 8, ".sltrace") == 0;
}

static bool fits(const char *path, const struct sl_etdump *etdump, struct sl_trace_file *out)
{
    struct sl_origin origin;
    struct sl_trace_file file;
    if (sl_trace_file_open(path, &file, NULL) < 0)
        return false;
    if (sl_origin_match(etdump, &file.trace, &origin, NULL) < 0) {
        sl_trace_file_close(&file);
        return false;
    }
    sl_origin_fini(&origin);
    *out = file;
    return true;
}

static bool find_in(const char *folder, const struct sl_etdump *etdump, struct sl_trace_file *out)
{
    bool found = false;
    DIR *entries = opendir(folder);
    if (!entries)
        return false;
    unsigned candidates = 0;
    for (struct dirent *entry; !found && candidates < MAX_CANDIDATES;) {
        char path[PATH_MAX];
        entry = readdir(entries);
        if (!entry)
            break;
        if (!is_trace_name(entry->d_name))
            continue;
        candidates++;
        found = sl_path_join(path, sizeof(path), folder, "%s", entry->d_name) == 0 &&
                fits(path, etdump, out);
    }
    closedir(entries);
    return found;
}

bool sl_folders_beside(const char *path, struct sl_folders *out)
{
    if (strlen(path) >= sizeof(out->own))
        return false;
    snprintf(out->own, sizeof(out->own), "%s", path);
    char *slash = strrchr(out->own, '/');
    if (slash == out->own)
        slash++;
    if (slash)
        *slash = '\0';
    else
        snprintf(out->own, sizeof(out->own), ".");
    sl_path_join(out->above, sizeof(out->above), out->own, "..");
    return true;
}

bool sl_trace_file_find(const char *etdump_path, const struct sl_etdump *etdump,
                        struct sl_trace_file *out)
{
    struct sl_folders folders;
    return sl_folders_beside(etdump_path, &folders) &&
           (find_in(folders.own, etdump, out) || find_in(folders.above, etdump, out));
}

bool sl_trace_budget_spent(const struct sl_trace *trace)
{
    const char *ended = "";
    return sl_trace_meta_text(trace, "ended", &ended) && strcmp(ended, "budget") == 0;
}

bool sl_trace_is_execution(const struct sl_trace *trace, const struct sl_trace_record *record)
{
    return record->kind == SL_TRACE_EVENT &&
           strcmp(trace->names[record->name], "Method::execute") == 0;
}
