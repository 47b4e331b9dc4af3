/* host/cli/verbs.c: the table of verbs; a new verb is one line here and its cmd_*.c. */
#include "host/cli/cli.h"

#include <stddef.h>

#include "host/cli/cmd_later.h"

const struct sl_verb sl_verbs[] = {
    {"run", sl_cmd_run, "measure a model with SME2 off and on"},
    {"analyze", sl_cmd_analyze, "where the time of ETDump files went, operator by operator"},
    {"compare", sl_cmd_compare, "how much faster one measurement is than another, and how surely"},
    {"report", sl_cmd_report, "a run directory as Markdown, HTML, SVG, JUnit, JSON or CSV"},
    {"validate", sl_cmd_validate, "whether a run directory is whole and its numbers are right"},
    {"import", sl_cmd_import,
     "a run directory of Arm's kit or of executor_runner, made one of ours"},
    {"inspect", sl_cmd_inspect, "what a model holds, and which operators SME2 serves"},
    {"kernels", sl_cmd_kernels, "what kernels exist, and what single ones execute"},
    {"baseline", sl_cmd_baseline,
     "what models execute, kept in a file; later builds held against it"},
    {"estimate", sl_cmd_estimate, "how long the code of an emulator's log would take on silicon"},
    {"submit", sl_cmd_submit, "hand a model to the daemon and go on"},
    {"jobs", sl_cmd_jobs, "the daemon's jobs, newest first"},
    {"groups", sl_cmd_groups, "groups of jobs, newest first, and how their jobs are"},
    {"watch", sl_cmd_watch, "a job as it goes, or those of a group"},
    {"wait", sl_cmd_wait, "wait for jobs; the exit code is their outcome"},
    {"cancel", sl_cmd_cancel, "stop a job, or take it out of the queue"},
    {"devices", sl_cmd_devices, "the lab's devices and what they do"},
    {"device", sl_cmd_device, "take one out or back, reserve, probe, add, remove, or pair with it"},
    {"runs", sl_cmd_runs, "finished measurements, newest first"},
    {"show", sl_cmd_show, "one of them, with its files"},
    {"history", sl_cmd_history, "series of runs, and where their ratio changed"},
    {"query", sl_cmd_query, "a question in SQL to the store: operators, devices, labels, runs"},
    {"logs", sl_cmd_logs, "what the agent said during a run"},
    {"rm", sl_cmd_rm, "take runs out of the store, with their files"},
    {"gc", sl_cmd_gc, "take old runs out, the newest of each series stays"},
    {"fsck", sl_cmd_fsck, "whether the store and its files agree; makes lost rows again"},
    {"token", sl_cmd_token, "who may use the daemon over TCP"},
    {"doctor", sl_cmd_doctor, "what is missing on this machine, each with its fix"},
    {"completion", sl_cmd_completion, "completion of verbs and options for a shell"},
    {"version", sl_cmd_version, "what this program is and what it was built with"},
    {"help", sl_cmd_help, "this list, or the page of one verb"},
    /* Not part of this version: they give a clear error, and are left out of the list. */
    {"export", sl_cmd_later, NULL},
    {NULL, NULL, NULL},
};
