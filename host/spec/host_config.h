/* host/spec/host_config.h: what sme2labd is told by its configuration file (configs/host.json is
 * one). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "host/records.h"
#include "host/spec/plugin_config.h"
#include "host/spec/web_origin.h"

struct cJSON;
struct sl_diag;

enum {
    SL_HOST_MAX_LISTEN = 8,
    SL_HOST_MAX_HOOK = 16,
    SL_HOST_MAX_TAGS = 6,
    SL_HOST_MAX_KEEP_LABELS = 16
};

/* A device as configured. Texts are borrowed from the document. */
struct sl_host_device {
    const char *name;
    struct sl_device_wish way;
    char tags[SL_TAGS_BYTES]; /* with commas; "": none */
};

struct sl_host_config {
    const char *state;                        /* directory; NULL: chosen by the program */
    const char *store;                        /* sqlite:PATH or a URL; NULL: a file in `state` */
    const char *store_reader;                 /* the URL that questions are asked by; optional */
    const char *listen[SL_HOST_MAX_LISTEN];   /* "unix:PATH", "tcp:127.0.0.1:PORT", "tls:..." */
    bool allow_remote;                        /* "tcp:" beyond loopback too */
    const char *certificate, *key;            /* for "tls:", absolute; NULL: there are none */
    const char *peer_url, *peer_certificates; /* "peers"; NULL: not said */
    bool allow_runners;           /* jobs with external runners, which are programs, from TCP too */
    uint32_t requests_per_second; /* of each token, over TCP; 0: any number */
    uint32_t requests_at_once;    /* of each client; 0: as many as the server lets one have */
    const char *cors_origins[SL_WEB_MAX_ORIGINS]; /* whose pages may ask */
    size_t cors_origin_count;
    size_t listen_count; /* 0: a Unix socket in the state directory */
    struct sl_host_device devices[SL_MAX_DEVICES];
    size_t device_count;
    const char *log_file;       /* NULL: standard error */
    uint32_t log_max_mib;       /* rotated at this size; one old file is kept */
    uint32_t idle_exit_seconds; /* 0: never */
    uint32_t lease_seconds;     /* a job of a shared store is this host's, after each heartbeat */
    bool agents_on_demand;      /* a device's agent is started with its first job */
    bool adb; /* phones that the adb server has are devices, under their serials */
    /* The steps that bring a device back ("recovery"). */
    const char *hook[SL_HOST_MAX_HOOK]; /* a command, that the device's name is given to */
    size_t hook_words;                  /* 0: none */
    uint32_t hook_seconds;              /* its limit */
    uint32_t pause_seconds;             /* before the first step */
    struct sl_plugin_config plugins[SL_MAX_PLUGINS];
    size_t plugin_count;
    /* Which runs the store keeps ("retention"). */
    uint32_t keep_days;                               /* at least; 0: for ever */
    uint32_t keep_newest;                             /* of each series, however old */
    uint32_t keep_at_most;                            /* of each series; 0: any number */
    uint32_t keeper_seconds;                          /* from one look to the next */
    const char *keep_labels[SL_HOST_MAX_KEEP_LABELS]; /* "K=V", or "K": runs with one stay */
    size_t keep_label_count;
    /* Limits that stop the intake ("disk"); 0: none. */
    uint32_t budget_mib;    /* that the state directory may have */
    uint32_t reserve_mib;   /* that stay free of its disk */
    struct cJSON *document; /* owned; NULL for the default */
};

/* The configuration without a file: one counted device of 512-bit vectors. */
void sl_host_config_init(struct sl_host_config *config);
void sl_host_config_fini(struct sl_host_config *config);

/* Reads a file's text; `file` is its name for messages. SL_E_FORMAT (`diag` has line or JSON
 * pointer and the fix), SL_E_LIMIT, -ENOMEM; on success end `out` with sl_host_config_fini(). A
 * "tcp:" address beyond loopback must be asked for by "allow_remote": true, "tls:" needs "tls". */
int sl_host_config_parse(struct sl_bytes text, const char *file, struct sl_host_config *out,
                         struct sl_diag *diag);

/* One device alone, as it stands in "devices"; its texts are borrowed from *out_document, to end
 * with sl_json_doc_free(). SL_E_FORMAT, SL_E_LIMIT, -ENOMEM. */
int sl_host_device_parse(struct sl_bytes text, const char *file, struct sl_host_device *out,
                         struct cJSON **out_document, struct sl_diag *diag);

/* The same from a file, NULL: the configuration without one. Also -EINVAL: it cannot be read. */
int sl_host_config_read(const char *path, struct sl_host_config *out, struct sl_diag *diag);
