/* host/rundir/trace_beside.h: finds the .sltrace that an ETDump was made of. */
#pragma once

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"

struct sl_diag;
struct sl_etdump;

/* A trace with the bytes it borrows. */
struct sl_trace_file {
    struct sl_buf bytes;
    struct sl_trace trace;
};

/* The folders that may hold a file's companions: its own and the one above. */
struct sl_folders {
    char own[4096], above[4096 + 4];
};

/* False for a path that is too long. */
bool sl_folders_beside(const char *path, struct sl_folders *out);

/* Reads and parses one file. Returns 0 or a negative code with `diag` set. End with
 * sl_trace_file_close(). */
int sl_trace_file_open(const char *path, struct sl_trace_file *out, struct sl_diag *diag);
void sl_trace_file_close(struct sl_trace_file *file);

/* Looks at the .sltrace files in the directory of `etdump_path` and the one above for the trace
 * whose ETDump `etdump` is. False if there is none; files that cannot be read are passed over. */
bool sl_trace_file_find(const char *etdump_path, const struct sl_etdump *etdump,
                        struct sl_trace_file *out);

/* Does the agent say that the budget of time ended the measuring? */
bool sl_trace_budget_spent(const struct sl_trace *trace);

/* Is it the event of a method's whole execution? */
bool sl_trace_is_execution(const struct sl_trace *trace, const struct sl_trace_record *record);
