/* host/http/known_runs.h: where the files of runs are that were asked for a moment ago, so that the
 * many files of a page cost one question to the store. Pure: time comes in as an argument. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/records.h"

enum {
    SL_KNOWN_RUNS = 32,
    SL_KNOWN_RUNS_MS = 1000, /* so long is a run known that another host may have removed */
};

struct sl_known_runs {
    struct sl_known_run {
        uint64_t id, until_ms; /* 0: none */
        char directory[sizeof(((struct sl_run_record *)0)->directory)];
    } runs[SL_KNOWN_RUNS];
    size_t next; /* the entry that is replaced next */
};

/* The run's files are in its directory below this host's state. */
void sl_known_runs_add(struct sl_known_runs *known, const struct sl_run_record *run,
                       uint64_t now_ms);
/* Forgets a run that was removed. */
void sl_known_runs_drop(struct sl_known_runs *known, uint64_t id);
/* Returns the run's directory, borrowed until the next call; NULL: the store knows. */
const char *sl_known_runs_find(const struct sl_known_runs *known, uint64_t id, uint64_t now_ms);
