/* host/rundir/run_estimate.c */
#include "host/rundir/run_estimate.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/digest.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "host/analysis/estimate.h"
#include "host/analysis/silicon.h"
#include "host/analysis/workload.h"
#include "host/device/count_log.h"
#include "host/report/silicon_file.h"
#include "host/rundir/log_estimate.h"
#include "host/rundir/run_policy.h"
#include "host/rundir/trace_beside.h"
#include "host/spec/policy_file.h"

enum { VARIANTS = 2, NOBODY = -1 };

/* The time of all events of one name; sums add half-bands, for errors are those of the same
 * figures. */
struct row {
    const char *name; /* without " #N" */
    size_t name_len;
    struct sl_estimate sides[VARIANTS];
    uint32_t instances[VARIANTS]; /* none of either: joined with another row */
};

struct maker {
    const struct sl_trace *trace;
    const struct sl_count_log *log;
    struct sl_silicon silicon;
    struct sl_log_estimator *estimator;
    struct row *rows; /* owned */
    size_t row_count, row_room;
    size_t *places[VARIANTS]; /* owned; the rows of an execution's events, in their order */
    size_t place_count[VARIANTS];
    struct sl_estimate whole[VARIANTS];
    struct sl_rundir_policy_step *steps; /* owned; events with a kernel, each once */
    size_t step_count, step_room;
    bool streamed; /* the last event with a kernel did: the unit wrote what is read next */
};

/* "Convolution (NHWC, F32) IGEMM #12" without its number. */
static size_t plain_length(const char *name)
{
    size_t len = strlen(name), digits = len;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    bool numbered =
        digits < len && digits > 2 && name[digits - 1] == '#' && name[digits - 2] == ' ';
    return numbered ? digits - 2 : len;
}

static struct row *row_of(struct maker *m, const char *name)
{
    size_t len = plain_length(name);
    for (size_t i = 0; i < m->row_count; i++) {
        if (m->rows[i].name_len == len && memcmp(m->rows[i].name, name, len) == 0)
            return &m->rows[i];
    }
    if (m->row_count == m->row_room) {
        size_t room = m->row_room ? 2 * m->row_room : 64;
        void *grown = sl_realloc(m->rows, room, sizeof(*m->rows));
        if (!grown)
            return NULL;
        m->rows = grown;
        m->row_room = room;
    }
    m->rows[m->row_count] = (struct row){.name = name, .name_len = len};
    return &m->rows[m->row_count++];
}

/* The event's operator among the steps; it may run several times in an execution. */
static struct sl_rundir_policy_step *step_of(struct maker *m, const struct sl_trace_record *event)
{
    for (size_t i = 0; i < m->step_count; i++) {
        struct sl_rundir_policy_step *step = &m->steps[i];
        if (step->node == event->event.node && step->chain == event->event.chain &&
            step->instruction == event->event.instruction)
            return step;
    }
    if (m->step_count == m->step_room) {
        size_t room = m->step_room ? 2 * m->step_room : 64;
        void *grown = sl_realloc(m->steps, room, sizeof(*m->steps));
        if (!grown)
            return NULL;
        m->steps = grown;
        m->step_room = room;
    }
    m->steps[m->step_count] =
        (struct sl_rundir_policy_step){.chain = event->event.chain,
                                       .instruction = event->event.instruction,
                                       .node = event->event.node,
                                       .name = m->trace->names[event->name]};
    return &m->steps[m->step_count++];
}

/* Bytes of the operand that the operator before is taken to have written; 0: not known. */
static double input_bytes_of(const struct maker *m, const struct sl_trace_record *event)
{
    struct sl_workload work;
    if (event->event.operands == 0)
        return 0;
    const struct sl_operands *operands = &m->trace->operands[event->event.operands];
    const char *kernel = m->trace->names[event->event.kernel];
    sl_workload_read(operands, NULL, kernel, "", 0, &work);
    return operands->count > 0
               ? (double)sl_dims_count(&operands->in[0]) * (double)work.element_bytes
               : 0;
}

static int add_step(struct maker *m, const struct sl_trace_record *event,
                    const struct sl_estimate *one)
{
    struct sl_rundir_policy_step *step = step_of(m, event);
    if (!step)
        return -ENOMEM;
    unsigned side = event->variant;
    step->name = m->trace->names[event->name]; /* with SME2 on, that comes last */
    step->kernels[side] = m->trace->names[event->event.kernel];
    step->ns[side] += one->mid_ns - one->sum.bound_ns[SL_BOUND_HAND_OVER];
    step->input_bytes = fmax(step->input_bytes, input_bytes_of(m, event));
    step->streams = step->streams || one->sum.streaming;
    return 0;
}

static void add_finished(struct sl_estimate *sum, const struct sl_estimate *one)
{
    sum->low_ns += one->low_ns;
    sum->mid_ns += one->mid_ns;
    sum->high_ns += one->high_ns;
    sum->unclassified += one->unclassified;
    for (int b = 0; b < SL_BOUND_COUNT; b++) {
        sum->sum.bound_ns[b] += one->sum.bound_ns[b];
    }
    for (int b = 0; b < SL_BOUND_COUNT; b++) {
        if (sum->sum.bound_ns[b] > sum->sum.bound_ns[sum->bound])
            sum->bound = b;
    }
    if (!sum->confidence ||
        sl_confidence_rank(one->confidence) > sl_confidence_rank(sum->confidence))
        sum->confidence = one->confidence;
}

/* The last whole execution of a variant; NULL: there is none. */
static const struct sl_trace_record *execution_of(const struct sl_trace *trace, unsigned variant,
                                                  size_t mark_count)
{
    const struct sl_trace_record *last = NULL;
    for (size_t i = 0; i < trace->record_count; i++) {
        const struct sl_trace_record *record = &trace->records[i];
        if (sl_trace_is_execution(trace, record) && record->variant == variant &&
            record->event.start < record->event.end && record->event.end < mark_count)
            last = record;
    }
    return last;
}

/* For each stretch between two marks of the execution the innermost event that holds it: children
 * precede parents, so they overwrite when the records are taken backwards. */
static void find_owners(const struct sl_trace *trace, const struct sl_trace_record *execution,
                        int64_t *owners)
{
    uint64_t first = execution->event.start, end = execution->event.end;
    for (uint64_t i = first; i < end; i++)
        owners[i - first] = NOBODY;
    for (size_t i = trace->record_count; i-- > 0;) {
        const struct sl_trace_record *record = &trace->records[i];
        if (record->kind != SL_TRACE_EVENT || record->variant != execution->variant ||
            record->event.start < first || record->event.end > end ||
            record->event.start > record->event.end)
            continue;
        for (uint64_t at = record->event.start; at < record->event.end; at++)
            owners[at - first] = (int64_t)i;
    }
}

/* One event's own stretches, which lie anywhere in [from, count). */
static int add_event(struct maker *m, const int64_t *owners, size_t from, size_t count,
                     const struct sl_trace_record *execution)
{
    struct sl_estimate_data once = {.calls = 1, .passes = 1};
    const struct sl_trace_record *event = &m->trace->records[owners[from]];
    bool has_kernel = event->event.kernel != 0;
    struct sl_estimate one = {0};
    uint64_t last = event->event.end - execution->event.start;
    for (size_t i = from; i < count && i < last; i++) {
        size_t mark = (size_t)execution->event.start + i + 1; /* so many come before it */
        if (owners[i] == owners[from])
            sl_log_estimator_add(m->estimator, mark, mark + 1, &one);
    }
    if (has_kernel && one.sum.streaming && !m->streamed)
        once.hand_over_bytes =
            sl_rundir_policy_hand_over_bytes(&m->silicon, input_bytes_of(m, event));
    sl_estimate_finish(&one, &m->silicon, &once);
    if (has_kernel) {
        m->streamed = one.sum.streaming;
        int rc = add_step(m, event, &one);
        if (rc < 0)
            return rc;
    }
    struct row *row = row_of(m, m->trace->names[event->name]);
    if (!row)
        return -ENOMEM;
    add_finished(&row->sides[event->variant], &one);
    add_finished(&m->whole[event->variant], &one);
    row->instances[event->variant]++;
    m->places[event->variant][m->place_count[event->variant]++] = (size_t)(row - m->rows);
    return 0;
}

static int add_variant(struct maker *m, unsigned variant)
{
    size_t mark_count;
    sl_count_log_marks(m->log, &mark_count);
    const struct sl_trace_record *execution = execution_of(m->trace, variant, mark_count);
    if (!execution)
        return 0;
    size_t count = (size_t)(execution->event.end - execution->event.start);
    int64_t *owners = sl_calloc(count, sizeof(*owners));
    m->places[variant] = sl_calloc(count, sizeof(*m->places[variant]));
    int rc = owners && m->places[variant] ? 0 : -ENOMEM;
    if (rc == 0)
        find_owners(m->trace, execution, owners);
    m->streamed = false; /* the core wrote the inputs */
    for (size_t i = 0; rc == 0 && i < count; i++) {
        uint64_t at = execution->event.start + i;
        /* An event is taken where it begins: its first stretch is its own. */
        if (owners[i] != NOBODY && m->trace->records[owners[i]].event.start == at)
            rc = add_event(m, owners, i, count, execution);
    }
    sl_free(owners);
    return rc;
}

/* The row that the other variant's events have wherever this one's are of `row`, which is one of
 * this variant alone; NULL where there is none, or several. */
static struct row *other_form(const struct maker *m, const struct row *row, int variant)
{
    struct row *found = NULL;
    if (row->instances[variant] == 0 || row->instances[!variant] > 0)
        return NULL;
    for (size_t i = 0; i < m->place_count[variant]; i++) {
        struct row *other = &m->rows[m->places[!variant][i]];
        if (&m->rows[m->places[variant][i]] != row)
            continue;
        if (found && found != other)
            return NULL;
        found = other;
    }
    return found;
}

/* Two forms of one operator differ in what stands in brackets and behind. */
static bool are_alike(const struct row *a, const struct row *b)
{
    size_t len = strcspn(a->name, "(");
    return len == strcspn(b->name, "(") && strncmp(a->name, b->name, len) == 0;
}

/* An operator that has another name with SME2 ("PF32", not "F32") is one row, under that name. */
static void join_forms(struct maker *m)
{
    for (size_t i = 0; m->place_count[0] == m->place_count[1] && i < m->row_count; i++) {
        struct row *off = &m->rows[i], *on = other_form(m, off, 0);
        if (!on || other_form(m, on, 1) != off || !are_alike(off, on))
            continue;
        on->sides[0] = off->sides[0];
        on->instances[0] = off->instances[0];
        off->instances[0] = 0;
    }
}

static void put_side(struct sl_json *json, const char *key, const struct sl_estimate *side)
{
    const char letter[2] = {side->confidence, '\0'};
    sl_json_open_object(json, key);
    sl_json_f64(json, "low_ns", side->low_ns);
    sl_json_f64(json, "mid_ns", side->mid_ns);
    sl_json_f64(json, "high_ns", side->high_ns);
    sl_json_text(json, "bound", sl_bound_name(side->bound));
    sl_json_text(json, "confidence", letter);
    sl_json_u64(json, "unclassified", side->unclassified);
    sl_json_open_object(json, "spent_ns");
    for (int b = 0; b < SL_BOUND_COUNT; b++) {
        if (side->sum.bound_ns[b] > 0)
            sl_json_f64(json, sl_bound_name(b), side->sum.bound_ns[b]);
    }
    sl_json_close_object(json);
    sl_json_close_object(json);
}

/* The table that the estimates come to, and its hash; without a unit there is nothing to choose. */
static int tell_policy(struct sl_json *manifest, const struct maker *m,
                       const struct sl_rundir_policy_taker *taker)
{
    char hash[SL_SHA256_HEX_SIZE];
    struct sl_buf text;
    struct sl_json json;
    if (!taker || !m->silicon.has_unit || m->step_count == 0)
        return 0;
    sl_buf_init(&text, SL_POLICY_FILE_MAX_BYTES);
    sl_json_init(&json, &text);
    int rc = sl_rundir_policy_put(&json, &m->silicon, m->steps, m->step_count);
    if (rc == 0)
        rc = sl_buf_append(&text, "\n", 1);
    if (rc == 0) {
        sl_sha256_hex(text.data, text.size, hash);
        sl_json_text(manifest, "policy_sha256", hash);
        rc = taker->take(taker->user, m->silicon.name, &text);
    } else if (rc == SL_E_LIMIT)
        rc = 0; /* more operators than a table may have: the run has none */
    sl_buf_fini(&text);
    return rc;
}

/* All of a profile's object but its end. */
static void put_profile(struct sl_json *json, const struct maker *m)
{
    static const char *const levels[VARIANTS] = {"off", "on"};
    char name[SL_TRACE_MAX_NAME_BYTES + 1];
    sl_json_open_object(json, NULL);
    sl_json_text(json, "profile", m->silicon.name);
    sl_json_text(json, "profile_sha256", m->silicon.sha256);
    sl_json_text(json, "title", m->silicon.title);
    sl_json_f64(json, "units",
                m->silicon.has_unit ? m->silicon.figures[SL_FIGURE_UNIT_COUNT].value : 0);
    for (int v = 0; v < VARIANTS; v++)
        put_side(json, levels[v], &m->whole[v]);
    sl_json_open_array(json, "operators");
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *row = &m->rows[i];
        if (row->instances[0] + row->instances[1] == 0)
            continue;
        sl_json_open_object(json, NULL);
        snprintf(name, sizeof(name), "%.*s", (int)row->name_len, row->name);
        sl_json_text(json, "operator", name);
        for (int v = 0; v < VARIANTS; v++) {
            if (row->instances[v] > 0)
                put_side(json, levels[v], &row->sides[v]);
        }
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static int put_one(struct sl_json *json, const struct sl_trace *raw, const struct sl_count_log *log,
                   const char *name, const struct sl_rundir_policy_taker *taker,
                   struct sl_diag *diag)
{
    struct maker m = {.trace = raw, .log = log};
    int rc = sl_silicon_load(name, &m.silicon, diag);
    if (rc == 0)
        rc = sl_log_estimator_new(log, &m.silicon, &m.estimator);
    for (unsigned v = 0; rc == 0 && v < VARIANTS; v++)
        rc = add_variant(&m, v);
    if (rc == 0) {
        join_forms(&m);
        put_profile(json, &m);
        rc = tell_policy(json, &m, taker);
        sl_json_close_object(json);
    }
    sl_log_estimator_free(m.estimator);
    sl_free(m.places[0]);
    sl_free(m.places[1]);
    sl_free(m.steps);
    sl_free(m.rows);
    return rc;
}

int sl_rundir_estimate_put(struct sl_json *json, const struct sl_trace *raw,
                           const struct sl_count_log *log, const char *names,
                           const struct sl_rundir_policy_taker *taker, struct sl_diag *diag)
{
    char name[SL_SILICON_NAME_BYTES];
    int rc = sl_silicon_check_names(names, diag); /* no paths: they may have come over a wire */
    sl_json_open_array(json, "estimates");
    while (rc == 0 && sl_silicon_next_name(&names, name))
        rc = put_one(json, raw, log, name, taker, diag);
    sl_json_close_array(json);
    return rc < 0 ? rc : json->error;
}
