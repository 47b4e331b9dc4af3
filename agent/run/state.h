/* agent/run/state.h: everything of one run, for the files of this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/run/inputs.h"
#include "agent/run/options.h"
#include "agent/run/threads.h"
#include "agent/run/trace_session.h"
#include "agent/runtime/runtime.h"
#include "common/base/error.h"

struct sl_data;
struct sl_method;
struct sl_model;
struct sl_variant;
struct sl_watchdog;

/* A copy of one output, taken after a variant's last execution. */
struct sl_run_output {
    int scalar_type;
    size_t rank;
    int32_t sizes[SL_RUN_MAX_RANK];
    uint8_t dim_order[SL_RUN_MAX_RANK];
    size_t nbytes;
    uint8_t *data;               /* owned */
    struct sl_plain_value plain; /* of what is no tensor */
};

struct sl_run_variant {
    const struct sl_run_variant_spec *spec; /* borrowed from the options */
    struct sl_variant *plan;
    uint64_t load_ns;
    uint32_t executed;             /* blocks so far, warm-ups too */
    uint64_t execute_ns;           /* sum, without warm-ups */
    size_t output_count;           /* of `outputs` */
    struct sl_run_output *outputs; /* owned; NULL before the last execution */
};

struct sl_run {
    struct sl_run_options options;
    struct sl_diag diag;
    struct sl_trace_session trace;
    struct sl_watchdog *watchdog; /* NULL without --timeout */
    struct sl_run_threads threads;
    struct sl_workers *workers; /* NULL with one thread */
    struct sl_input_files inputs;
    bool bundled;         /* the program brings inputs and expected outputs along */
    struct sl_data *data; /* NULL without --data_path */
    struct sl_model *model;
    struct sl_method *method;
    const char *method_name;
    struct sl_run_variant variant[SL_RUN_MAX_VARIANTS];
    uint32_t pairs;   /* measured, with --variants */
    int last_variant; /* that was executed; -1: none yet */
    uint32_t execute_name;
    uint64_t stream;
};

uint64_t sl_run_clock_ns(void);

/* Logs the words of run->diag, if there are any, and forgets them. */
void sl_run_log_diag(struct sl_run *run);

/* The steps, in order. Each returns 0, or 1 after it logged why. */
int sl_run_open_trace(struct sl_run *run);       /* run_trace.c */
int sl_run_load(struct sl_run *run);             /* load.c */
int sl_run_execute_all(struct sl_run *run);      /* execute.c */
int sl_run_write_outputs(struct sl_run *run);    /* outputs.c */
int sl_run_close_trace(struct sl_run *run);      /* run_trace.c: ETDumps too */
int sl_run_write_json(const struct sl_run *run); /* report.c */

/* run.c: reads the files of --inputs. */
int sl_run_read_inputs(struct sl_run *run);
/* execute.c: says that the method's execution ended with `rc`; returns 1. */
int sl_run_execution_failed(struct sl_run *run, int rc);
/* outputs.c: writes --output_file's files of variant v; `line` is the real runner's. */
int sl_run_write_files(struct sl_run *run, size_t v, int line);
/* load.c: the inputs of the next execution. */
int sl_run_set_inputs(struct sl_run *run);
/* outputs.c: keeps copies of a variant's outputs, to be written at the end. */
int sl_run_keep_outputs(struct sl_run *run, struct sl_run_variant *variant);
void sl_run_drop_outputs(struct sl_run_variant *variant);
/* run_trace.c: a file name for variant v: BASE, then with --variants _sme2-off or _WORD, then
 * `tail`. 0 or -ENAMETOOLONG. */
int sl_run_variant_path(const struct sl_run *run, size_t v, const char *base, size_t base_len,
                        const char *tail, char *out, size_t out_size);
/* run_trace.c: where the ETDump of variant v goes. */
int sl_run_etdump_path(const struct sl_run *run, size_t v, char *out, size_t out_size);
/* report.c: the largest resident size of this process so far. */
uint64_t sl_run_peak_rss_bytes(void);
