/* agent/run/session.h: what one run holds from its options to its outputs, and how that is opened.
 */
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

struct sl_bundle_case;
struct sl_data;
struct sl_method;
struct sl_model;
struct sl_agent_run_compared;
struct sl_variant;
struct sl_watchdog;

/* A copy of one output, taken after a variant's last execution. */
struct sl_session_output {
    int scalar_type;
    size_t rank;
    int32_t sizes[SL_AGENT_RUN_MAX_RANK];
    uint8_t dim_order[SL_AGENT_RUN_MAX_RANK];
    size_t nbytes;
    uint8_t *data;               /* owned */
    struct sl_plain_value plain; /* where it is not a tensor */
};

struct sl_session_variant {
    const struct sl_agent_run_variant_spec *spec; /* borrowed from the options */
    struct sl_variant *plan;
    uint64_t load_ns;
    uint32_t executed;                 /* blocks so far, warm-ups too */
    uint64_t execute_ns;               /* sum, without warm-ups */
    size_t output_count;               /* length of `outputs` */
    struct sl_session_output *outputs; /* owned; NULL before the last execution */
};

struct sl_session {
    struct sl_agent_run_options options;
    struct sl_diag diag;
    struct sl_trace_session trace;
    struct sl_watchdog *watchdog; /* NULL without --timeout */
    struct sl_threads threads;
    struct sl_workers *workers; /* NULL with one thread */
    struct sl_input_files inputs;
    bool bundled;         /* the program brings inputs and expected outputs along */
    struct sl_data *data; /* NULL without --data_path */
    struct sl_model *model;
    struct sl_method *method;
    const char *method_name;
    struct sl_session_variant variant[SL_AGENT_RUN_MAX_VARIANTS];
    struct sl_agent_run_compared *compared; /* sl_compare_free(); NULL without --compare-with */
    uint32_t pairs;                         /* measured, with --variants */
    int last_variant;                       /* the one executed last; -1: none yet */
    uint32_t execute_name;
    uint64_t stream;
};

/* The steps below return 0, or a negative code after they logged why. */

/* Decides threads and variants, starts the watchdog, reads the inputs. */
int sl_session_prepare(struct sl_session *session);

/* Starts the workers and loads the method once for each variant. The trace is open. */
int sl_session_load(struct sl_session *session);

/* Tells the method which operators --policy keeps out of streaming mode. */
int sl_session_keep_out(struct sl_session *session, struct sl_method *method);

/* Reads the files of --inputs, again if they were read before. */
int sl_session_read_inputs(struct sl_session *session);

/* Logs that the method's execution ended with `rc`, and returns it. */
int sl_session_execution_failed(struct sl_session *session, int rc);

/* Logs the words of session->diag, if there are any, and forgets them. */
void sl_session_log_diag(struct sl_session *session);

/* The test case 0 of a bundled program; NULL where there is none. */
const struct sl_bundle_case *sl_session_bundle_case(const struct sl_session *session);

/* Writes a file name for variant v: BASE, then with --variants _sme2-off or _WORD, then `tail`.
 * Returns 0 or -ENAMETOOLONG. */
int sl_session_path(const struct sl_session *session, size_t v, const char *base, size_t base_len,
                    const char *tail, char *out, size_t out_size);

/* Writes the name of variant v's ETDump. Returns 0 or -ENAMETOOLONG. */
int sl_session_etdump_path(const struct sl_session *session, size_t v, char *out, size_t out_size);

void sl_session_drop_outputs(struct sl_session_variant *variant);

/* Releases what the session holds; the session itself is the caller's. */
void sl_session_fini(struct sl_session *session);
