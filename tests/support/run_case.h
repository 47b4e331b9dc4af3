/* tests/support/run_case.h: a run directory of this machine's own, in a fresh folder, made of a
 * trace that is written here. */
#pragma once

#include "host/device/launch.h"
#include "host/report/categories_file.h"
#include "host/rundir/run.h"
#include "host/spec/spec.h"

struct cJSON;

struct sl_run_case {
    char folder[64];
    struct sl_spec spec;
    struct sl_device device;
    struct sl_categories categories;
    struct sl_rundir_run run; /* prepared; ended by sl_run_case_end() */
};

/* For TEST_WITH: *state is a case whose folder has what a run leaves: trace, logs, outputs,
 * result.json. */
int sl_run_case_begin(void **state);
int sl_run_case_end(void **state);

/* The same with all files of a finished run. */
int sl_run_case_begin_finished(void **state);

/* Begins another run on the same folder, as another process does. */
void sl_run_case_again(struct sl_run_case *c);

/* Writes a trace of three executions of each variant; `ended`: it has its end. */
void sl_run_case_write_trace(const struct sl_run_case *c, bool ended);

/* A file of the folder: its text (release it with free()), and the same put in its place. */
char *sl_run_case_read(const struct sl_run_case *c, const char *name);
void sl_run_case_write(const struct sl_run_case *c, const char *name, const char *text);
bool sl_run_case_has(const struct sl_run_case *c, const char *name);
void sl_run_case_remove(const struct sl_run_case *c, const char *name);

/* Replaces the first `from` of a file, which must have it. */
void sl_run_case_replace(const struct sl_run_case *c, const char *name, const char *from,
                         const char *to);
