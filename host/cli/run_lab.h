/* host/cli/run_lab.h: which daemon a run goes to, and on which of its devices. */
#pragma once

#include <stdbool.h>

struct sl_cli;
struct sl_diag;
struct sl_job_sender;

/* Is there a daemon to be asked, other than the private one? */
int sl_cli_run_lab_listens(const struct sl_cli *cli, bool *out, struct sl_diag *diag);

/* Opens `sender->client`: the daemon that was named, else the one that listens in the state
 * directory, else the private one; and chooses the device there. What neither the command line nor
 * the configuration says of the plan is filled in. 0 or a code with `diag` set. */
int sl_cli_run_lab_open(const struct sl_cli *cli, struct sl_job_sender *sender,
                        struct sl_diag *diag);

/* The same daemon without looking at its devices; on the private one, which has this machine and
 * the emulator, a device is chosen. */
int sl_cli_run_lab_open_any(const struct sl_cli *cli, struct sl_job_sender *sender,
                            struct sl_diag *diag);
