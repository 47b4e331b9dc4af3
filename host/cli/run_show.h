/* host/cli/run_show.h: what `sme2lab run` prints of a run whose files are in its directory. */
#pragma once

#include <stdbool.h>

struct sl_buf;
struct sl_categories;
struct sl_cli;
struct sl_diag;
struct sl_etrecord;

/* The part of a directory to show. All of it is borrowed. */
struct sl_cli_run_shown {
    const char *directory;
    const char *experiment; /* of several in the directory, NULL: the only one */
    const struct sl_categories *categories;
    const struct sl_etrecord *record; /* of the model, or NULL */
    bool full;                        /* with operators, kernels, proof and files, as -v */
    bool beside; /* a table of several runtimes has its figures: the next step and verdict alone */
    /* Beside it: our runtime's experiment, whose ratio stands after this one's verdict; or NULL. */
    const char *ours;
    bool told; /* this is that experiment: what speaks against it alone */
};

/* The result for people, the verdict last. */
int sl_cli_run_show(const struct sl_cli *cli, const struct sl_cli_run_shown *shown,
                    struct sl_diag *diag);
/* Writes report_lines.md and .html: the directory's pages with the lines of the model's source that
 * the record has. */
int sl_cli_run_show_lines(const struct sl_cli_run_shown *shown, struct sl_diag *diag);

/* analysis_summary.json as it is, for --json; *out is appended to. */
int sl_cli_run_show_json(const char *directory, const char *experiment, struct sl_buf *out,
                         struct sl_diag *diag);
