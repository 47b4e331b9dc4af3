/* host/daemon/options.h: the command line of sme2labd. */
#pragma once

#include <stdbool.h>

struct sl_diag;

enum { SL_DAEMON_MAX_LISTEN = 8 };

/* Texts point into argv; NULL where not given. What is given here wins over the configuration file.
 */
struct sl_daemon_options {
    const char *config, *state, *store;
    const char *peer_url; /* where other hosts reach this one */
    const char *listen[SL_DAEMON_MAX_LISTEN];
    unsigned listen_count;
    bool check_config;            /* only say whether the configuration is right */
    bool check_store;             /* only say whether the store is whole */
    bool rebuild;                 /* a damaged store is set aside */
    const char *backup, *restore; /* only copy the store into that file, or put it back */
};

/* 0: go on; 1: help or version was printed; -EINVAL with the word and the fix in `diag`. */
int sl_daemon_options_parse(struct sl_daemon_options *options, int argc, char **argv,
                            struct sl_diag *diag);
