/* host/cli/options.h: the options of one verb, parsed and explained from one table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_diag;

/* The word that asks for the page as JSON. */
#define SL_OPTIONS_HELP_JSON "--help-json"

enum sl_option_kind {
    SL_OPTION_FLAG,  /* into: bool, set to true */
    SL_OPTION_TEXT,  /* into: const char *, borrowed from argv */
    SL_OPTION_COUNT, /* into: int64_t, a decimal number from 0 to INT32_MAX */
    SL_OPTION_WHOLE, /* into: int64_t, a decimal number from INT32_MIN to INT32_MAX */
    SL_OPTION_REAL,  /* into: double, finite */
    SL_OPTION_LIST,  /* into: struct sl_option_list; may be given several times */
};

enum { SL_OPTION_LIST_MAX = 16 };
struct sl_option_list {
    const char *items[SL_OPTION_LIST_MAX]; /* borrowed from argv */
    size_t count;
};

struct sl_option {
    const char *name;     /* with its dashes: "--out" */
    char letter;          /* of the short form "-o", or 0 */
    int kind;             /* enum sl_option_kind */
    void *into;           /* as the kind says; left alone when the option is absent */
    const char *argument; /* in words: "DIR"; NULL for a flag */
    const char *help;     /* a sentence */
};

struct sl_usage {
    const char *verb;
    const char *synopsis; /* what stands behind the verb: "MODEL.pte [option...]" */
    const char *about;    /* paragraphs, ready wrapped */
    const struct sl_option *options;
    size_t option_count;
    bool speaks_http;  /* the page has --server and --token-file */
    const char *notes; /* printed last: exit codes, files, examples; may be NULL */
};

/* Parses argv[1..argc). Both `--name value` and `--name=value` are taken; "--" ends the options.
 * Words that are no options go to `words` (room for `max_words`). Returns 0; 1 when --help was
 * asked for and printed; SL_E_UNSUPPORTED with `diag` set for anything else. */
int sl_options_parse(const struct sl_usage *usage, int argc, char **argv, const char **words,
                     size_t max_words, size_t *out_count, struct sl_diag *diag);

/* The verb's page on stdout; the second as JSON. */
void sl_options_help(const struct sl_usage *usage);
void sl_options_help_json(const struct sl_usage *usage);
