/* host/cli/cmd_store.c: `sme2lab rm`, `sme2lab gc` and `sme2lab fsck`: what the store keeps. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/cli/time_word.h"
#include "host/report/table.h"
#include "host/spec/json_value.h"
#include "host/spec/url.h"

enum { MAX_RUNS = 256, MAX_JSON_BYTES = 64 << 20 };

static int remove_run(struct sl_client *client, uint64_t id, struct sl_diag *diag)
{
    char path[64];
    struct sl_answer answer;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64, id);
    const struct sl_client_request request = {.method = "DELETE", .path = path};
    int rc = sl_client_send(client, &request, &answer, diag);
    if (rc == 0)
        sl_buf_fini(&answer.body);
    return rc;
}

/* --- what went, or with a rehearsal would go --- */

struct removed {
    uint64_t *runs; /* owned */
    size_t count;
    const cJSON *findings; /* borrowed; what was freed is among them. NULL: not looked for */
    uint64_t more;         /* findings that are left out there */
    bool rehearsal;
};

static bool is_finding(const cJSON *finding, const char *kind)
{
    return strcmp(sl_value_text(finding, "kind", ""), kind) == 0;
}

static bool went(const struct removed *removed, const cJSON *finding, const char *kind)
{
    return is_finding(finding, kind) &&
           (removed->rehearsal || cJSON_IsTrue(sl_value(finding, "mended")));
}

static void print_freed(const struct removed *removed, const char *kind, const char *what)
{
    const cJSON *finding;
    uint64_t count = 0, bytes = 0;
    cJSON_ArrayForEach(finding, removed->findings)
    {
        if (went(removed, finding, kind)) {
            count++;
            bytes += sl_value_u64(finding, "bytes");
        }
    }
    if (count > 0)
        sl_say(stdout, "%" PRIu64 " %s, %" PRIu64 " bytes, %s\n", count, what, bytes,
               removed->rehearsal ? "would go" : "removed");
}

static void put_freed(struct sl_json *json, const struct removed *removed, const char *kind,
                      const char *key)
{
    const cJSON *finding;
    sl_json_open_array(json, key);
    cJSON_ArrayForEach(finding, removed->findings)
    {
        if (went(removed, finding, kind))
            sl_json_text(json, NULL, sl_value_text(finding, "name", ""));
    }
    sl_json_close_array(json);
}

static void print_removed(const struct removed *removed)
{
    for (size_t i = 0; i < removed->count; i++)
        sl_say(stdout, "run %" PRIu64 " %s\n", removed->runs[i],
               removed->rehearsal ? "would go" : "is removed");
    print_freed(removed, "dead-attempt", "directories of attempts without a run");
    print_freed(removed, "task-answer", "answers of tasks");
    print_freed(removed, "unused-blob", "files that no job needs");
    if (removed->more > 0)
        sl_say(stdout, "%" PRIu64 " more findings are not counted here\n", removed->more);
}

static void tell(const struct sl_cli *cli, const struct removed *removed)
{
    struct sl_buf text;
    struct sl_json json;
    if (!cli->json) {
        if (!cli->quiet)
            print_removed(removed);
        return;
    }
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.removal/1");
    sl_json_bool(&json, "rehearsal", removed->rehearsal);
    sl_json_open_array(&json, "runs");
    for (size_t i = 0; i < removed->count; i++)
        sl_json_u64(&json, NULL, removed->runs[i]);
    sl_json_close_array(&json);
    put_freed(&json, removed, "dead-attempt", "attempts");
    put_freed(&json, removed, "task-answer", "tasks");
    put_freed(&json, removed, "unused-blob", "blobs");
    sl_json_u64(&json, "more", removed->more);
    sl_json_close_object(&json);
    if (json.error == 0)
        sl_buf_print_line(&text);
    sl_buf_fini(&text);
}

int sl_cmd_rm(const struct sl_cli *cli, int argc, char **argv)
{
    static const struct sl_usage usage = {
        .verb = "rm",
        .synopsis = "RUN... [option...]",
        .about =
            "Removes runs with all their files from the daemon's store. Their numbers are not\n"
            "given out again; the files that 'sme2lab run' put into --out stay.",
        .speaks_http = true,
        .notes = "Exit codes: 0 all are gone, 2 there is no such run, 5 the daemon failed."};
    const char *words[MAX_RUNS];
    uint64_t runs[MAX_RUNS];
    struct sl_diag diag = {0};
    struct sl_client *client = NULL;
    size_t count, gone = 0;
    int code, rc = 0;
    if (!sl_ask_words(cli, &usage, argc, argv, words, MAX_RUNS, "the number of a run", &count,
                      &code))
        return code;
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = sl_answer_id(words[i], "run", &runs[i], &diag);
    if (rc == 0)
        rc = sl_client_open_any(cli, &client, &diag);
    for (; gone < count && rc == 0; gone += rc == 0 ? 1 : 0)
        rc = remove_run(client, runs[gone], &diag);
    sl_client_free(client);
    if (rc == 0 || (gone > 0 && !cli->json))
        tell(cli, &(struct removed){.runs = runs, .count = gone});
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

/* --- gc --- */

struct sweep {
    uint64_t before_ms, keep; /* runs that began before go, but for so many of each series */
    const char *model;
    const char *keep_label; /* KEY=VALUE; NULL: none */
    bool rehearsal;
};

/* A run of the list, which has the highest number first. */
struct listed {
    const cJSON *run;
    const char *series;
    uint64_t started_ms;
    size_t place;
    uint64_t newer; /* runs of its series; one without a series is alone */
};

static int by_place(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_series(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    int order = strcmp(x->series, y->series);
    if (order == 0) /* the last to begin is the newest: an import brings old runs in late */
        order = (x->started_ms < y->started_ms) - (x->started_ms > y->started_ms);
    return order != 0 ? order : by_place(a, b);
}

/* The runs of the list with how many newer ones their series have, *out_count of them; the caller
 * frees them. NULL: memory is short. */
static struct listed *list_runs(const cJSON *list, size_t *out_count)
{
    size_t count = 0;
    const cJSON *run;
    struct listed *all = sl_calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*all));
    if (!all)
        return NULL;
    cJSON_ArrayForEach(run, list)
    {
        all[count] = (struct listed){run, sl_value_text(run, "series", ""),
                                     sl_value_u64(run, "started_ms"), count, 0};
        count++;
    }
    qsort(all, count, sizeof(*all), by_series);
    for (size_t i = 1; i < count; i++)
        if (all[i].series[0] && strcmp(all[i].series, all[i - 1].series) == 0)
            all[i].newer = all[i - 1].newer + 1;
    qsort(all, count, sizeof(*all), by_place);
    *out_count = count;
    return all;
}

static bool has_run(const cJSON *list, uint64_t id)
{
    const cJSON *run;
    cJSON_ArrayForEach(run, list)
    {
        if (sl_value_u64(run, "id") == id)
            return true;
    }
    return false;
}

/* Pinned runs and those of the list `kept` stay. */
static int sweep(struct sl_client *client, const struct sweep *what, const cJSON *list,
                 const cJSON *kept, struct removed *out, struct sl_diag *diag)
{
    size_t count = 0;
    struct listed *all = list_runs(list, &count);
    int rc = all ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const cJSON *run = all[i].run;
        bool fits = !what->model || strcmp(sl_value_text(run, "model", ""), what->model) == 0;
        if (!fits || sl_value_u64(run, "started_ms") >= what->before_ms ||
            all[i].newer < what->keep || cJSON_IsTrue(sl_value(run, "pinned")) ||
            has_run(kept, sl_value_u64(run, "id")))
            continue;
        out->runs[out->count] = sl_value_u64(run, "id");
        rc = what->rehearsal ? 0 : remove_run(client, out->runs[out->count], diag);
        out->count += rc == 0 ? 1 : 0;
    }
    sl_free(all);
    return rc;
}

static int no_answer(const char *place, const char *why, struct sl_diag *diag)
{
    sl_diag_hint(diag, "see what listens at that address; is it a sme2labd of this version?");
    return sl_diag_set(diag, -EPROTO, place, "%s", why);
}

/* The store's own look at its files, or with `mend` its mending and freeing. Its words, to end with
 * sl_buf_fini(), and what is in them, to end with cJSON_Delete(). */
static int check(struct sl_client *client, bool mend, uint64_t free_before_ms,
                 struct sl_buf *out_text, cJSON **out, struct sl_diag *diag)
{
    static const char place[] = "/api/v1/store/check";
    char path[96];
    struct sl_answer answer;
    snprintf(path, sizeof(path), "%s?free_before=%" PRIu64, place, free_before_ms);
    const struct sl_client_request request = {
        .method = mend ? "POST" : "GET", .path = path, .json = mend ? "{}" : NULL};
    int rc = sl_client_send(client, &request, &answer, diag);
    if (rc < 0)
        return rc;
    cJSON *document = cJSON_ParseWithLength((const char *)answer.body.data, answer.body.size);
    if (!cJSON_IsArray(sl_value(document, "findings")) ||
        !cJSON_IsNumber(sl_value(document, "more"))) {
        cJSON_Delete(document);
        sl_buf_fini(&answer.body);
        return no_answer(place, "The answer is no list of findings", diag);
    }
    *out_text = answer.body;
    *out = document;
    return 0;
}

/* Attempts without a run and files that no job needs: not a model's, so one alone leaves them. */
static int free_files(struct sl_client *client, const struct sweep *what, cJSON **out,
                      struct sl_diag *diag)
{
    struct sl_buf text;
    if (what->model)
        return 0;
    int rc = check(client, !what->rehearsal, what->before_ms, &text, out, diag);
    if (rc == 0)
        sl_buf_fini(&text);
    return rc;
}

/* The runs that their label keeps; *out stays NULL without one. */
static int list_kept(struct sl_client *client, const struct sweep *what, cJSON **out,
                     struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/runs";
    const struct sl_list_wish wish = {.name = "runs", .path = path};
    if (!what->keep_label)
        return 0;
    if (!sl_url_query(path, sizeof(path), "label", what->keep_label))
        return sl_diag_set(diag, SL_E_LIMIT, "--keep-label", "No label is that long");
    return sl_ask_pages(client, &wish, out, diag);
}

static int collect(const struct sl_cli *cli, const struct sweep *what, struct sl_diag *diag)
{
    const struct sl_list_wish wish = {.name = "runs", .path = "/api/v1/runs"};
    struct removed removed = {.rehearsal = what->rehearsal};
    struct sl_client *client = NULL;
    cJSON *answer = NULL, *freed = NULL, *kept = NULL;
    int rc = sl_client_open_any(cli, &client, diag);
    if (rc == 0)
        rc = sl_ask_pages(client, &wish, &answer, diag);
    if (rc == 0)
        rc = list_kept(client, what, &kept, diag);
    const cJSON *list = sl_value(answer, "runs");
    if (rc == 0) {
        removed.runs = sl_calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*removed.runs));
        rc = removed.runs ? sweep(client, what, list, sl_value(kept, "runs"), &removed, diag)
                          : -ENOMEM;
    }
    if (rc == 0)
        rc = free_files(client, what, &freed, diag);
    removed.findings = sl_value(freed, "findings");
    removed.more = sl_value_u64(freed, "more");
    if (removed.runs && (rc == 0 || !cli->json))
        tell(cli, &removed);
    if (rc == 0 && removed.count == 0 && !cli->json && !cli->quiet)
        sl_say(stdout,
               "No run goes: none is that old, or it is among the newest %" PRIu64
               " of its series (--keep), or pinned\n",
               what->keep);
    sl_free(removed.runs);
    cJSON_Delete(freed);
    cJSON_Delete(kept);
    cJSON_Delete(answer);
    sl_client_free(client);
    return rc;
}

int sl_cmd_gc(const struct sl_cli *cli, int argc, char **argv)
{
    const char *before = NULL;
    int64_t keep = 1;
    struct sweep what = {.keep = 0};
    const struct sl_option options[] = {
        {"--older-than", 0, SL_OPTION_TEXT, &before, "TIME",
         "remove runs that began before: 7d, 4w, 2026-11-21"},
        {"--keep", 0, SL_OPTION_COUNT, &keep, "N", "keep the newest N of each series (1)"},
        {"--model", 0, SL_OPTION_TEXT, &what.model, "NAME", "remove runs of this model alone"},
        {"--keep-label", 0, SL_OPTION_TEXT, &what.keep_label, "K=V", "keep runs with this label"},
        {"--dry-run", 0, SL_OPTION_FLAG, &what.rehearsal, NULL,
         "say what would go, remove nothing"},
    };
    const struct sl_usage usage = {
        .verb = "gc",
        .synopsis = "--older-than TIME [option...]",
        .about = "Removes old runs with their files from the daemon's store. The newest of each\n"
                 "series stays, so that the next run has something to be compared with, and so do\n"
                 "pinned runs ('sme2lab label RUN --pin'). Without --model it also removes what "
                 "else is old and nothing uses: files of tries that\n"
                 "made no run, answers about kernels, peaks and plans, models and inputs.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "Example: sme2lab gc --older-than 4w --keep 10 --dry-run"};
    struct sl_diag diag = {0};
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    if (!before) {
        sl_diag_hint(&diag, "say --older-than 4w; --dry-run shows what would go");
        sl_diag_set(&diag, SL_E_UNSUPPORTED, "--older-than", "Nothing says which runs are old");
        return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
    }
    what.keep = (uint64_t)keep;
    int rc = sl_time_word(before, "--older-than", &what.before_ms, &diag);
    if (rc == 0)
        rc = collect(cli, &what, &diag);
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
}

/* --- fsck --- */

static void put_number(struct sl_table *table, uint64_t number)
{
    if (number != 0)
        sl_table_printf(table, "%" PRIu64, number);
    else
        sl_table_put(table, NULL);
}

static const char lost[] = "lost";

static bool is_mended(const cJSON *finding)
{
    return cJSON_IsTrue(sl_value(finding, "mended"));
}

/* `mend`: what could be made again has been. Figures that nobody has read yet stand in the run's
 * files, as after an upgrade. */
static const char *state_of(const cJSON *finding, bool mend)
{
    bool unread = is_finding(finding, "lost-figures");
    bool of_a_run = unread || is_finding(finding, "lost-row") || is_finding(finding, "lost-files");
    if (is_finding(finding, "stray"))
        return "move or remove it";
    if (is_finding(finding, "damaged-blob"))
        return is_mended(finding) ? "set aside; upload it" : mend ? lost : "--mend sets it aside";
    return is_mended(finding) ? "mended"
           : !of_a_run        ? "gc removes it"
           : unread && !mend  ? "--mend reads them"
                              : lost;
}

static int show_findings(const struct sl_cli *cli, const cJSON *findings, bool mend)
{
    static const char *const heads[] = {"FINDING", ">RUN",  ">JOB", ">BYTES",
                                        "~NAME",   "STATE", NULL};
    struct sl_table table;
    const cJSON *finding;
    sl_table_init(&table, "fsck", "fsck", heads);
    cJSON_ArrayForEach(finding, findings)
    {
        sl_table_put(&table, sl_value_text(finding, "kind", ""));
        put_number(&table, sl_value_u64(finding, "run"));
        put_number(&table, sl_value_u64(finding, "job"));
        put_number(&table, sl_value_u64(finding, "bytes"));
        sl_table_put(&table, sl_value_text(finding, "name", ""));
        sl_table_put(&table, state_of(finding, mend));
    }
    return sl_cli_table(cli, &table, /* mending looks for nothing that gc removes */
                        mend ? "Nothing is lost." : "The store and its files agree.");
}

/* Something is lost that is not there again, or only a person can put it right. */
static bool is_lost(const cJSON *findings, bool mend)
{
    const cJSON *finding;
    bool some = false;
    cJSON_ArrayForEach(finding, findings)
    {
        some = some || is_finding(finding, "stray") || is_finding(finding, "damaged-blob") ||
               strcmp(state_of(finding, mend), lost) == 0;
    }
    return some;
}

static int end_of_check(const cJSON *findings, uint64_t more, bool mend)
{
    if (more == 0)
        return is_lost(findings, mend) ? SL_EXIT_LAB : SL_EXIT_DONE;
    fflush(stdout);
    sl_say(stderr,
           "sme2lab: %" PRIu64 " more findings are left out; something may be lost among them.\n"
           "  fix: free what nothing needs with 'sme2lab gc', then look again\n",
           more);
    return SL_EXIT_LAB;
}

/* --- fsck --data --- */

/* A step reads to the end of its last file, however large that is on however slow a disk. */
enum { READ_STALL_S = 3600, MAX_STEP_FINDINGS = 20000 };

struct reading {
    const struct sl_cli *cli;
    struct sl_client *client;
    bool mend;
    uint64_t files, bytes;
    char after[SL_SHA256_HEX_SIZE]; /* the last name that was read; "": none */
};

/* Moves the findings of a step to those of the check, up to its limit. 1: there is a next step. */
static int take_step(struct reading *reading, cJSON *step, cJSON *document, struct sl_diag *diag)
{
    static const char place[] = "/api/v1/store/data";
    cJSON *found = cJSON_GetObjectItemCaseSensitive(step, "findings"), *row;
    cJSON *all = cJSON_GetObjectItemCaseSensitive(document, "findings");
    cJSON *more = cJSON_GetObjectItemCaseSensitive(document, "more");
    const char *next = sl_value_text(step, "next", "");
    if (!cJSON_IsArray(found) || !cJSON_IsNumber(sl_value(step, "files")) ||
        strlen(next) >= sizeof(reading->after) ||
        strspn(next, "0123456789abcdef") != strlen(next) ||
        (*next && strcmp(next, reading->after) <= 0))
        return no_answer(place, "The answer does not say what was read", diag);
    reading->files += sl_value_u64(step, "files");
    reading->bytes += sl_value_u64(step, "bytes");
    snprintf(reading->after, sizeof(reading->after), "%s", next);
    for (int room = MAX_STEP_FINDINGS - cJSON_GetArraySize(all); (row = found->child); room--) {
        cJSON_DetachItemViaPointer(found, row);
        if (room > 0) {
            cJSON_AddItemToArray(all, row);
        } else {
            cJSON_Delete(row);
            cJSON_SetNumberHelper(more, more->valuedouble + 1);
        }
    }
    return *next != '\0';
}

/* Each step is a request of its own: the daemon does other work between them. */
static int read_data(struct reading *reading, cJSON *document, struct sl_diag *diag)
{
    char path[64 + sizeof(reading->after)];
    struct sl_answer answer;
    int rc;
    do {
        snprintf(path, sizeof(path), "/api/v1/store/data%s%s", *reading->after ? "?after=" : "",
                 reading->after);
        const struct sl_client_request request = {.method = reading->mend ? "POST" : "GET",
                                                  .path = path,
                                                  .json = reading->mend ? "{}" : NULL,
                                                  .stall_s = READ_STALL_S};
        rc = sl_client_send(reading->client, &request, &answer, diag);
        if (rc < 0)
            break;
        cJSON *step = cJSON_ParseWithLength((const char *)answer.body.data, answer.body.size);
        rc = take_step(reading, step, document, diag);
        cJSON_Delete(step);
        sl_buf_fini(&answer.body);
        if (reading->cli->live && rc == 1)
            sl_say_over(stderr, "%" PRIu64 " files are read, %" PRIu64 " MiB", reading->files,
                        reading->bytes >> 20);
    } while (rc == 1);
    if (reading->cli->live)
        sl_say_over(stderr, "%s", "");
    cJSON *read = rc == 0 ? cJSON_AddObjectToObject(document, "data") : NULL;
    cJSON_AddNumberToObject(read, "files", (double)reading->files);
    cJSON_AddNumberToObject(read, "bytes", (double)reading->bytes);
    return rc;
}

static int print_document(const cJSON *document)
{
    char *text = cJSON_PrintUnformatted(document);
    if (!text)
        return -ENOMEM;
    const struct sl_buf body = {.data = (uint8_t *)text, .size = strlen(text)};
    sl_answer_print("fsck", &body);
    cJSON_free(text);
    return 0;
}

/* Looks and shows; an exit code. */
static int look(const struct sl_cli *cli, struct reading *reading, bool data, cJSON **out,
                struct sl_diag *diag)
{
    struct sl_buf text;
    bool mend = reading->mend;
    int rc = sl_client_open_any(cli, &reading->client, diag);
    if (rc == 0)
        rc = check(reading->client, mend, mend ? 0 : sl_clock_utc_ms(), &text, out, diag);
    if (rc == 0) {
        sl_buf_fini(&text);
        rc = data ? read_data(reading, *out, diag) : 0;
    }
    sl_client_free(reading->client);
    return rc;
}

int sl_cmd_fsck(const struct sl_cli *cli, int argc, char **argv)
{
    bool data = false;
    struct reading reading = {.cli = cli};
    const struct sl_option options[] = {
        {"--mend", 0, SL_OPTION_FLAG, &reading.mend, NULL,
         "list lost runs again and read lost figures, from the runs' files; with --data set "
         "damaged files aside"},
        {"--data", 0, SL_OPTION_FLAG, &data, NULL,
         "also read all models and inputs: are they what was uploaded?"}};
    const struct sl_usage usage = {
        .verb = "fsck",
        .synopsis = "[option...]",
        .about =
            "Checks that the daemon's store and its files tell the same. What it may find:\n"
            "  lost-row      files of a run that the store does not list; --mend lists it\n"
            "  lost-files    a listed run without its files; 'sme2lab rm RUN' removes it\n"
            "  lost-figures  a run whose operators 'query' does not know; --mend reads them\n"
            "  dead-attempt  what a try of a job left that made no run\n"
            "  task-answer   an old answer about kernels, peaks or plans\n"
            "  unused-blob   a model or an input that nothing uses\n"
            "  stray         a file or folder among the runs that is not named as one; look\n"
            "                at it, and move it away or remove it: nothing else does\n"
            "  damaged-blob  with --data: a model or an input that is not what its SHA-256\n"
            "                says; --mend renames it to NAME.damaged: upload it again\n"
            "'sme2lab gc' removes dead attempts, answers of tasks and unused blobs. A run that\n"
            "--mend cannot list again can still be read: 'sme2lab report DIRECTORY'.\n"
            "--data takes as long as the disk needs to read them all; the daemon goes on\n"
            "meanwhile, but a run that is measured on its machine is disturbed.",
        .options = options,
        .option_count = sizeof(options) / sizeof(options[0]),
        .speaks_http = true,
        .notes = "Exit codes: 0 nothing is lost, 5 something is lost, stray or damaged, findings\n"
                 "are left out, or the daemon failed."};
    struct sl_diag diag = {0};
    cJSON *document = NULL;
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, NULL, 0, NULL, &count, &code))
        return code;
    int rc = look(cli, &reading, data, &document, &diag);
    const cJSON *findings = sl_value(document, "findings");
    if (rc == 0 && cli->json)
        rc = print_document(document);
    code = rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : SL_EXIT_DONE;
    if (rc == 0 && !cli->json)
        show_findings(cli, findings, reading.mend);
    if (rc == 0 && data && !cli->json && !cli->quiet)
        sl_say(stdout, "files of models and inputs read: %" PRIu64 ", %" PRIu64 " bytes\n",
               reading.files, reading.bytes);
    if (rc == 0)
        code = end_of_check(findings, sl_value_u64(document, "more"), reading.mend);
    cJSON_Delete(document);
    return code;
}
