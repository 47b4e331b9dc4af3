/* host/cli/cli.h: what every verb of `sme2lab` is given, how it fails and how it exits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/cli/exit_code.h"

struct sl_diag;
struct sl_cli_run_request;
struct sl_table;
struct sl_verb;

struct sl_cli {
    const struct sl_verb *verbs; /* all there are; ends with a NULL name */
    bool json;                   /* --json: results and errors as JSON on stdout */
    bool quiet;                  /* -q: nothing but results and errors */
    bool verbose;                /* -v */
    bool color;                  /* stdout takes colours */
    bool unicode;                /* stdout is a terminal that draws UTF-8 */
    bool live;                   /* stderr is a terminal: progress may be drawn */
    int width;                   /* columns of the terminal; 100 where stdout is none */
    const char *server;          /* --server, borrowed from argv; NULL: not given */
    const char *token_file;      /* --token-file, the same way */
    const char *ca_file;         /* --cacert, the same way */
};

/* A verb: argv[0] is its name; options common to all verbs are gone from argv. Returns an exit
 * code. */
typedef int (*sl_verb_fn)(const struct sl_cli *cli, int argc, char **argv);

struct sl_verb {
    const char *name;
    sl_verb_fn run;
    const char *summary; /* a line for `sme2lab help` */
};

extern const struct sl_verb sl_verbs[]; /* of the program */

/* Takes the options that all verbs share out of argv, wherever they stand. Returns 0, or
 * SL_E_UNSUPPORTED with `diag` set for a bad value. */
int sl_cli_init(struct sl_cli *cli, int *argc, char **argv, struct sl_diag *diag);

/* Prints a failure: on stderr what, where and the fix, one sentence each; with --json also the
 * object {"schema","error":{"code","message","where","hint"}} on stdout. Returns `exit_code`. */
int sl_cli_fail(const struct sl_cli *cli, int exit_code, const struct sl_diag *diag);

/* Prints a table and ends it; `none` is the sentence for one without rows. Returns an exit code. */
int sl_cli_table(const struct sl_cli *cli, struct sl_table *table, const char *none);

/* The program: runs the one of `verbs` that argv[1] names, and gives its exit code. */
int sl_cli_main(int argc, char **argv, const struct sl_verb *verbs);

/* The verbs. A verb whose options do not parse prints why and returns SL_EXIT_USAGE. */
int sl_cmd_run(const struct sl_cli *cli, int argc, char **argv);
/* Does the run of a parsed command line. */
int sl_cmd_run_request(const struct sl_cli *cli, struct sl_cli_run_request *request);
int sl_cmd_version(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_help(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_analyze(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_compare(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_validate(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_export(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_import(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_report(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_kernels(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_baseline(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_estimate(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_inspect(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_submit(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_jobs(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_groups(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_watch(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_wait(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_cancel(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_device(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_devices(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_hosts(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_history(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_runs(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_show(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_query(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_rm(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_label(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_gc(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_fsck(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_logs(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_token(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_completion(const struct sl_cli *cli, int argc, char **argv);
int sl_cmd_doctor(const struct sl_cli *cli, int argc, char **argv);
