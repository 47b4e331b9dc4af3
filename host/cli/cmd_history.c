/* host/cli/cmd_history.c: `sme2lab history`: a series of runs in the store, and where it changed.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/base/say.h"
#include "common/format/sltrace.h"
#include "host/analysis/history.h"
#include "host/cli/ask.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "host/cli/exit_code.h"
#include "host/cli/history_cause.h"
#include "host/cli/options.h"
#include "host/report/table.h"
#include "host/report/time_text.h"
#include "host/report/unit.h"
#include "host/spec/device_kind.h"
#include "host/spec/json_value.h"

enum { MAX_POINTS = 10000, PAGE = 200, ID_CHARS = 16, MAX_JSON_BYTES = 1 << 26 };

struct point {
    uint64_t run, started_ms;
};

/* The ratio, and what each arm took. */
enum { OFF, ON, RATIO, LINES };
static const char *const line_names[LINES] = {"off", "on", "off/on"};

/* Why the last change of an arm came. */
struct cause {
    char category[128], operator_name[160];
};

/* The runs that have a verdict on a ratio, the oldest first. */
struct series {
    const char *id;
    struct point *points;   /* owned, as is the next */
    double *values[LINES];  /* of each run */
    size_t count, left_out; /* left_out: unfit, incomparable or wrong */
    size_t arms_from;       /* from this run on, what each arm took is known of all */
    bool exact;
    bool alone; /* runs of one arm, of other benchmarks: their times stand where those of off do */
    struct sl_history lines[LINES]; /* the arms' from arms_from on */
    struct cause causes[2];
    double threshold_percent; /* below 0: no gate */
};

static const char about[] =
    "Without SERIES, lists all series: runs of one model on one device, with the same inputs and\n"
    "settings. With SERIES, shows its runs from the oldest on: off / on, what each took, and "
    "where\n"
    "that changed. Counted instructions change with any difference. Times change where runs "
    "differ\n"
    "by 1 % or more from those before, with at least 5 on either side. Chance alone does that in\n"
    "0.3 % of series: measure again before you believe it. A phone's series ends with an update "
    "of\n"
    "its system or of the agent; the next run begins another.";

static bool takes(struct series *s, const cJSON *point)
{
    const char *verdict = sl_value_text(point, "verdict", "");
    double ratio = sl_value_number(point, "ratio", 0);
    bool alone = sl_history_is_alone(verdict, ratio, sl_value_number(point, "baseline", 0));
    if (s->count == 0)
        s->alone = alone;
    return s->alone == alone && (alone || sl_history_takes(verdict, ratio));
}

static void take_page(struct series *s, const cJSON *page)
{
    const cJSON *point;
    cJSON_ArrayForEach(point, sl_value(page, "points"))
    {
        if (s->count == MAX_POINTS)
            break;
        if (!takes(s, point)) {
            s->left_out++;
            continue;
        }
        s->points[s->count] =
            (struct point){sl_value_u64(point, "run"), sl_value_u64(point, "started_ms")};
        s->values[OFF][s->count] = sl_value_number(point, "baseline", 0);
        s->values[ON][s->count] = sl_value_number(point, "candidate", 0);
        s->values[RATIO][s->count++] = sl_value_number(point, "ratio", 0);
    }
}

static void exchange(struct series *s, size_t a, size_t b)
{
    struct point point = s->points[a];
    s->points[a] = s->points[b];
    s->points[b] = point;
    for (int line = 0; line < LINES; line++) {
        double value = s->values[line][a];
        s->values[line][a] = s->values[line][b];
        s->values[line][b] = value;
    }
}

/* By the time of measuring, the oldest first: an import may have a later number than it has age. */
static void sort_by_time(struct series *s)
{
    for (size_t i = 0; 2 * i + 1 < s->count; i++)
        exchange(s, i, s->count - 1 - i);
    for (size_t i = 1; i < s->count; i++)
        for (size_t k = i; k > 0 && s->points[k - 1].started_ms > s->points[k].started_ms; k--)
            exchange(s, k - 1, k);
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
        cursor = rc == 0 && s->count + s->left_out > before ? sl_value_u64(page, "next_cursor") : 0;
        cJSON_Delete(page);
    } while (rc == 0 && cursor != 0 && s->count < MAX_POINTS);
    sort_by_time(s);
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
    int kind = rc == 0 ? sl_device_kind_find(sl_value_text(run, "device_kind", "")) : 0;
    s->exact = sl_device_kind_traits(kind).counted;
    cJSON_Delete(run);
    return rc;
}

/* Which run a stretch of a line begins with. */
static size_t first_of(const struct series *s, int line, size_t stretch)
{
    return s->lines[line].stretches[stretch].first + (line == RATIO ? 0 : s->arms_from);
}

/* Relative, from the stretch before. */
static double change_of(const struct sl_history *h, size_t i)
{
    return i > 0 ? h->stretches[i].median / h->stretches[i - 1].median - 1 : 0;
}

/* Within a stretch, which is steady. */
static double mean_between(const struct series *s, int line, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += s->values[line][i];
    return sum / (double)(end - first);
}

/* Tells which arm changed the ratio; NULL where the arms are not known. */
static const char *meaning_of(const struct series *s, size_t i)
{
    const struct sl_history_stretch *stretch = &s->lines[RATIO].stretches[i];
    double changes[2];
    if (i == 0 || stretch[-1].first < s->arms_from)
        return NULL;
    for (int arm = 0; arm < 2; arm++)
        changes[arm] = mean_between(s, arm, stretch->first, stretch->first + stretch->count) /
                           mean_between(s, arm, stretch[-1].first, stretch->first) -
                       1;
    return sl_history_meaning(changes[OFF], changes[ON], s->exact);
}

static void name_part(const struct sl_history_part *part, char *out, size_t size)
{
    if (part->name && part->before > 0)
        snprintf(out, size, "%.80s %+.1f %%", part->name, 100 * (part->after / part->before - 1));
    else if (part->name)
        snprintf(out, size, "%.80s is new", part->name);
}

static int fetch_analysis(struct sl_client *client, const struct series *s, size_t at, cJSON **out,
                          struct sl_diag *diag)
{
    char path[SL_CLIENT_PATH_BYTES];
    snprintf(path, sizeof(path), "/api/v1/runs/%" PRIu64 "/analysis", s->points[at].run);
    return sl_client_get(client, path, NULL, out, diag);
}

/* Names what changed most in an arm at its last change, from the two runs next to it. A run whose
 * files are gone names nothing. */
static void find_cause(struct sl_client *client, struct series *s, int arm)
{
    struct sl_diag diag = {.what = ""};
    cJSON *before = NULL, *after = NULL;
    struct sl_history_part part;
    size_t count = s->lines[arm].count;
    size_t at = count > 1 ? first_of(s, arm, count - 1) : 0;
    if (at > 0 && fetch_analysis(client, s, at - 1, &before, &diag) == 0 &&
        fetch_analysis(client, s, at, &after, &diag) == 0) {
        struct cause *cause = &s->causes[arm];
        sl_history_cause(before, after, "categories", arm, &part);
        name_part(&part, cause->category, sizeof(cause->category));
        sl_history_cause(before, after, "operators", arm, &part);
        name_part(&part, cause->operator_name, sizeof(cause->operator_name));
    }
    cJSON_Delete(before);
    cJSON_Delete(after);
}

static int find_lines(struct sl_client *client, struct series *s)
{
    if (s->alone)
        return sl_history_make(s->values[OFF], s->count, false, &s->lines[OFF]);
    for (size_t i = 0; i < s->count; i++)
        if (!(s->values[OFF][i] > 0 && s->values[ON][i] > 0))
            s->arms_from = i + 1;
    int rc = sl_history_make(s->values[RATIO], s->count, s->exact, &s->lines[RATIO]);
    for (int arm = 0; rc == 0 && arm < 2; arm++) {
        rc = sl_history_make(s->values[arm] + s->arms_from, s->count - s->arms_from, s->exact,
                             &s->lines[arm]);
        if (rc == 0)
            find_cause(client, s, arm);
    }
    return rc;
}

/* The subject of the series. */
static const struct sl_history *main_line(const struct series *s)
{
    return &s->lines[s->alone ? OFF : RATIO];
}

/* Has any line become worse than it was before its last change? */
static bool regressed(const struct series *s)
{
    bool found = false;
    for (int line = 0; line < LINES && s->threshold_percent >= 0; line++)
        found = found ||
                sl_history_regressed(&s->lines[line], line == RATIO, s->threshold_percent / 100);
    return found;
}

static void put_changes(struct sl_json *json, const struct series *s, int line)
{
    const struct sl_history *h = &s->lines[line];
    sl_json_open_array(json, "changes");
    for (size_t i = 1; i < h->count; i++) {
        sl_json_open_object(json, NULL);
        sl_json_u64(json, "run", s->points[first_of(s, line, i)].run);
        sl_json_f64(json, "before", h->stretches[i - 1].median);
        sl_json_f64(json, "after", h->stretches[i].median);
        sl_json_f64(json, "change_percent", 100 * change_of(h, i));
        sl_json_u64(json, "runs_after", h->stretches[i].count);
        if (line == RATIO)
            sl_json_text(json, "meaning", meaning_of(s, i));
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static void put_arms(struct sl_json *json, const struct series *s)
{
    sl_json_open_object(json, "arms");
    for (int arm = 0; arm < 2; arm++) {
        const struct cause *cause = &s->causes[arm];
        sl_json_open_object(json, line_names[arm]);
        put_changes(json, s, arm);
        sl_json_text(json, "category", cause->category[0] ? cause->category : NULL);
        sl_json_text(json, "operator", cause->operator_name[0] ? cause->operator_name : NULL);
        sl_json_close_object(json);
    }
    sl_json_close_object(json);
}

static int put_json(const struct series *s)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, MAX_JSON_BYTES);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.history/1");
    sl_json_text(&json, "series", s->id);
    sl_json_text(&json, "method", s->exact ? "exact" : "rank-changes");
    sl_json_bool(&json, "enough", main_line(s)->enough);
    sl_json_u64(&json, "left_out", s->left_out);
    sl_json_open_array(&json, "points");
    for (size_t i = 0; i < s->count; i++) {
        sl_json_open_object(&json, NULL);
        sl_json_u64(&json, "run", s->points[i].run);
        sl_json_u64(&json, "started_ms", s->points[i].started_ms);
        if (s->alone)
            sl_json_f64(&json, "time", s->values[OFF][i]);
        else
            sl_json_f64(&json, "ratio", s->values[RATIO][i]);
        for (int arm = 0; arm < 2 && !s->alone; arm++)
            sl_json_f64(&json, line_names[arm], s->values[arm][i] > 0 ? s->values[arm][i] : NAN);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    put_changes(&json, s, s->alone ? OFF : RATIO);
    if (!s->alone)
        put_arms(&json, s);
    sl_json_bool(&json, "regressed", regressed(s));
    sl_json_close_object(&json);
    int rc = json.error ? json.error : sl_buf_print_line(&text);
    sl_buf_fini(&text);
    return rc;
}

static void put_line(struct sl_table *table, const struct series *s, int line)
{
    const struct sl_history *h = &s->lines[line];
    char text[SL_TIME_TEXT_BYTES], cost[32];
    for (size_t i = 0; i < h->count; i++) {
        size_t first = first_of(s, line, i);
        double median = h->stretches[i].median;
        sl_table_printf(table, "%" PRIu64, s->points[first].run);
        sl_table_printf(table, "%" PRIu64, s->points[first + h->stretches[i].count - 1].run);
        sl_table_put(table, sl_time_text(s->points[first].started_ms, text));
        sl_table_printf(table, "%zu", h->stretches[i].count);
        sl_table_put(table, s->alone ? "time" : line_names[line]);
        if (line == RATIO)
            sl_table_printf(table, "%.4f", median);
        else
            sl_table_put(table, sl_unit_format(cost, sizeof(cost), median,
                                               s->exact ? SL_TRACE_INSTRUCTIONS : SL_TRACE_NS));
        if (i > 0)
            sl_table_printf(table, "%+.2f %%", 100 * change_of(h, i));
        else
            sl_table_put(table, NULL);
    }
}

static void put_words(const struct series *s)
{
    size_t last = s->lines[RATIO].count;
    const char *meaning = last > 1 ? meaning_of(s, last - 1) : NULL;
    if (meaning)
        sl_say(stdout, "the ratio changed last because %s\n", meaning);
    for (int arm = 0; arm < 2; arm++)
        if (s->causes[arm].category[0])
            sl_say(stdout, "%s, most of its last change: %s, %s\n", line_names[arm],
                   s->causes[arm].category, s->causes[arm].operator_name);
    if (s->count > 0 && !main_line(s)->enough)
        sl_say(stdout, "%zu runs: from %d on changes are told from chance\n", s->count,
               SL_STEADINESS_MIN_RUNS);
    if (s->left_out > 0)
        sl_say(stdout, "%zu runs are left out: unfit, incomparable or wrong\n", s->left_out);
    if (s->threshold_percent >= 0)
        sl_say(stdout, "gate: %s by more than %g %% at its last change\n",
               s->alone && regressed(s) ? "not passed: it takes longer,"
               : s->alone               ? "passed: it does not take longer"
               : regressed(s)           ? "not passed: an arm costs more, or the ratio fell,"
                                        : "passed: no arm costs more and the ratio did not fall",
               s->threshold_percent);
}

static int put_text(const struct sl_cli *cli, const struct series *s)
{
    static const char *const heads[] = {">FROM RUN", ">TO RUN", "FROM",    ">RUNS",
                                        "WHAT",      ">MEDIAN", ">CHANGE", NULL};
    struct sl_table table;
    sl_table_init(&table, "history", "history", heads);
    for (int line = RATIO; line >= 0; line--)
        put_line(&table, s, line);
    int code = sl_cli_table(cli, &table, "No run of this series has a ratio with a verdict.");
    if (code == SL_EXIT_DONE)
        put_words(s);
    return code;
}

static int tell(const struct sl_cli *cli, struct series *s, struct sl_diag *diag)
{
    struct sl_client *client = NULL;
    int rc = sl_client_open_any(cli, &client, diag);
    if (rc < 0)
        return rc;
    s->points = sl_calloc(MAX_POINTS, sizeof(*s->points));
    for (int line = 0; line < LINES; line++)
        s->values[line] = sl_calloc(MAX_POINTS, sizeof(*s->values[line]));
    bool room = s->points && s->values[OFF] && s->values[ON] && s->values[RATIO];
    rc = room ? fetch(client, s, diag) : -ENOMEM;
    if (rc == 0 && s->count + s->left_out == 0) {
        sl_diag_hint(diag, "'sme2lab history' lists them");
        rc = sl_diag_set(diag, SL_E_NOT_FOUND, "command line", "There is no series %.40s", s->id);
    }
    if (rc == 0)
        rc = ask_kind(client, s, diag);
    if (rc == 0)
        rc = find_lines(client, s);
    sl_client_free(client);
    return rc;
}

static int tell_series(const struct sl_cli *cli, const char *id, double threshold_percent)
{
    struct sl_diag diag = {.what = ""};
    struct series s = {.id = id, .threshold_percent = threshold_percent};
    int code = SL_EXIT_DONE, rc = 0;
    if (strlen(id) != ID_CHARS || strspn(id, "0123456789abcdef") != ID_CHARS) {
        sl_diag_hint(&diag, "'sme2lab history' lists them");
        rc = sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "'%.60s' is no series", id);
    }
    if (rc == 0)
        rc = tell(cli, &s, &diag);
    if (rc == 0 && cli->json)
        rc = put_json(&s);
    else if (rc == 0)
        code = put_text(cli, &s);
    if (rc == 0 && code == SL_EXIT_DONE && regressed(&s))
        code = SL_EXIT_REGRESSION;
    sl_free(s.points);
    for (int line = 0; line < LINES; line++)
        sl_free(s.values[line]);
    if (rc < 0 && diag.what[0] == '\0')
        sl_diag_set(&diag, rc, NULL, "the series cannot be told: %s", sl_strerror(rc));
    return rc < 0 ? sl_cli_fail(cli, sl_exit_for_error(rc), &diag) : code;
}

static int put_list(const struct sl_cli *cli, const struct sl_list_options *list)
{
    static const char *const heads[] = {"SERIES",    "~MODEL",  "~DEVICE", "RUNTIME",
                                        ">LAST RUN", "STARTED", ">OFF/ON", NULL};
    char path[SL_CLIENT_PATH_BYTES] = "/api/v1/series", text[SL_TIME_TEXT_BYTES];
    struct sl_table table;
    cJSON *answer;
    int code = sl_ask_rows(cli, "series", path, true, list, &answer);
    if (!answer)
        return code;
    const cJSON *one;
    sl_table_init(&table, "history", "history", heads);
    cJSON_ArrayForEach(one, sl_value(answer, "series"))
    {
        const cJSON *newest = sl_value(one, "newest");
        sl_table_put(&table, sl_value_text(one, "id", ""));
        sl_table_put(&table, sl_value_text(one, "model", ""));
        sl_table_put(&table, sl_value_text(one, "device", ""));
        sl_table_put(&table, sl_value_text(newest, "runtime", NULL));
        sl_table_printf(&table, "%" PRIu64, sl_value_u64(newest, "id"));
        sl_table_put(&table, sl_time_text(sl_value_u64(newest, "started_ms"), text));
        if (sl_value_number(newest, "ratio", 0) > 0)
            sl_table_printf(&table, "%.4f", sl_value_number(newest, "ratio", 0));
        else
            sl_table_put(&table, NULL);
    }
    code = sl_cli_table(
        cli, &table,
        "No series. Runs of one model on one device make one: 'sme2lab run MODEL.pte'.");
    uint64_t next = sl_value_u64(answer, "next_cursor");
    if (next != 0 && !cli->quiet)
        sl_say(stderr, "older ones: sme2lab history --cursor %" PRIu64 "\n", next);
    cJSON_Delete(answer);
    return code;
}

int sl_cmd_history(const struct sl_cli *cli, int argc, char **argv)
{
    const char *words[1];
    struct sl_list_options list = {.filter = NULL};
    double threshold_percent = -1;
    const struct sl_option options[] = {
        SL_LIST_SEARCH(list),
        SL_LIST_PAGE(list),
        {"--threshold", 0, SL_OPTION_REAL, &threshold_percent, "PCT",
         "with SERIES: exit with 3 where its last change made off, on or off / on worse by more"},
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
    return count == 0 ? put_list(cli, &list) : tell_series(cli, words[0], threshold_percent);
}
