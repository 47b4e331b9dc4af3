/* host/report/source_lines.c */
#include "host/report/source_lines.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/comparison.h"
#include "host/report/etrecord.h"
#include "host/report/table.h"
#include "host/report/text.h"
#include "host/report/unit.h"

enum { MAX_INSTRUCTION = 1 << 16, UNKNOWN = -1, NOT_ASKED = -2, SHOWN = 60, CODE_BYTES = 404 };

struct maker {
    const struct sl_analysis *analysis;
    struct sl_source_lines out;
    int32_t *line_of; /* of each instruction: index of its line, UNKNOWN or NOT_ASKED */
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "softmax" of "y = F.softmax(x)"; the line itself where it calls nothing or more than one. */
static void name_call(const char *code, char *out, size_t size)
{
    const char *called = NULL;
    size_t calls = 0;
    for (const char *at = strchr(code, '('); at; at = strchr(at + 1, '(')) {
        if (at == code || !is_word(at[-1]))
            continue;
        called = at;
        calls++;
    }
    if (calls != 1) {
        snprintf(out, size, "%s", code);
        sl_text_fit(out, SHOWN);
        return;
    }
    const char *first = called;
    while (first > code && is_word(first[-1]))
        first--;
    snprintf(out, size, "%.*s", (int)(called - first), first);
}

/* Does the name, behind "native_call_", begin with that word? */
static bool is_called(const struct sl_operator *op, const char *word)
{
    static const char prefix[] = "native_call_";
    size_t skip = sizeof(prefix) - 1, len = strcspn(word, ".");
    return op->name_len >= skip + len && memcmp(op->name, prefix, skip) == 0 &&
           memcmp(op->name + skip, word, len) == 0 &&
           (op->name_len == skip + len || op->name[skip + len] == '.');
}

/* Is "native_call_where.self_out" what "aten.where.self" became? Types may lack their namespace. */
static bool agree(const struct sl_operator *op, const char *type)
{
    const char *dot = strchr(type, '.');
    return is_called(op, type) || (dot && is_called(op, dot + 1));
}

static int32_t find_line(struct maker *m, const struct sl_etrecord_node *node)
{
    struct sl_source_line made = {.operators = 0};
    char code[CODE_BYTES], clean[SL_TEXT_SIZE];
    sl_etrecord_place(node, made.place, sizeof(made.place));
    sl_etrecord_code(node, code, sizeof(code));
    if (!made.place[0])
        return UNKNOWN;
    name_call(sl_text_copy(clean, code, strlen(code)), made.call, sizeof(made.call));
    for (size_t i = 0; i < m->out.count; i++)
        if (strcmp(m->out.lines[i].place, made.place) == 0 &&
            strcmp(m->out.lines[i].call, made.call) == 0)
            return (int32_t)i;
    if (m->out.count == SL_SOURCE_MAX_LINES)
        return UNKNOWN;
    m->out.lines[m->out.count] = made;
    return (int32_t)m->out.count++;
}

/* Asks the record once for each instruction. */
static int ask(struct maker *m, const struct sl_operator *op, int32_t instruction, int32_t *out)
{
    struct sl_etrecord_match match;
    int rc =
        sl_etrecord_find(m->analysis->record, instruction, op->name, op->name_len, false, &match);
    if (rc < 0)
        return rc;
    *out = UNKNOWN;
    for (size_t i = 0; i < match.node_count && *out == UNKNOWN; i++)
        if (agree(op, match.nodes[i]->type))
            *out = find_line(m, match.nodes[i]);
    if (*out != UNKNOWN)
        m->out.lines[*out].operators++;
    sl_etrecord_match_fini(&match);
    return 0;
}

static int add_event(struct maker *m, size_t event, int32_t instruction, double runs)
{
    const struct sl_attribution *a = &m->analysis->attribution;
    uint32_t at = a->event_operators[event];
    if (at >= a->operator_count || instruction < 0 || instruction >= MAX_INSTRUCTION)
        return 0;
    const struct sl_operator *op = &a->operators[at];
    int32_t *line = &m->line_of[instruction];
    if (op->delegated || op->category_by_name == SL_CATEGORY_FRAMEWORK)
        return 0;
    int rc = *line == NOT_ASKED ? ask(m, op, instruction, line) : 0;
    if (rc == 0 && *line != UNKNOWN)
        m->out.lines[*line].cost += (double)a->event_self[event] / runs;
    return rc;
}

static int larger_first(const void *a, const void *b)
{
    const struct sl_source_line *x = a, *y = b;
    return x->cost > y->cost ? -1 : x->cost < y->cost ? 1 : strcmp(x->place, y->place);
}

int sl_source_lines_make(const struct sl_analysis *analysis, struct sl_source_lines *out)
{
    const struct sl_attribution *a = &analysis->attribution;
    struct maker m = {.analysis = analysis};
    int rc = 0;
    *out = (struct sl_source_lines){.count = 0};
    if (!analysis->record)
        return 0;
    m.out.lines = sl_calloc(SL_SOURCE_MAX_LINES, sizeof(*m.out.lines));
    m.line_of = sl_malloc(MAX_INSTRUCTION, sizeof(*m.line_of));
    if (!m.out.lines || !m.line_of)
        rc = -ENOMEM;
    for (size_t i = 0; rc == 0 && i < MAX_INSTRUCTION; i++)
        m.line_of[i] = NOT_ASKED;
    for (size_t i = 0; rc == 0 && i < a->run_count; i++) {
        const struct sl_attribution_run *run = &a->runs[i];
        for (size_t k = 0; rc == 0 && !run->warmup && k < run->event_count; k++) {
            struct sl_etdump_event room;
            const struct sl_etdump_event *e =
                sl_etdump_event_read(&analysis->etdump->runs[run->block], (uint32_t)k, &room);
            rc = add_event(&m, run->first_event + k, e->instruction_id, (double)a->measured_count);
        }
    }
    sl_free(m.line_of);
    if (rc < 0) {
        sl_source_lines_fini(&m.out);
        return rc;
    }
    qsort(m.out.lines, m.out.count, sizeof(*m.out.lines), larger_first);
    *out = m.out;
    return 0;
}

void sl_source_lines_fini(struct sl_source_lines *lines)
{
    sl_free(lines->lines);
    *lines = (struct sl_source_lines){.count = 0};
}

static const struct sl_source_line *same_line(const struct sl_source_lines *lines,
                                              const struct sl_source_line *wanted)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strcmp(lines->lines[i].place, wanted->place) == 0 &&
            strcmp(lines->lines[i].call, wanted->call) == 0)
            return &lines->lines[i];
    return NULL;
}

static void put_lines(const struct sl_comparison *c, const struct sl_source_lines sides[2],
                      struct sl_table *out)
{
    for (size_t i = 0; i < sides[1].count; i++) {
        const struct sl_source_line *on = &sides[1].lines[i];
        const struct sl_source_line *off = same_line(&sides[0], on);
        sl_table_text(out, on->place);
        sl_table_text(out, on->call);
        sl_table_printf(out, "%zu", on->operators);
        sl_table_figure(out, off ? off->cost : NAN, c->unit);
        sl_table_figure(out, on->cost, c->unit);
        sl_table_share(out, on->cost / c->whole_candidate);
        sl_table_ratio(out, off ? off->cost : 0, on->cost, 2);
    }
}

bool sl_source_lines_table(const struct sl_comparison_report *report, const char *const names[2],
                           struct sl_table *out)
{
    struct sl_source_lines sides[2] = {{.count = 0}, {.count = 0}};
    char off[112], on[112];
    int rc = sl_source_lines_make(report->baseline, &sides[0]);
    if (rc == 0)
        rc = sl_source_lines_make(report->candidate, &sides[1]);
    bool known = rc == 0 && sides[1].count > 0;
    snprintf(off, sizeof(off), ">%.100s", names[0]);
    snprintf(on, sizeof(on), ">%.100s", names[1]);
    const char *const heads[] = {"Line", "Call", ">Operators", off, on, ">Share", ">Ratio", NULL};
    if (known) {
        sl_table_init(out, "lines", "Operators outside delegates, by the model's source line",
                      heads);
        snprintf(out->note, sizeof(out->note),
                 "Unit: %s. Mean per run, own work; the lines are the ETRecord's.",
                 sl_unit_words(report->comparison->unit));
        put_lines(report->comparison, sides, out);
    }
    sl_source_lines_fini(&sides[0]);
    sl_source_lines_fini(&sides[1]);
    return known;
}
