/* host/cli/ask.h: what the verbs that ask the daemon one thing have in common. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct sl_cli;
struct sl_client;
struct sl_columns;
struct sl_diag;
struct sl_client_request;
struct sl_table;
struct sl_usage;

/* Parses a verb's options and words; `need` is what the missing word would have been (NULL: none is
 * needed). True: go on. False: all is said, and *out_code is the exit code. */
bool sl_ask_words(const struct sl_cli *cli, const struct sl_usage *usage, int argc, char **argv,
                  const char **words, size_t max_words, const char *need, size_t *out_count,
                  int *out_code);

/* Sends one request; a failure is printed. With --json the answer is printed as it came, with
 * "schema":"sme2lab.SCHEMA/1" before its members, and *out is NULL, else it is the parsed answer
 * (NULL where there is none), to end with cJSON_Delete(). Returns an exit code. */
int sl_ask(const struct sl_cli *cli, const char *schema, const struct sl_client_request *request,
           struct cJSON **out);

/* The options of every list, and their lines for struct sl_option (host/cli/options.h). */
struct sl_list_options {
    const char *filter, *limit, *cursor; /* NULL where not given */
    int64_t top;                         /* 0: all */
};
#define SL_LIST_SEARCH(list)                                                                       \
    {"--filter",     0,      SL_OPTION_TEXT,                                                       \
     &(list).filter, "TEXT", "only rows with TEXT in a column, of all pages"},                     \
        {"--top", 0, SL_OPTION_COUNT, &(list).top, "N", "at most N of these rows (all)"}
#define SL_LIST_PAGE(list)                                                                         \
    {"--limit", 'n', SL_OPTION_TEXT, &(list).limit, "N", "at most N rows a page (50)"},            \
        {"--cursor",     0,   SL_OPTION_TEXT,                                                      \
         &(list).cursor, "C", "continue after the last page, which names C"}

/* The rows of the list `name` at `path` of SL_CLIENT_PATH_BYTES, to which its options are added:
 * a page, or with a filter or a number all that fit; then as sl_ask(). `fits` false: what is in
 * `path` did not fit. */
int sl_ask_rows(const struct sl_cli *cli, const char *name, char *path, bool fits,
                const struct sl_list_options *list, struct cJSON **out);

/* Writes the cell of a column its own way: true; false: as its kind is written. */
typedef bool (*sl_ask_cell_fn)(struct sl_table *table, const struct cJSON *row, const char *column);

/* Shows the list `name` of an answer, and ends it: a row for each record, a column for each that
 * has a head; `none` where it is empty. `own` may be NULL. Returns `code` where `answer` is NULL.
 */
int sl_ask_show(const struct sl_cli *cli, int code, struct cJSON *answer, const char *name,
                const struct sl_columns *columns, sl_ask_cell_fn own, const char *none);

/* A list that is looked through page by page. */
struct sl_list_wish {
    const char *name; /* of the list: "runs" */
    const char *path; /* with its query, without cursor and limit */
    const char
        *filter;   /* a row is taken if a value of it has this in it, whatever the case; NULL */
    uint64_t most; /* rows; 0: all */
};

/* Does a value of the row have `filter` in it? */
bool sl_ask_row_fits(const struct cJSON *row, const char *filter);

/* The rows that fit, newest first: {NAME: [row...]}, to end with cJSON_Delete(). 0 or a code with
 * `diag` set; SL_E_LIMIT for a list of more than a million rows. */
int sl_ask_pages(struct sl_client *client, const struct sl_list_wish *wish, struct cJSON **out,
                 struct sl_diag *diag);

/* A verb about the run whose number is its one word. `about_run` returns 0 or a code with `diag`
 * set; `user` is given back to it. Returns an exit code. */
typedef int (*sl_ask_run_fn)(const struct sl_cli *cli, struct sl_client *client, uint64_t run,
                             void *user, struct sl_diag *diag);
int sl_ask_run(const struct sl_cli *cli, const struct sl_usage *usage, int argc, char **argv,
               sl_ask_run_fn about_run, void *user);
