/* host/analysis/attribution.c */
#include "host/analysis/attribution.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "common/format/sltrace.h"
#include "common/format/trace_etdump.h"
#include "host/analysis/cold.h"
#include "host/analysis/nesting.h"
#include "host/analysis/operators.h"
#include "host/analysis/origin.h"
#include "host/analysis/origin_plan.h"
#include "host/analysis/rounds.h"
#include "host/analysis/small_shape.h"

struct sl_attribution_pool {
    struct sl_operator_table operators;
};

/* The oddities in the data of all runs; each becomes one warning. */
struct findings {
    uint32_t without_execute, several_executes, negative, strays, wrapped, backwards;
    uint32_t first_without, first_negative;
    uint32_t damaged, first_damaged;
    int64_t lowest;
    char lowest_name[64];
};

struct maker {
    const struct sl_etdump *etdump;
    const struct sl_attribution_options *options;
    struct sl_attribution *out;
    struct sl_operator_table *table;
    struct sl_origin origin;
    const struct sl_origin_plan *plan; /* NULL where a trace tells */
    struct sl_origin_walk walk;
    struct sl_nesting nesting;
    struct findings findings;
    size_t event_count; /* of the whole file */
    uint32_t file_runs; /* those left out by only_run among them */
    bool positions_differ;
};

void sl_attribution_warn(struct sl_attribution *attribution, const char *format, ...)
{
    if (attribution->warning_count == SL_ATTRIBUTION_MAX_WARNINGS)
        return;
    char *text = attribution->warnings[attribution->warning_count++];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(attribution->warnings[0]), format, args);
    va_end(args);
}

static bool is_text(const char *text, uint32_t len, const char *expected)
{
    return text && len == strlen(expected) && memcmp(text, expected, len) == 0;
}

static bool is_named(const struct sl_etdump_event *event, const char *name)
{
    return event->kind == SL_ETDUMP_PROFILE && is_text(event->name, event->name_len, name);
}

static bool holds_named(const struct sl_etdump_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->event_count; i++) {
        struct sl_etdump_event room;
        if (is_named(sl_etdump_event_read(run, i, &room), name))
            return true;
    }
    return false;
}

static bool is_run(const struct sl_etdump_run *run)
{
    return is_text(run->name, run->name_len, "Execute") || holds_named(run, "Method::execute");
}

/* Does the block's name say that figures are instructions? */
static bool says_counted(const struct sl_etdump_run *run)
{
    static const char marker[] = SL_ETDUMP_INSTRUCTIONS_MARKER;
    size_t len = sizeof(marker) - 1, end = run->name ? run->name_len : 0;
    return end > len && run->name[end - 1] == ')' &&
           memcmp(run->name + end - 1 - len, marker, len) == 0;
}

/* Load figures and the unit stand in blocks before the runs; every event is looked at once. */
static void read_load(struct sl_attribution *out, const struct sl_etdump_run *run)
{
    if (says_counted(run))
        out->unit = SL_TRACE_INSTRUCTIONS;
    for (uint32_t i = 0; i < run->event_count; i++) {
        struct sl_etdump_event room;
        const struct sl_etdump_event *e = sl_etdump_event_read(run, i, &room);
        uint64_t duration = e->end - e->start;
        if (is_named(e, "Program::load_method")) {
            out->program_load = (int64_t)((uint64_t)out->program_load + duration);
            out->has_program_load = true;
        } else if (is_named(e, "Method::init")) {
            out->method_init = (int64_t)((uint64_t)out->method_init + duration);
            out->has_method_init = true;
        } else if (is_named(e, SL_ETDUMP_INSTRUCTIONS_MARKER)) {
            out->unit = SL_TRACE_INSTRUCTIONS;
        }
    }
}

/* Lists the runs and reads the load blocks. */
static int list_runs(struct maker *m, struct sl_diag *diag)
{
    const struct sl_etdump *etdump = m->etdump;
    struct sl_attribution *out = m->out;
    out->runs = sl_calloc(etdump->run_count, sizeof(*out->runs));
    if (!out->runs)
        return -ENOMEM;
    for (uint32_t b = 0; b < etdump->run_count; b++) {
        const struct sl_etdump_run *run = &etdump->runs[b];
        read_load(out, run);
        if (!is_run(run))
            continue;
        uint32_t index = m->file_runs++;
        if (m->options->only_run < 0 || m->options->only_run == index) {
            const struct sl_trace_record *block = out->traced ? m->origin.blocks[b] : NULL;
            out->runs[out->run_count++] = (struct sl_attribution_run){
                .run = index,
                .block = b,
                .block_name = run->name ? run->name : "",
                .block_name_len = run->name ? run->name_len : 0,
                .warmup = block && (block->flags & SL_TRACE_BLOCK_WARMUP) != 0,
                .pair = block ? block->block.pair : UINT32_MAX};
        }
    }
    if (m->options->only_run >= 0 && out->run_count == 0)
        return sl_diag_set(diag, SL_E_NOT_FOUND, NULL,
                           "there is no run %" PRId64 "; the file has %u", m->options->only_run,
                           m->file_runs);
    return 0;
}

/* Warm-ups and pairs of a file that several processes wrote, each with its own. */
static void apply_rounds(struct maker *m)
{
    const struct sl_rounds *rounds = m->options->rounds;
    struct sl_attribution *out = m->out;
    if (!rounds || out->traced)
        return;
    if (sl_rounds_executions(rounds) != m->file_runs) {
        sl_attribution_warn(out,
                            "the file has %u runs in place of %" PRIu64
                            ": which of them are warm-up is not known",
                            m->file_runs, sl_rounds_executions(rounds));
        return;
    }
    for (size_t i = 0; i < out->run_count; i++)
        out->runs[i].pair = sl_rounds_find(rounds, out->runs[i].run, &out->runs[i].warmup);
    out->in_rounds = true;
    out->program_load /= (int64_t)rounds->count;
    out->method_init /= (int64_t)rounds->count;
}

/* A warm-up is set aside where the trace tells, unless there is nothing else. */
static void choose_measured(struct sl_attribution *out)
{
    for (size_t i = 0; i < out->run_count; i++)
        out->measured_count += !out->runs[i].warmup;
    if (out->measured_count > 0 || out->run_count == 0)
        return;
    sl_attribution_warn(out, "every run is a warm-up; the figures are of warm-up runs");
    for (size_t i = 0; i < out->run_count; i++)
        out->runs[i].warmup = false;
    out->measured_count = out->run_count;
}

/* End to end of each measured run in order; *out_runs says which of the runs each is. */
static int read_times(struct maker *m, int64_t *times, size_t *out_runs)
{
    size_t n = 0;
    for (size_t i = 0; i < m->out->run_count; i++) {
        struct sl_nesting_result result;
        if (m->out->runs[i].warmup)
            continue;
        int rc = sl_nesting_build(&m->nesting, &m->etdump->runs[m->out->runs[i].block], &result);
        if (rc < 0)
            return rc;
        times[n] = result.end_to_end;
        out_runs[n++] = i;
    }
    return 0;
}

/* Counted runs have no cold ones, and processes of which the warm-up is known have none left. */
static int find_cold(struct maker *m, uint32_t *out)
{
    const struct sl_attribution *a = m->out;
    size_t cold = 0;
    *out = m->options->cold ? *m->options->cold : 0;
    if (m->options->cold || a->unit != SL_TRACE_NS || a->in_rounds || m->options->only_run >= 0)
        return 0;
    int64_t *times = sl_malloc(a->measured_count, sizeof(*times));
    size_t *runs = sl_malloc(a->measured_count, sizeof(*runs));
    int rc = times && runs ? read_times(m, times, runs) : -ENOMEM;
    if (rc == 0)
        rc = sl_cold_runs(times, a->measured_count, &cold);
    if (rc == 0 && cold > 0) {
        uint32_t pair = a->runs[runs[cold - 1]].pair;
        *out = pair == UINT32_MAX ? (uint32_t)cold : pair + 1;
    }
    sl_free(times);
    sl_free(runs);
    return rc;
}

/* Cold runs are set aside like warm-ups, so that all figures are of the same runs; whole pairs
 * where there are pairs. */
static int set_cold_aside(struct maker *m)
{
    struct sl_attribution *a = m->out;
    uint32_t seen = 0;
    int rc = find_cold(m, &a->cold);
    for (size_t i = 0; rc == 0 && i < a->run_count; i++) {
        struct sl_attribution_run *run = &a->runs[i];
        if (run->warmup)
            continue;
        run->cold = (run->pair == UINT32_MAX ? seen : run->pair) < a->cold;
        a->cold_count += run->cold;
        seen++;
    }
    if (a->cold_count > 0 && a->cold_count == a->measured_count) {
        sl_attribution_warn(a, "all of %zu runs would be warm-up; none is set aside",
                            a->measured_count);
        a->cold_count = 0;
    }
    for (size_t i = 0; i < a->run_count; i++) {
        a->runs[i].cold = a->runs[i].cold && a->cold_count > 0;
        a->runs[i].warmup = a->runs[i].warmup || a->runs[i].cold;
    }
    a->measured_count -= a->cold_count;
    return rc;
}

static const char *trace_name(const struct maker *m, uint32_t id)
{
    const struct sl_trace *trace = m->options->trace;
    return id == 0 || id > trace->name_count ? NULL : trace->names[id];
}

/* The packing that a record says, which is its children's too: no more than the event took itself,
 * so that no part is negative. */
static int64_t own_packing(const struct sl_trace_record *record, int64_t self)
{
    uint64_t most = self > 0 ? (uint64_t)self : 0;
    return (int64_t)(record->event.packing < most ? record->event.packing : most);
}

/* Finds an event's place by the trace's record of it, or by the plan. `self`: what it took. */
static void find_place(struct maker *m, const struct sl_etdump_event *event, size_t global,
                       const struct sl_operator_key *key, int64_t self, struct sl_position *place)
{
    const struct sl_trace_record *record = m->out->traced ? m->origin.events[global] : NULL;
    const struct sl_origin_planned *planned = NULL;
    *place = (struct sl_position){.operator_index = SL_POSITION_NO_OPERATOR};
    if (record && !key->shell) {
        place->origin = trace_name(m, record->event.origin);
        place->packing = m->out->packing ? own_packing(record, self) : 0;
        if (record->event.operands != 0)
            place->operands = &m->options->trace->operands[record->event.operands];
        place->kernel = trace_name(m, record->event.kernel);
    } else if (m->plan && event->delegate_id) {
        planned = sl_origin_plan_next(m->plan, &m->walk, event->chain_index, event->instruction_id,
                                      key->name, key->name_len);
    } else if (m->plan && is_text(event->name, event->name_len, "DELEGATE_CALL")) {
        sl_origin_plan_end_call(m->plan, &m->walk);
    } else if (m->plan && !key->shell) {
        planned = sl_origin_plan_at(m->plan, event->chain_index, event->instruction_id);
    }
    if (planned) {
        place->origin = planned->origin;
        place->operands = planned->operands;
        place->kernel = planned->kernel;
    }
}

static struct sl_operator_key key_of(struct maker *m, const struct sl_etdump_event *event,
                                     const struct sl_nested_event *nested, size_t global,
                                     struct sl_position *place)
{
    struct sl_operator_key key = {.delegated = nested->delegated};
    key.name = event->delegate_id ? event->delegate_id : event->name;
    key.name_len = event->delegate_id ? event->delegate_id_len : event->name_len;
    if (!key.name) {
        key.name = nested->delegated ? "delegate event" : "unnamed event";
        key.name_len = (uint32_t)strlen(key.name);
    }
    uint32_t stem = (uint32_t)sl_rules_stem(key.name, key.name_len);
    key.counted = stem < key.name_len;
    bool native = key.name_len >= 12 && memcmp(key.name, "native_call_", 12) == 0;
    key.shell =
        !nested->delegated && ((native && nested->holds_delegated) ||
                               sl_rules_is_framework(m->options->rules, key.name, key.name_len));
    key.name_len = stem;
    find_place(m, event, global, &key, nested->self, place);
    key.kernel = m->out->traced ? place->kernel : NULL; /* a plan's did not run here */
    key.origin = m->out->traced || event->delegate_id ? place->origin : NULL;
    return key;
}

static void note_findings(struct maker *m, const struct sl_attribution_run *run,
                          const struct sl_nesting_result *result)
{
    struct findings *f = &m->findings;
    if (result->executes == 0 && f->without_execute++ == 0)
        f->first_without = run->run;
    if (m->etdump->runs[run->block].lost_events > 0 && f->damaged++ == 0)
        f->first_damaged = run->run;
    f->several_executes += result->executes > 1;
    f->strays += result->strays;
    f->wrapped += result->wrapped;
    f->backwards += result->backwards;
    if (result->worst == SL_NESTING_NONE)
        return;
    if (f->negative == 0)
        f->first_negative = run->run;
    f->negative += result->negative_self;
    struct sl_etdump_event room;
    const struct sl_etdump_event *e =
        sl_etdump_event_read(&m->etdump->runs[run->block], (uint32_t)result->worst, &room);
    if (m->nesting.events[result->worst].self < f->lowest) {
        const char *name = e->delegate_id ? e->delegate_id : e->name;
        uint32_t len = e->delegate_id ? e->delegate_id_len : e->name_len;
        f->lowest = m->nesting.events[result->worst].self;
        snprintf(f->lowest_name, sizeof(f->lowest_name), "%.*s", name ? (int)(len % 4096) : 0,
                 name ? name : "");
    }
}

/* Positions stay comparable as long as every measured run has the same operators in the same
 * places. */
static void add_position(struct maker *m, bool first, size_t at, const struct sl_position *place,
                         int64_t self)
{
    struct sl_position *position = &m->out->positions[at];
    if (first)
        *position = *place;
    else if (position->operator_index != place->operator_index)
        m->positions_differ = true;
    if (!first)
        position->packing = (int64_t)((uint64_t)position->packing + (uint64_t)place->packing);
    position->total = (int64_t)((uint64_t)position->total + (uint64_t)self);
}

static int start_positions(struct maker *m, bool first, uint32_t events)
{
    if (!first) {
        m->positions_differ = m->positions_differ || events != m->out->position_count;
        return 0;
    }
    m->out->positions = sl_malloc(events, sizeof(*m->out->positions));
    m->out->position_count = events;
    return m->out->positions ? 0 : -ENOMEM;
}

static int attribute_run(struct maker *m, struct sl_attribution_run *run, size_t first_event,
                         bool first)
{
    const struct sl_etdump_run *block = &m->etdump->runs[run->block];
    struct sl_nesting_result result;
    int rc = sl_nesting_build(&m->nesting, block, &result);
    if (rc == 0 && !run->warmup)
        rc = start_positions(m, first, block->event_count);
    if (rc < 0)
        return rc;
    run->end_to_end = result.end_to_end;
    run->first_event = first_event;
    run->event_count = block->event_count;
    note_findings(m, run, &result);
    for (uint32_t i = 0; i < block->event_count; i++) {
        const struct sl_nested_event *nested = &m->nesting.events[i];
        struct sl_position place = {.operator_index = SL_POSITION_NO_OPERATOR};
        if (!nested->profile) {
            if (!run->warmup && !m->positions_differ)
                add_position(m, first, i, &place, 0);
            continue;
        }
        struct sl_etdump_event room;
        const struct sl_etdump_event *event = sl_etdump_event_read(block, i, &room);
        run->started = event->start;
        struct sl_operator_key key = key_of(m, event, nested, first_event + i, &place);
        int64_t index = sl_operators_find(m->table, &key);
        if (index < 0)
            return (int)index;
        place.operator_index = (uint32_t)index;
        if (!run->warmup && !m->positions_differ)
            add_position(m, first, i, &place, nested->self);
        m->out->event_operators[first_event + i] = (uint32_t)index;
        m->out->event_self[first_event + i] = nested->self;
        int64_t *sum = &run->categories[m->table->operators[index].category];
        *sum = (int64_t)((uint64_t)*sum + (uint64_t)nested->self);
        const struct sl_operator_figures figures = {
            nested->self, place.packing,
            sl_shape_is_small(place.operands, place.origin, place.kernel)};
        if (!run->warmup && sl_operators_add(m->table, (uint32_t)index, run->run, &figures) < 0)
            return -ENOMEM;
    }
    return 0;
}

static int attribute_runs(struct maker *m)
{
    size_t event = 0;
    size_t next = 0;
    bool first = true;
    for (uint32_t b = 0; b < m->etdump->run_count && next < m->out->run_count; b++) {
        struct sl_attribution_run *run = &m->out->runs[next];
        if (run->block == b) {
            int rc = attribute_run(m, run, event, first);
            if (rc < 0)
                return rc;
            first = first && run->warmup;
            next++;
        }
        event += m->etdump->runs[b].event_count;
    }
    return 0;
}

static void warn_of_findings(struct maker *m)
{
    const struct findings *f = &m->findings;
    struct sl_attribution *out = m->out;
    if (out->run_count == 0)
        sl_attribution_warn(out,
                            "the file holds no execution: no block Execute and no Method::execute");
    out->unplanned = m->walk.unknown;
    if (m->walk.unknown > 0)
        sl_attribution_warn(out,
                            "%u delegate events are not where the model's plan has them; those "
                            "are labelled by name: is it the model that ran?",
                            m->walk.unknown);
    if (f->without_execute > 0)
        sl_attribution_warn(
            out,
            "%u runs (first: %u) have no Method::execute: an instruction failed or the file was "
            "cut; end to end is the sum of their instructions",
            f->without_execute, f->first_without);
    if (f->damaged > 0)
        sl_attribution_warn(out,
                            "%u runs (first: %u) have lost events; what those took shows as the "
                            "own time of what held them",
                            f->damaged, f->first_damaged);
    if (f->several_executes > 0)
        sl_attribution_warn(out, "%u runs hold several Method::execute; their durations are added",
                            f->several_executes);
    if (f->negative > 0)
        sl_attribution_warn(
            out,
            "%u events hold more than their own duration (first in run %u; worst: %s, self %" PRId64
            "); kept as they are, so that sums hold",
            f->negative, f->first_negative, f->lowest_name, f->lowest);
    if (f->strays > 0)
        sl_attribution_warn(out, "%u events lie partly outside of the event that holds them",
                            f->strays);
    if (f->wrapped > 0)
        sl_attribution_warn(
            out, "a 32-bit clock wrapped within %u events; their durations are modulo 2^32",
            f->wrapped);
    if (f->backwards > 0)
        sl_attribution_warn(out, "%u events end before they begin; their durations are negative",
                            f->backwards);
}

static int by_total(const void *a, const void *b)
{
    const struct sl_operator *x = *(const struct sl_operator *const *)a;
    const struct sl_operator *y = *(const struct sl_operator *const *)b;
    if ((x->count > 0) != (y->count > 0))
        return x->count > 0 ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x < y ? -1 : x > y; /* in the order of the file */
}

static void renumber(struct maker *m, const uint32_t *place)
{
    if (m->positions_differ)
        m->out->position_count = 0;
    for (size_t i = 0; i < m->out->position_count; i++) {
        uint32_t *index = &m->out->positions[i].operator_index;
        *index = *index == SL_POSITION_NO_OPERATOR ? *index : place[*index];
    }
    for (size_t i = 0; i < m->event_count; i++) {
        uint32_t *index = &m->out->event_operators[i];
        *index = *index == SL_POSITION_NO_OPERATOR ? *index : place[*index];
    }
}

/* Puts the largest operator first, and those of warm-up runs alone last. */
static int sort_operators(struct maker *m)
{
    struct sl_operator_table *table = m->table;
    const struct sl_operator **order = sl_malloc(table->count, sizeof(*order));
    struct sl_operator *sorted = sl_malloc(table->count, sizeof(*sorted));
    uint32_t *place = sl_calloc(table->count, sizeof(*place));
    int rc = order && sorted && place ? 0 : -ENOMEM;
    if (rc == 0) {
        for (size_t i = 0; i < table->count; i++) {
            order[i] = &table->operators[i];
            m->out->operator_count += order[i]->count > 0;
        }
        qsort(order, table->count, sizeof(*order), by_total);
        for (size_t i = 0; i < table->count; i++) {
            sorted[i] = *order[i];
            place[order[i] - table->operators] = (uint32_t)i;
        }
        renumber(m, place);
        sl_free(table->operators);
        m->out->operators = table->operators = sorted;
        sorted = NULL;
    }
    sl_free(order);
    sl_free(sorted);
    sl_free(place);
    return rc;
}

/* Room for what is kept of every event. */
static int reserve_events(struct maker *m)
{
    for (uint32_t b = 0; b < m->etdump->run_count; b++)
        m->event_count += m->etdump->runs[b].event_count;
    m->out->event_operators = sl_malloc(m->event_count, sizeof(*m->out->event_operators));
    m->out->event_self = sl_calloc(m->event_count, sizeof(*m->out->event_self));
    if (!m->out->event_operators || !m->out->event_self)
        return -ENOMEM;
    for (size_t i = 0; i < m->event_count; i++)
        m->out->event_operators[i] = SL_POSITION_NO_OPERATOR;
    return 0;
}

static int join_trace(struct maker *m)
{
    struct sl_diag diag = {.what = ""};
    if (!m->options->trace)
        return 0;
    int rc = sl_origin_match(m->etdump, m->options->trace, &m->origin, &diag);
    if (rc == SL_E_MISMATCH) {
        sl_attribution_warn(m->out, "%s; categories are by name", diag.what);
        return 0;
    }
    if (rc < 0)
        return rc;
    m->out->by_origin = m->out->traced = true;
    m->out->packing = m->options->trace->packing;
    m->out->variant = m->origin.variant;
    m->out->unit = m->options->trace->unit;
    if (m->options->trace->version < 2)
        sl_attribution_warn(m->out,
                            "the trace is of an earlier version (%u): its operators' shapes "
                            "and multiply-accumulates are not read; a new run has them",
                            m->options->trace->version);
    return 0;
}

int sl_attribution_make(const struct sl_etdump *etdump,
                        const struct sl_attribution_options *options, struct sl_attribution *out,
                        struct sl_diag *diag)
{
    struct sl_attribution made = {.unit = SL_TRACE_NS};
    struct maker m = {.etdump = etdump, .options = options, .out = &made};
    int rc = -ENOMEM;
    made.pool = sl_calloc(1, sizeof(*made.pool));
    if (!made.pool)
        goto end;
    m.table = &made.pool->operators;
    sl_operators_init(m.table, options->rules);
    rc = join_trace(&m);
    m.plan = made.traced ? NULL : options->plan;
    made.by_origin = made.traced || m.plan;
    if (rc == 0)
        rc = list_runs(&m, diag);
    if (rc == 0)
        rc = reserve_events(&m);
    if (rc < 0)
        goto end;
    apply_rounds(&m);
    choose_measured(&made);
    rc = set_cold_aside(&m);
    if (rc == 0)
        rc = attribute_runs(&m);
    if (rc == 0)
        rc = sl_operators_finish(m.table);
    if (rc == 0)
        rc = sort_operators(&m);
    if (rc == 0)
        warn_of_findings(&m);
end:
    sl_nesting_fini(&m.nesting);
    sl_origin_fini(&m.origin);
    if (rc < 0)
        sl_attribution_fini(&made);
    else
        *out = made;
    return rc;
}

void sl_attribution_fini(struct sl_attribution *attribution)
{
    if (attribution->pool)
        sl_operators_fini(&attribution->pool->operators);
    sl_free(attribution->pool);
    sl_free(attribution->runs);
    sl_free(attribution->positions);
    sl_free(attribution->event_operators);
    sl_free(attribution->event_self);
    *attribution = (struct sl_attribution){0};
}
