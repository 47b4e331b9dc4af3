/* host/cli/cmd_history.c: `sme2lab history`: a series of runs in the store, and where it changed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "host/analysis/history.h"
#include "host/cli/answer.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/spec/device_kind.h"

enum { MAX_POINTS = 10000, PAGE = 200, ID_CHARS = 16, MAX_JSON_BYTES = 1 << 26 };

struct point {
    uint64_t run, started_ms;
};

/* Of those runs that have a verdict on a ratio, the oldest first. */
struct series {
    const char *id;
    struct point *points; /* owned, as is the next */
    double *ratios;
    size_t count, left_out; /* left_out: unfit, incomparable or wrong */
    bool exact;
    struct sl_history history;
};

static const char about[] =
    "Lists the series of runs in the store (one model on one device, with the same inputs and\n"
    "measured the same way), or tells one: its runs' ratios of off and on from the oldest on, and\n"
    "where they changed. Counted ratios change with every other figure; measured ones where ranks\n"
    "say so (chance in 0.3 % of series), by 1 % or more, with at least 5 runs on either side, so\n"
    "that a last odd run is no change. Measure again before you believe one.";

static bool has_ratio(const cJSON *point)
{
    static const char *const none[] = {"unfit", "incomparable", "wrong"};
    const char *verdict = sl_answer_text(point, "verdict");
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        if (strcmp(verdict, none[i]) == 0)
            return false;
    return sl_answer_f64(point, "ratio") > 0;
}

static void take_page(struct series *s, const cJSON *page)
{
    const cJSON *point;
    cJSON_ArrayForEach(point, cJSON_GetObjectItemCaseSensitive(page, "points"))
    {
        if (s->count == MAX_POINTS)
            break;
        if (!has_ratio(point)) {
            s->left_out++;
            continue;
        }
        s->points[s->count] =
            (struct point){sl_answer_u64(point, "run"), sl_answer_u64(point, "started_ms")};
        s->ratios[s->count++] = sl_answer_f64(point, "ratio");
    }
}

static void turn_round(struct series *s)
{
    for (size_t i = 0; 2 * i + 1 < s->count; i++) {
        size_t other = s->count - 1 - i;
        struct point point = s->points[i];
        double ratio = s->ratios[i];
        s->points[i] = s->points[other];
        s->ratios[i] = s->ratios[other];
        s->points[other] = point;
        s->ratios[other] = ratio;
    }
}

/* All pages, the newest run first. */
static int fetch(struct sl_client *client, struct series *s, struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES];
    uint64_t cursor = 0;
    int rc = 0;
    do {
        cJSON *page = NULL;
        size_t before = s->count + s->left_out;
        int len = snprintf(path, sizeof(path), "/api/v1/series/%s/points?limit=%d", s->id, PAGE);
        if (cursor != 0)
            snprintf(path + len, sizeof(path) - (size_t)len, "&cursor=%" PRIu64, cursor);
        rc = sl_client_get(client, path, NULL, &page, diag);
        if (rc == 0)
            take_page(s, page);
        cursor =
            rc == 0 && s->count + s->left_out > before ? sl_answer_u64(page, "next_cursor") : 0;
        cJSON_Delete(page);
    } while (rc == 0 && cursor != 0 && s->count < MAX_POINTS);
    turn_round(s);
    return rc;
}

/* Is it a series of counts? The newest run's device tells. */
static int ask_kind(struct sl_client *client, struct series *s, struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES];
    cJSON *run = NULL;
    if (s->count == 0)
        return 0;
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64, s->points[s->count - 1].run);
    int rc = sl_client_get(client, path, NULL, &run, diag);
    int kind = rc == 0 ? sl_device_kind_find(sl_answer_text(run, "device_kind")) : 0;
    s->exact = sl_device_kind_traits(kind).counted;
    cJSON_Delete(run);
    return rc;
}

static double change_of(const struct sl_history *h, size_t i)
{
    return i > 0 ? 100 * (h->stretches[i].median / h->stretches[i - 1].median - 1) : 0;
}

static int put_json(const struct series *s)
{
    struct sl_buf text;
    struct sl_json json;
    const struct sl_history *h = &s->history;
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.history/1");
    sl_json_text(&json, "series", s->id);
    sl_json_text(&json, "method", s->exact ? "exact" : "rank-changes");
    sl_json_bool(&json, "enough", h->enough);
    sl_json_u64(&json, "left_out", s->left_out);
    sl_json_open_array(&json, "points");
    for (size_t i = 0; i < s->count; i++) {
        sl_json_open_object(&json, NULL);
        sl_json_u64(&json, "run", s->points[i].run);
        sl_json_u64(&json, "started_ms", s->points[i].started_ms);
        sl_json_f64(&json, "ratio", s->ratios[i]);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_open_array(&json, "changes");
    for (size_t i = 1; i < h->count; i++) {
        sl_json_open_object(&json, NULL);
        sl_json_u64(&json, "run", s->points[h->stretches[i].first].run);
        sl_json_f64(&json, "before", h->stretches[i - 1].median);
        sl_json_f64(&json, "after", h->stretches[i].median);
        sl_json_f64(&json, "change_percent", change_of(h, i));
        sl_json_u64(&json, "runs_after", h->stretches[i].count);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    sl_json_close_object(&json);
    int rc = json.error ? json.error : sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return rc;
}

static int put_text(const struct sl_cli *cli, const struct series *s)
{
    static const char *const heads[] = {">FROM RUN", ">TO RUN", "FROM", ">RUNS",
                                        ">OFF/ON",   ">CHANGE", NULL};
    const struct sl_history *h = &s->history;
    struct sl_table table;
    char text[SL_ANSWER_TIME_BYTES];
    sl_table_init(&table, "history", "history", heads);
    for (size_t i = 0; i < h->count; i++) {
        const struct sl_history_stretch *stretch = &h->stretches[i];
        const struct point *first = &s->points[stretch->first];
        sl_table_printf(&table, "%" PRIu64, first->run);
        sl_table_printf(&table, "%" PRIu64, s->points[stretch->first + stretch->count - 1].run);
        sl_table_put(&table, sl_answer_time(first->started_ms, text));
        sl_table_printf(&table, "%zu", stretch->count);
        sl_table_printf(&table, "%.4f", stretch->median);
        if (i > 0)
            sl_table_printf(&table, "%+.2f %%", change_of(h, i));
        else
            sl_table_put(&table, NULL);
    }
    int code = sl_cli_table(cli, &table, "No run of this series has a ratio with a verdict.");
    if (code == SL_EXIT_DONE && s->count > 0 && !h->enough)
        printf("%zu runs: from %d on changes are told from chance\n", s->count,
               SL_STEADINESS_MIN_RUNS);
    if (code == SL_EXIT_DONE && s->left_out > 0)
        printf("%zu runs are left out: unfit, incomparable or wrong\n", s->left_out);
    return code;
}

static int tell(const struct sl_cli *cli, struct series *s, struct sl_diag *diag)
{
    struct sl_client *client = NULL;
    int rc = sl_client_open_any(cli, &client, diag);
    if (rc < 0)
        return rc;
    s->points = sl_calloc(MAX_POINTS, sizeof(*s->points));
    s->ratios = sl_calloc(MAX_POINTS, sizeof(*s->ratios));
    rc = s->points && s->ratios ? fetch(client, s, diag) : -ENOMEM;
    if (rc == 0 && s->count + s->left_out == 0) {
        sl_diag_hint(diag, "'sme2lab history' lists those there are");
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, "command line", "There is no series %.40s", s->id);
    }
    if (rc == 0)
        rc = ask_kind(client, s, diag);
    if (rc == 0)
        rc = sl_history_make(s->ratios, s->count, s->exact, &s->history);
    sl_client_free(client);
    return rc;
}

static int tell_series(const struct sl_cli *cli, const char *id)
{
    struct sl_diag diag = {.what = ""};
    struct series s = {.id = id};
    int code = SL_EXIT_DONE, rc = 0;
    if (strlen(id) != ID_CHARS || strspn(id, "0123456789abcdef") != ID_CHARS) {
        sl_diag_hint(&diag, "'sme2lab history' lists those there are");
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "'%.60s' is no series", id);
    }
    if (rc == 0)
        rc = tell(cli, &s, &diag);
    if (rc == 0 && cli->json)
        rc = put_json(&s);
    else if (rc == 0)
        code = put_text(cli, &s);
    sl_free(s.points);
    sl_free(s.ratios);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, NULL, "the series cannot be told: %s", sl_strerror(rc));
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : code;
}

static int list(const struct sl_cli *cli, const char *limit, const char *cursor)
{
    static const char *const heads[] = {"SERIES",  "~MODEL",  "~DEVICE", ">LAST RUN",
                                        "STARTED", ">OFF/ON", NULL};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/series", text[SL_ANSWER_TIME_BYTES];
    struct sl_table table;
    cJSON *answer;
    int code = sl_ask_page(cli, path, true, limit, cursor, &answer);
    if (!answer)
        return code;
    const cJSON *one;
    sl_table_init(&table, "history", "history", heads);
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(answer, "series"))
    {
        const cJSON *newest = cJSON_GetObjectItemCaseSensitive(one, "newest");
        sl_table_put(&table, sl_answer_text(one, "id"));
        sl_table_put(&table, sl_answer_text(one, "model"));
        sl_table_put(&table, sl_answer_text(one, "device"));
        sl_table_printf(&table, "%" PRIu64, sl_answer_u64(newest, "id"));
        sl_table_put(&table, sl_answer_time(sl_answer_u64(newest, "started_ms"), text));
        sl_table_printf(&table, "%.4f", sl_answer_f64(newest, "ratio"));
    }
    code = sl_cli_table(cli, &table, "No series.");
    uint64_t next = sl_answer_u64(answer, "next_cursor");
    if (next != 0 && !cli->quiet)
        fprintf(stderr, "older ones: sme2lab history --cursor %" PRIu64 "\n", next);
    cJSON_Delete(answer);
    return code;
}

int sl_cmd_history(const struct sl_cli *cli, int argc, char **argv)
{
    const char *limit = NULL, *cursor = NULL, *words[1];
    const struct sl_option options[] = {
        {"--limit", 'n', SL_OPTION_TEXT, &limit, "N", "of the list, at most so many (50)"},
        {"--cursor", 0, SL_OPTION_TEXT, &cursor, "C", "go on where the last page ended"},
    };
    const struct sl_usage usage = {.verb = "history",
                                   .synopsis = "[SERIES] [option...]",
                                   .about = about,
                                   .options = options,
                                   .option_count = sizeof(options) / sizeof(options[0]),
                                   .speaks_http = true};
    size_t count;
    int code;
    if (!sl_ask_words(cli, &usage, argc, argv, words, 1, NULL, &count, &code))
        return code;
    return count == 0 ? list(cli, limit, cursor) : tell_series(cli, words[0]);
}
