/* host/report/inspector_tsv.c */
#include "host/report/inspector_tsv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "host/analysis/inspector.h"
#include "host/analysis/statistics.h"
#include "host/report/etrecord.h"

#define NS_TO_MS 1e6
#define WRAP_MAX 4294967295.0 /* the last stamp of a 32-bit clock */

struct table {
    struct sl_buf *out;
    const struct sl_etrecord *record;
    const struct sl_inspector *inspector;
    const struct sl_inspector_block *block;
    const struct sl_inspector_row *row;
    double *values, *sorted; /* [run_count] of the row */
    size_t line;
    int error;
};

static void note(struct table *t, int rc)
{
    if (t->error == 0 && rc < 0)
        t->error = rc;
}

static void put(struct table *t, const char *text)
{
    note(t, sl_buf_append(t->out, text, strlen(text)));
}

int sl_python_float(struct sl_buf *out, double value)
{
    char text[40];
    int digits = 0;
    do { /* the fewest digits that name this number and no other */
        snprintf(text, sizeof(text), "%.*e", digits, value);
    } while (strtod(text, NULL) != value && ++digits < 17);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 16)
        return sl_buf_append(out, text, strlen(text));
    int behind = digits - exponent;
    return sl_buf_printf(out, "%.*f", behind < 1 ? 1 : behind, value);
}

/* A field as Python's csv module writes it with tabs: quoted only where it must be. */
static void put_field(struct table *t, const char *text, size_t len)
{
    size_t before = t->out->size;
    bool quoted = false;
    for (size_t i = 0; i < len; i++)
        quoted = quoted || strchr("\t\"\r\n", text[i]) != NULL;
    put(t, quoted ? "\"" : "");
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            put(t, "\"");
        note(t, sl_buf_append(t->out, &text[i], 1));
    }
    put(t, quoted ? "\"" : "");
    if (t->out->size > before)
        sl_utf8_clean((char *)t->out->data + before, "\t\n"); /* '\r' would hide the line's begin */
}

/* numpy's sum of n doubles: eight partial sums in blocks of at most 128, halves above. */
static double pairwise_sum(const double *a, size_t n)
{
    if (n < 8) {
        double sum = -0.0;
        for (size_t i = 0; i < n; i++)
            sum += a[i];
        return sum;
    }
    if (n > 128) {
        size_t half = n / 2 - n / 2 % 8;
        return pairwise_sum(a, half) + pairwise_sum(a + half, n - half);
    }
    double r[8];
    size_t i = 8;
    memcpy(r, a, sizeof(r));
    for (; i < n - n % 8; i += 8) {
        for (size_t k = 0; k < 8; k++)
            r[k] += a[i + k];
    }
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++)
        sum += a[i];
    return sum;
}

/* numpy's percentile, linear: from the upper end where that is nearer. */
static double percentile(const double *sorted, size_t n, double q)
{
    double at = (double)(n - 1) * (q / 100.0);
    size_t below = (size_t)floor(at);
    size_t above = below + 1 < n ? below + 1 : below;
    double part = at - floor(at);
    double step = sorted[above] - sorted[below];
    return part >= 0.5 ? sorted[above] - step * (1.0 - part) : sorted[below] + step * part;
}

/* An event's milliseconds, in the Inspector's own order of operations: a delegate's stamps are
 * divided first, anything else's difference. False where the Inspector gives up. */
static bool elapsed(bool delegated, uint64_t start, uint64_t end, double *out)
{
    double from = (double)start / NS_TO_MS;
    double to = (double)end / NS_TO_MS;
    if (!delegated) {
        if (start > end && start > UINT32_MAX)
            return false;
        uint64_t whole = start > end ? UINT32_MAX - start + end : end - start;
        *out = (double)whole / NS_TO_MS;
        return true;
    }
    if (from > to && (from > WRAP_MAX || to > WRAP_MAX))
        return false;
    *out = from > to ? (WRAP_MAX - from) + to : to - from;
    return true;
}

static struct sl_etdump_event picked(const struct table *t, size_t run)
{
    const struct sl_inspector_block *b = t->block;
    size_t row = (size_t)(t->row - b->rows);
    struct sl_etdump_event room;
    return *sl_etdump_event_read(&t->inspector->etdump->runs[b->runs[run]],
                                 b->picks[run * b->row_count + row], &room);
}

static void put_figures(struct table *t, struct sl_diag *diag)
{
    size_t n = t->block->run_count;
    bool delegated = sl_inspector_is_delegated(t->row);
    for (size_t k = 0; k < n; k++) {
        struct sl_etdump_event e = picked(t, k);
        if (!elapsed(delegated, e.start, e.end, &t->values[k])) {
            note(t, sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                                "the Inspector refuses the file: an event ends at %" PRIu64
                                " before it begins at %" PRIu64 " on a clock of over 32 bits",
                                e.end, e.start));
            return;
        }
    }
    memcpy(t->sorted, t->values, n * sizeof(*t->sorted));
    sl_sort_doubles(t->sorted, n);
    const double figures[] = {percentile(t->sorted, n, 10),
                              percentile(t->sorted, n, 50),
                              percentile(t->sorted, n, 90),
                              pairwise_sum(t->values, n) / (double)n,
                              t->sorted[0],
                              t->sorted[n - 1]};
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        put(t, "\t");
        note(t, sl_python_float(t->out, figures[i]));
    }
}

/* A text as Python's repr() quotes it; operator types hold nothing that needs more. */
static void put_quoted(struct sl_buf *out, const char *text)
{
    const char *quote = strchr(text, '\'') && !strchr(text, '"') ? "\"" : "'";
    sl_buf_printf(out, "%s%s%s", quote, text, quote);
}

/* The types of the model's own operators that the record knows for the row, as Python prints a
 * list; from five on only the ends. */
static void put_types(struct table *t, const struct sl_etrecord_match *match)
{
    struct sl_buf text;
    size_t n = match->node_count;
    sl_buf_init(&text, SL_ETRECORD_MAX_BYTES);
    int rc = sl_buf_printf(&text, "[");
    for (size_t i = 0; rc == 0 && n < 5 && i < n; i++) {
        rc = sl_buf_printf(&text, i > 0 ? ", " : "");
        put_quoted(&text, match->nodes[i]->type);
    }
    if (rc == 0 && n >= 5)
        rc = sl_buf_printf(&text, "'%s', '%s' ... '%s'", match->nodes[0]->type,
                           match->nodes[1]->type, match->nodes[n - 1]->type);
    if (rc == 0)
        rc = n >= 5 ? sl_buf_printf(&text, "] (%zu total)", n) : sl_buf_printf(&text, "]");
    note(t, rc);
    put(t, "\t");
    if (rc == 0)
        put_field(t, (const char *)text.data, text.size);
    sl_buf_fini(&text);
}

static void put_starts(struct table *t)
{
    put(t, "\t");
    if (t->row->profile.kind != SL_ETDUMP_PROFILE)
        return;
    for (size_t k = 0; k < t->block->run_count; k++)
        note(t, sl_buf_printf(t->out, "%s%" PRIu64, k == 0 ? "[" : ", ", picked(t, k).start));
    put(t, "]");
}

static void put_row(struct table *t, struct sl_diag *diag)
{
    char number[SL_INSPECTOR_NUMBER_SIZE];
    uint32_t len = 0;
    const char *name = sl_inspector_name(t->row, number, &len);
    struct sl_etrecord_match match = {.node_count = 0};
    bool delegated = sl_inspector_is_delegated(t->row);
    static const char excluded[] = "OPERATOR_CALL";
    for (size_t i = 0; i + sizeof(excluded) - 1 <= len; i++) {
        if (memcmp(name + i, excluded, sizeof(excluded) - 1) == 0)
            return;
    }
    if (t->record) {
        const struct sl_etdump_event *e =
            t->row->profile.kind == SL_ETDUMP_PROFILE ? &t->row->profile : &t->row->debug;
        note(t, sl_etrecord_find(t->record, e->instruction_id, name, len, delegated, &match));
    }
    note(t, sl_buf_printf(t->out, "%zu\t", t->line++));
    put_field(t, t->block->name, t->block->name_len);
    put(t, "\t");
    put_field(t, name, len);
    if (t->row->profile.kind == SL_ETDUMP_PROFILE)
        put_figures(t, diag);
    else
        put(t, "\t\t\t\t\t\t");
    put_types(t, &match);
    put(t, delegated ? "\tTrue\t" : "\tFalse\t");
    if (match.backend)
        put_field(t, match.backend, strlen(match.backend));
    put_starts(t);
    put(t, "\n");
    sl_etrecord_match_fini(&match);
}

static int put_block(struct table *t, const struct sl_inspector_block *block, struct sl_diag *diag)
{
    t->block = block;
    t->values = sl_malloc(block->run_count, sizeof(*t->values));
    t->sorted = sl_malloc(block->run_count, sizeof(*t->sorted));
    if (!t->values || !t->sorted)
        note(t, -ENOMEM);
    for (size_t i = 0; t->error == 0 && i < block->row_count; i++) {
        t->row = &block->rows[i];
        put_row(t, diag);
    }
    sl_free(t->values);
    sl_free(t->sorted);
    return t->error;
}

int sl_inspector_tsv(struct sl_buf *out, const struct sl_etdump *etdump,
                     const struct sl_etrecord *record, struct sl_diag *diag)
{
    struct sl_inspector inspector;
    int rc = sl_inspector_make(etdump, &inspector, diag);
    if (rc < 0)
        return rc;
    struct table t = {.out = out, .record = record, .inspector = &inspector};
    put(&t, "\tevent_block_name\tevent_name\tp10 (ms)\tp50 (ms)\tp90 (ms)\tavg (ms)\tmin (ms)\t"
            "max (ms)\top_types\tis_delegated_op\tdelegate_backend_name\tstart_time\n");
    for (size_t i = 0; t.error == 0 && i < inspector.block_count; i++)
        put_block(&t, &inspector.blocks[i], diag);
    sl_inspector_fini(&inspector);
    return t.error;
}
