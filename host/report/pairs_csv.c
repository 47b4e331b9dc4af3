/* host/report/pairs_csv.c */
#include "host/report/pairs_csv.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"

enum { MAX_COLUMNS = 256, MAX_FIELD_BYTES = 256, MAX_SLOTS_LOG2 = 22 };
enum { BASELINE, CANDIDATE, EXPERIMENT, PROCESS, WANTED };

struct reader {
    const char *file;
    const char *at, *end;
    size_t line;        /* from 1 */
    int columns;        /* of the head */
    int wanted[WANTED]; /* column of each, or -1 */
    struct sl_pairs_file *out;
    size_t pair_capacity, experiment_capacity;
    size_t names_size, names_capacity;
    size_t *row_experiments; /* [pair_count] */
    size_t *name_offsets;    /* [experiment_count]: `names` moves while it grows */
    uint32_t *slots;         /* open addressing over experiments: 0 is free, else index + 1 */
    size_t slot_count;
    struct sl_diag *diag;
};

static int refuse(const struct reader *r, const char *what, const char *detail)
{
    char where[192];
    snprintf(where, sizeof(where), "%.150s, line %zu", r->file, r->line);
    sl_diag_hint(r->diag, "the first line names baseline_ns,candidate_ns or off_ns,on_ns; each "
                          "other line is one pair");
    return sl_diag_set(r->diag, SL_E_FORMAT, where, "%s%.100s", what, detail);
}

/* Makes room for one more of `size` bytes in *block. */
static int grow(void *block, size_t count, size_t *capacity, size_t size)
{
    void *old;
    if (count < *capacity)
        return 0;
    memcpy(&old, block, sizeof(old));
    size_t more = *capacity ? *capacity * 2 : 64;
    void *now = sl_realloc(old, more, size);
    if (!now)
        return -ENOMEM;
    memcpy(block, &now, sizeof(now));
    *capacity = more;
    return 0;
}

/* Takes the next field of the line into `out`, without its quotes and the spaces around it. True in
 * *out_last when the line ends behind it. */
static int next_field(struct reader *r, char out[MAX_FIELD_BYTES], bool *out_last)
{
    size_t used = 0;
    bool quoted = false;
    for (; r->at < r->end && *r->at != '\n'; r->at++) {
        char c = *r->at;
        if (c == '"' && quoted && r->at + 1 < r->end && r->at[1] == '"')
            r->at++;
        else if (c == '"') {
            quoted = !quoted;
            continue;
        } else if (c == ',' && !quoted)
            break;
        if (c == '\0')
            return refuse(r, "a byte 0 is no text", "");
        if (used == 0 && c == ' ')
            continue;
        if (used + 1 == MAX_FIELD_BYTES)
            return refuse(r, "a field is longer than 255 bytes", "");
        out[used++] = c;
    }
    if (quoted)
        return refuse(r, "a quote is not closed on its line", "");
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == '\r'))
        used--;
    out[used] = '\0';
    *out_last = r->at == r->end || *r->at == '\n';
    r->at += r->at < r->end;
    return 0;
}

static int wanted_of(const char *name, bool *out_off_on)
{
    static const char *const names[] = {"baseline_ns", "candidate_ns", "off_ns", "on_ns"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *out_off_on = i >= 2;
        return i % 2;
    }
    return strcmp(name, "experiment") == 0 ? EXPERIMENT
           : strcmp(name, "process") == 0  ? PROCESS
                                           : -1;
}

static int read_head(struct reader *r)
{
    static const char mark[] = "\xef\xbb\xbf"; /* what spreadsheets put before UTF-8 */
    char name[MAX_FIELD_BYTES];
    bool last = false;
    bool off_on[2] = {false, false};
    if (r->end - r->at >= 3 && memcmp(r->at, mark, 3) == 0)
        r->at += 3;
    for (int column = 0; !last; column++) {
        int rc = next_field(r, name, &last);
        if (rc < 0)
            return rc;
        if (column == MAX_COLUMNS)
            return refuse(r, "there are more than 256 columns", "");
        r->columns = column + 1;
        bool pair_of_off_on = false;
        int which = wanted_of(name, &pair_of_off_on);
        if (which < 0)
            continue;
        if (r->wanted[which] >= 0)
            return refuse(r, "two columns say the same: ", name);
        r->wanted[which] = column;
        if (which < EXPERIMENT)
            off_on[which] = pair_of_off_on;
    }
    if (r->wanted[BASELINE] < 0 || r->wanted[CANDIDATE] < 0 || off_on[0] != off_on[1])
        return refuse(r, "there are no columns baseline_ns and candidate_ns, nor off_ns and on_ns",
                      "");
    r->out->off_on = off_on[0];
    return 0;
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static int add_experiment(struct reader *r, const char *name, size_t slot)
{
    struct sl_pairs_file *out = r->out;
    size_t len = strlen(name) + 1;
    if (out->experiment_count == SL_PAIRS_MAX_EXPERIMENTS)
        return refuse(r, "there are more experiments than 1048576", "");
    size_t capacity = r->experiment_capacity;
    int rc = grow(&r->name_offsets, out->experiment_count, &capacity, sizeof(size_t));
    if (rc == 0)
        rc = grow(&out->experiments, out->experiment_count, &r->experiment_capacity,
                  sizeof(*out->experiments));
    for (size_t i = 0; rc == 0 && i < len; i++) {
        rc = grow(&out->names, r->names_size, &r->names_capacity, 1);
        if (rc == 0)
            out->names[r->names_size++] = name[i];
    }
    if (rc < 0)
        return rc;
    r->name_offsets[out->experiment_count] = r->names_size - len;
    out->experiments[out->experiment_count++] = (struct sl_pairs_experiment){.count = 0};
    r->slots[slot] = (uint32_t)out->experiment_count;
    return 0;
}

/* Index of the experiment of that name, made if new. */
static int find_experiment(struct reader *r, const char *name, size_t *out_index)
{
    size_t slot = (size_t)hash_of(name) & (r->slot_count - 1);
    for (; r->slots[slot] != 0; slot = (slot + 1) & (r->slot_count - 1)) {
        *out_index = r->slots[slot] - 1;
        if (strcmp(r->out->names + r->name_offsets[*out_index], name) == 0)
            return 0;
    }
    *out_index = r->out->experiment_count;
    return add_experiment(r, name, slot);
}

static int parse_time(const struct reader *r, const char *text, double *out)
{
    char *end = NULL;
    bool plain = text[0] != '\0' && strspn(text, "0123456789.eE+-") == strlen(text);
    *out = plain ? strtod(text, &end) : NAN;
    /* Sums and quotients of such values stay finite. */
    if (!plain || *end != '\0' || !isfinite(*out) || *out < 1e-9 || *out > 1e18)
        return refuse(r, "this is no time in nanoseconds above 0: ", text);
    return 0;
}

static int parse_process(struct reader *r, const char *text, uint32_t *out)
{
    size_t len = strlen(text);
    if (len == 0 || len > 9 || strspn(text, "0123456789") != len)
        return refuse(r, "this is no number of a process, from 0 to 999999999: ", text);
    *out = (uint32_t)strtoul(text, NULL, 10);
    return 0;
}

static int read_row(struct reader *r)
{
    char field[MAX_FIELD_BYTES];
    char name[MAX_FIELD_BYTES] = "";
    struct sl_time_pair pair = {.process = 0};
    bool last = false;
    bool empty = false;
    int rc = 0;
    int column = 0;
    for (; rc == 0 && !last; column++) {
        rc = next_field(r, field, &last);
        empty = column == 0 && last && field[0] == '\0';
        if (rc < 0 || empty)
            break;
        if (column == r->wanted[BASELINE])
            rc = parse_time(r, field, &pair.baseline);
        else if (column == r->wanted[CANDIDATE])
            rc = parse_time(r, field, &pair.candidate);
        else if (column == r->wanted[PROCESS])
            rc = parse_process(r, field, &pair.process);
        else if (column == r->wanted[EXPERIMENT])
            memcpy(name, field, sizeof(name));
    }
    if (rc < 0 || empty)
        return rc;
    if (pair.baseline == 0 || pair.candidate == 0 || column <= r->wanted[EXPERIMENT] ||
        column <= r->wanted[PROCESS])
        return refuse(r, "the line has too few fields", "");
    if (column > r->columns)
        return refuse(r, "the line has more fields than the head has columns", "");
    if (r->out->pair_count == SL_PAIRS_MAX_ROWS)
        return refuse(r, "there are more rows than 16777216", "");
    size_t capacity = r->pair_capacity;
    rc = grow(&r->row_experiments, r->out->pair_count, &capacity, sizeof(size_t));
    if (rc == 0)
        rc = grow(&r->out->pairs, r->out->pair_count, &r->pair_capacity, sizeof(pair));
    size_t index = 0;
    if (rc == 0)
        rc = find_experiment(r, name, &index);
    if (rc < 0)
        return rc;
    r->out->experiments[index].count++;
    r->row_experiments[r->out->pair_count] = index;
    r->out->pairs[r->out->pair_count++] = pair;
    return 0;
}

/* Brings the rows of each experiment together, in their order. */
static int group(struct reader *r)
{
    struct sl_pairs_file *out = r->out;
    struct sl_time_pair *grouped = sl_malloc(out->pair_count, sizeof(*grouped));
    if (!grouped)
        return -ENOMEM;
    size_t first = 0;
    for (size_t i = 0; i < out->experiment_count; i++) {
        out->experiments[i].first = first;
        first += out->experiments[i].count;
        out->experiments[i].count = 0;
        out->experiments[i].name =
            r->wanted[EXPERIMENT] >= 0 ? out->names + r->name_offsets[i] : NULL;
    }
    for (size_t i = 0; i < out->pair_count; i++) {
        struct sl_pairs_experiment *experiment = &out->experiments[r->row_experiments[i]];
        grouped[experiment->first + experiment->count++] = out->pairs[i];
    }
    sl_free(out->pairs);
    out->pairs = grouped;
    return 0;
}

/* Slots for at most half as many names as the file can hold. */
static int make_slots(struct reader *r)
{
    size_t most = (size_t)(r->end - r->at) / 4 + 1; /* "1,1\n" */
    r->slot_count = 64;
    while (r->slot_count < 2 * most && r->slot_count < (size_t)1 << MAX_SLOTS_LOG2)
        r->slot_count *= 2;
    r->slots = sl_calloc(r->slot_count, sizeof(*r->slots));
    return r->slots ? 0 : -ENOMEM;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Pairs of a process stand together: each return to one would count as another. */
static int check_processes(struct reader *r)
{
    const struct sl_pairs_file *out = r->out;
    uint32_t *begun = sl_malloc(out->pair_count, sizeof(*begun));
    int rc = begun ? 0 : -ENOMEM;
    for (size_t e = 0; rc == 0 && e < out->experiment_count; e++) {
        const struct sl_time_pair *pairs = out->pairs + out->experiments[e].first;
        size_t count = 0;
        for (size_t i = 0; i < out->experiments[e].count; i++)
            if (i == 0 || pairs[i].process != pairs[i - 1].process)
                begun[count++] = pairs[i].process;
        qsort(begun, count, sizeof(*begun), by_number);
        for (size_t i = 1; rc == 0 && i < count; i++)
            if (begun[i] == begun[i - 1])
                rc = refuse(r, "the rows of a process do not stand together", "");
    }
    sl_free(begun);
    return rc;
}

int sl_pairs_parse(struct sl_bytes csv, const char *file, struct sl_pairs_file *out,
                   struct sl_diag *diag)
{
    struct sl_pairs_file made = {.pairs = NULL};
    struct reader r = {.file = file,
                       .at = (const char *)csv.data,
                       .end = (const char *)csv.data + csv.size,
                       .line = 1,
                       .wanted = {-1, -1, -1, -1},
                       .out = &made,
                       .diag = diag};
    int rc = make_slots(&r);
    if (rc == 0)
        rc = read_head(&r);
    for (r.line = 2; rc == 0 && r.at < r.end; r.line++)
        rc = read_row(&r);
    if (rc == 0 && made.pair_count == 0)
        rc = refuse(&r, "there is no pair in the file", "");
    if (rc == 0)
        rc = group(&r);
    if (rc == 0 && r.wanted[PROCESS] >= 0)
        rc = check_processes(&r);
    sl_free(r.row_experiments);
    sl_free(r.name_offsets);
    sl_free(r.slots);
    if (rc < 0)
        sl_pairs_file_fini(&made);
    else
        *out = made;
    return rc;
}

void sl_pairs_file_fini(struct sl_pairs_file *file)
{
    sl_free(file->pairs);
    sl_free(file->experiments);
    sl_free(file->names);
    *file = (struct sl_pairs_file){.pairs = NULL};
}
