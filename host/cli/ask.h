/* host/cli/ask.h: what the verbs that ask the daemon one thing have in common. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct sl_cli;
struct sl_client;
struct sl_diag;
struct sl_request;
struct sl_usage;

/* Parses a verb's options and words; `need` is what the missing word would have been (NULL: none is
 * needed). True: go on. False: all is said, and *out_code is the exit code. */
bool sl_ask_words(const struct sl_cli *cli, const struct sl_usage *usage, int argc, char **argv,
                  const char **words, size_t max_words, const char *need, size_t *out_count,
                  int *out_code);

/* Sends one request; a failure is printed. With --json the answer is printed as it came, with
 * "schema":"sme2lab.SCHEMA/1" before its members, and *out is NULL, else it is the parsed answer
 * (NULL where there is none), to end with cJSON_Delete(). Returns an exit code. */
int sl_ask(const struct sl_cli *cli, const char *schema, const struct sl_request *request,
           struct cJSON **out);

/* The page of a list: --limit and --cursor, which may be NULL, onto `path` of
 * SL_CLIENT_PATH_BYTES; then as sl_ask(). `fits` false: the options before did not fit. */
int sl_ask_page(const struct sl_cli *cli, const char *schema, char *path, bool fits,
                const char *limit, const char *cursor, struct cJSON **out);

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

/* The same from a daemon that is opened for it; then as sl_ask(), the schema being the list's name.
 */
int sl_ask_list(const struct sl_cli *cli, const struct sl_list_wish *wish, struct cJSON **out);

/* A verb about the run whose number is its one word. `about_run` returns 0 or a code with `diag`
 * set; `user` is given back to it. Returns an exit code. */
typedef int (*sl_ask_run_fn)(const struct sl_cli *cli, struct sl_client *client, uint64_t run,
                             void *user, struct sl_diag *diag);
int sl_ask_run(const struct sl_cli *cli, const struct sl_usage *usage, int argc, char **argv,
               sl_ask_run_fn about_run, void *user);
