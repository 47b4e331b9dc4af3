/* host/plugin/record.h: what one plug-in said in one run, and in what it failed; and the file of
 * all of them, plugins.json. Pure: time is an argument. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/plugin/line.h"
#include "host/records.h"

struct sl_buf;

enum {
    SL_PLUGIN_MAX_METRICS = 16,
    SL_PLUGIN_MAX_SAMPLES = 1 << 16, /* of all its metrics */
    SL_PLUGIN_FAILURES_KEPT = 16,
    SL_PLUGIN_SLACK_MS = 2000, /* that a plug-in's clock may be off */
};

enum sl_plugin_failure {
    SL_PLUGIN_NOT_RUNNING, /* it could not be started, or had died and waits to be started again */
    SL_PLUGIN_DIED,
    SL_PLUGIN_LATE,    /* no answer in time */
    SL_PLUGIN_REFUSED, /* it answered that it could not */
    SL_PLUGIN_BAD_LINE,
    SL_PLUGIN_FLOOD, /* more than is taken */
    SL_PLUGIN_DEAF,  /* it does not read what it is told */
    SL_PLUGIN_FAILURES,
};

const char *sl_plugin_failure_name(int failure);

struct sl_plugin_samples {
    char name[SL_PLUGIN_METRIC_BYTES], unit[SL_PLUGIN_UNIT_BYTES];
    uint64_t *at_ms; /* owned; never less than the one before */
    double *values;  /* owned */
    size_t count, capacity;
};

struct sl_plugin_failed {
    int failure;
    uint64_t at_ms;
    char words[SL_PLUGIN_REASON_BYTES];
};

/* A device's clock, where it is another than this machine's. */
struct sl_plugin_clock {
    int64_t ahead_us;      /* of this machine's */
    uint64_t uncertain_us; /* either way, all the time that was measured */
};

struct sl_plugin_record {
    char name[SL_NAME_BYTES];
    /* Unix time: told of the run, begun when all were ready, told of its end. What was measured
     * before the begin is kept, and is not of the run. */
    uint64_t told_ms, began_ms, ended_ms;
    struct sl_plugin_samples metrics[SL_PLUGIN_MAX_METRICS];
    size_t metric_count, sample_count;
    uint64_t left_out; /* samples for which there was no room */
    struct sl_plugin_failed failures[SL_PLUGIN_FAILURES_KEPT]; /* the first of them */
    uint64_t failure_count;
};

void sl_plugin_record_init(struct sl_plugin_record *record, const char *name, uint64_t told_ms);
void sl_plugin_record_fini(struct sl_plugin_record *record);

/* Takes a figure. SL_E_FORMAT with `diag` set: another unit than before, or a time outside the run
 * or before the metric's last. SL_E_FULL: no room, and it is counted as left out; -ENOMEM. */
int sl_plugin_record_take(struct sl_plugin_record *record, const struct sl_plugin_line *line,
                          uint64_t now_ms, struct sl_diag *diag);

void sl_plugin_record_fail(struct sl_plugin_record *record, int failure, const char *words,
                           uint64_t now_ms);

/* Appends the file's text. `resumed`: an earlier daemon began the run, and what plug-ins said to it
 * is lost. `clock` is the device's, NULL: not known. 0, SL_E_LIMIT or -ENOMEM. */
int sl_plugin_records_put(struct sl_buf *out, const struct sl_plugin_record *records, size_t count,
                          bool resumed, const struct sl_plugin_clock *clock);
