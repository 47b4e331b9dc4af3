/* host/daemon/daemon.h: sme2labd's parts on one loop: store, lab, devices, HTTP, log, signals. It
 * only wires them together. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_diag;
struct sl_host_config;

struct sl_daemon_settings {
    const char *state;                   /* directory; made if absent */
    const char *store;                   /* sqlite:PATH or a URL; NULL: the file in `state` */
    const struct sl_host_config *config; /* borrowed */
    const char *config_file;             /* read again at SIGHUP; NULL: there is none */
    const char *const *listen;           /* addresses that win over the configuration's */
    unsigned listen_count;
    bool rebuild; /* a damaged store is set aside, and made anew */
};

/* Looks at the addresses and at the certificate, and starts nothing; if `strict`, the certificate
 * must be valid now, and the programs of plug-ins must be there. 0, or what is wrong, in `diag`. */
int sl_daemon_check(const struct sl_daemon_settings *settings, bool strict, struct sl_diag *diag);

/* Runs until a signal ends it. 0, or what it could not start with, in `diag`. */
int sl_daemon_run(const struct sl_daemon_settings *settings, struct sl_diag *diag);
