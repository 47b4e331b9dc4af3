/* host/http/options.h: what the server is told when it begins, and its limits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/base/run_id.h"
#include "host/job/devices.h"
#include "host/records.h"
#include "host/spec/web_origin.h"

struct sl_buf;
struct sl_diag;
struct sl_histogram;
struct sl_kept_list;
struct sl_plugins;

enum {
    SL_HTTP_MAX_LISTENERS = 8,
    SL_HTTP_MAX_STREAMS = 512, /* of events, of each listener; one more is told 429 */
    SL_HTTP_MAX_JSON_BYTES = 1 << 20,
};
/* Requests of each client, streams among them: others find room beside them. */
enum { SL_HTTP_CLIENT_AT_ONCE = SL_HTTP_MAX_STREAMS - 8 };
#define SL_HTTP_MAX_BLOB_BYTES (UINT64_C(64) << 30)

enum sl_http_compared {
    SL_HTTP_COMPARE,       /* two runs */
    SL_HTTP_COMBINE,       /* two runs side by side, of two runtimes say */
    SL_HTTP_COMBINED_PAGE, /* the same for people */
    SL_HTTP_TRACE,         /* one alone: its events for the Perfetto UI */
    SL_HTTP_CALIBRATE,     /* one alone: what its device shows between equal runs, which is kept */
};

static inline int sl_http_compared_runs(enum sl_http_compared kind)
{
    return kind <= SL_HTTP_COMBINED_PAGE ? 2 : 1;
}

/* Runs of the store, and which variant of each: 0 off, 1 on. One alone is the first. */
struct sl_http_comparison {
    enum sl_http_compared kind;
    const char *state_dir;              /* of the daemon */
    char directories[2][SL_PATH_BYTES]; /* baseline, candidate; absolute */
    char names[2][32];                  /* how the answer calls them */
    int levels[2];
};
/* Appends the comparison or the noise floor as JSON, the page, or the trace. 0 or a negative code
 * with words. Off the loop. */
typedef int (*sl_http_compare_fn)(void *user, const struct sl_http_comparison *what,
                                  struct sl_buf *out, struct sl_diag *diag);

/* Who compares; without a call nobody does, and it is 503. */
struct sl_http_comparer {
    sl_http_compare_fn call;
    void *user;
};

/* A device by its JSON object, and out again; and what it keeps of runs that nobody here knows
 * (NULL: no such device), as sl_devices_kept() and sl_devices_forget_kept(); `clean` as
 * sl_devices_clean(). NULL: nobody does, and it is 503. `way` as sl_devices_way(). */
struct sl_http_devices {
    int (*add)(void *user, struct sl_bytes text, char out_name[SL_NAME_BYTES],
               struct sl_diag *diag);
    int (*remove)(void *user, const char *name, struct sl_diag *diag);
    const struct sl_kept_list *(*kept)(void *user, const char *name);
    int (*forget_kept)(void *user, const char *name, struct sl_run_id id);
    int (*clean)(void *user, const char *name, sl_devices_cleaned_fn done, void *done_user);
    const char *(*way)(void *user, const char *name);
    void *user;
    const struct sl_histogram *ingest_lag; /* of what they stream; NULL: not measured */
    const uint64_t *link_errors;           /* by enum sl_device_cause; NULL: not counted */
    const struct sl_plugins *plugins;      /* that measure beside them; NULL: there are none */
};

struct sl_keeper;

struct sl_http_options {
    const char
        *listen[SL_HTTP_MAX_LISTENERS]; /* "unix:PATH", "tcp:127.0.0.1:PORT", "tls:[::]:PORT" */
    size_t listen_count;
    bool allow_remote;             /* addresses beyond loopback too, without TLS */
    const char *certificate, *key; /* files for "tls:"; NULL: there are none */
    bool allow_runners;            /* jobs that bring programs, from TCP too */
    unsigned rate;                 /* requests of each token in a second; 0: any number */
    unsigned at_once; /* requests of each client under way; 0: SL_HTTP_CLIENT_AT_ONCE */
    const char *origins[SL_WEB_MAX_ORIGINS]; /* whose pages may ask, copied */
    size_t origin_count;
    uint64_t max_blob_bytes; /* 0: SL_HTTP_MAX_BLOB_BYTES */
    struct sl_http_comparer compare;
    struct sl_http_devices devices;
    struct sl_keeper *keeper; /* borrowed until the server is closed; NULL: the disk has no limit */
    unsigned timeout_s;       /* for a client that neither reads nor sends; 0: 20 */
};
