/* host/job/keeper.h: keeps the state directory within its bounds while the daemon runs: stops the
 * intake before the disk is full, and removes runs that the configuration keeps no longer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/job/disk_budget.h"
#include "host/store/answers.h"

typedef struct uv_loop_s uv_loop_t;
struct sl_keeper; /* on the loop's thread */
struct sl_store;

struct sl_keeper_options {
    struct sl_store *store; /* borrowed until it is closed */
    const char *state_dir;  /* the same */
    struct sl_disk_limits limits;
    struct sl_store_retention rules; /* `before_ms` and `cursor` are not read */
    uint32_t days;                   /* age from which a run may go; 0: it is no reason */
    uint32_t every_seconds;          /* from one look for old runs to the next */
    /* Intake stops, for want of room or of the directory of runs, or begins again. May be NULL. */
    void (*stopped)(void *user, bool stopped);
    void *user;
};

int sl_keeper_new(uv_loop_t *loop, const struct sl_keeper_options *options, struct sl_keeper **out);
/* Calls `closed` last, when what is under way has ended. */
void sl_keeper_close(struct sl_keeper *keeper, void (*closed)(void *user), void *user);

enum { SL_KEEPER_WHY_BYTES = 200 };
/* Looks at the disk as it is now: true, with words, while nothing may come in, or where so many
 * bytes more (0: nobody knows how many) would go beyond the limits. */
bool sl_keeper_is_full(struct sl_keeper *keeper, uint64_t wanted_bytes,
                       char out_why[SL_KEEPER_WHY_BYTES]);
/* sl_keeper_await(): so many bytes were admitted and are still to be written; sl_keeper_is_full()
 * counts them. sl_keeper_came() takes them off again when they are written, or will not be. */
void sl_keeper_await(struct sl_keeper *keeper, uint64_t bytes);
void sl_keeper_came(struct sl_keeper *keeper, uint64_t bytes);

struct sl_keeper_report {
    struct sl_disk_limits limits;
    uint64_t state_bytes; /* 0: not measured, for want of a budget */
    uint64_t expired;     /* runs that it removed */
    bool is_full;
};
struct sl_keeper_report sl_keeper_report(struct sl_keeper *keeper);
