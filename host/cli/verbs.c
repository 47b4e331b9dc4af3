/* host/cli/verbs.c: the table of verbs; a new verb is one line here and its cmd_*.c. */
#include "host/cli/cli.h"

#include <stddef.h>

#include "host/cli/cmd_later.h"

const struct sl_verb sl_verbs[] = {
    {"run", sl_cmd_run, "measure a model with SME2 off and on"},
    {"analyze", sl_cmd_analyze, "where the time of ETDump files went, operator by operator"},
    {"compare", sl_cmd_compare, "how much faster one measurement is than another, and how surely"},
    {"validate", sl_cmd_validate, "whether a run directory is whole and its numbers are right"},
    {"kernels", sl_cmd_kernels, "what kernels exist, and what single ones execute"},
    {"version", sl_cmd_version, "what this program is and what it was built with"},
    {"help", sl_cmd_help, "this list, or the page of one verb"},
    /* Verbs that need the daemon: refused with a sentence, left out of the list. */
    {"submit", sl_cmd_later, NULL},
    {"jobs", sl_cmd_later, NULL},
    {"watch", sl_cmd_later, NULL},
    {"wait", sl_cmd_later, NULL},
    {"cancel", sl_cmd_later, NULL},
    {"devices", sl_cmd_later, NULL},
    {"device", sl_cmd_later, NULL},
    {"runs", sl_cmd_later, NULL},
    {"show", sl_cmd_later, NULL},
    {"logs", sl_cmd_later, NULL},
    {"history", sl_cmd_later, NULL},
    {"report", sl_cmd_later, NULL},
    {"inspect", sl_cmd_later, NULL},
    {"import", sl_cmd_later, NULL},
    {"export", sl_cmd_later, NULL},
    {"doctor", sl_cmd_later, NULL},
    {"token", sl_cmd_later, NULL},
    {"completion", sl_cmd_later, NULL},
    {NULL, NULL, NULL},
};
