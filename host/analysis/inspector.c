/* host/analysis/inspector.c */
#include "host/analysis/inspector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"

enum { NO_EVENT = UINT32_MAX >> 1, NO_KIND = -1, MAX_BLOCKS = 4096 };

/* Events of one instruction: those of equal instruction, chain and delegate identifier. */
struct group {
    struct sl_etdump_event key;
    uint32_t first, last; /* its profiling events, linked by `next`; or NO_EVENT */
    uint32_t debug;       /* its first debug event that is no output; or NO_EVENT */
};

/* A row of the run being read. */
struct candidate {
    uint32_t profile, debug; /* events, or NO_EVENT */
    uint64_t hash;
};

struct sl_inspector_scratch {
    const struct sl_etdump_run *run;
    struct group *groups;
    struct candidate *rows;
    uint32_t *next;  /* of each event: the next of its group */
    uint32_t *slots; /* open addressing; 0 is free, else index + 1 */
    size_t capacity, slot_count /* used of them */, group_count, row_count;
    size_t block_capacity;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 31);
}

static uint64_t mix_text(uint64_t hash, const char *text, uint32_t len)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < len; i++)
        sum = (sum ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return mix(hash, sum);
}

/* An absent text and an empty one are the same in a signature. */
static bool same_text(const char *a, uint32_t a_len, const char *b, uint32_t b_len)
{
    return (a ? a_len : 0) == (b ? b_len : 0) && (!a || !b || memcmp(a, b, a_len) == 0);
}

static bool same_signature(const struct sl_etdump_event *a, const struct sl_etdump_event *b)
{
    return a->kind == b->kind && a->instruction_id == b->instruction_id &&
           a->delegate_id_int == b->delegate_id_int &&
           same_text(a->name, a->name_len, b->name, b->name_len) &&
           same_text(a->delegate_id, a->delegate_id_len, b->delegate_id, b->delegate_id_len);
}

/* A debug event's chain is unsigned: of -1 it is another number than a profiling event's. */
static bool same_group(const struct sl_etdump_event *a, const struct sl_etdump_event *b)
{
    bool far = a->chain_index < 0 && a->kind != b->kind;
    return !far && a->chain_index == b->chain_index && a->instruction_id == b->instruction_id &&
           a->delegate_id_int == b->delegate_id_int && !a->delegate_id == !b->delegate_id &&
           same_text(a->delegate_id, a->delegate_id_len, b->delegate_id, b->delegate_id_len);
}

static uint64_t hash_event(const struct sl_etdump_event *e, bool with_name)
{
    uint64_t hash = mix((uint32_t)e->instruction_id, (uint32_t)e->delegate_id_int);
    if (e->delegate_id && e->delegate_id_len > 0)
        hash = mix_text(hash, e->delegate_id, e->delegate_id_len);
    if (with_name && e->name && e->name_len > 0)
        hash = mix_text(hash, e->name, e->name_len);
    return hash;
}

static void read_event(const struct sl_etdump_run *run, uint32_t i, struct sl_etdump_event *out)
{
    const struct sl_etdump_event *event;
    *out = (struct sl_etdump_event){.kind = NO_KIND, .delegate_id_int = -1};
    if (i == NO_EVENT)
        return;
    event = sl_etdump_event_read(run, i, out);
    if (event != out)
        *out = *event;
}

static int reserve(struct sl_inspector_scratch *s, size_t count)
{
    if (count >= NO_EVENT)
        return SL_E_LIMIT;
    count += count == 0;
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    s->slot_count = slots;
    if (count > s->capacity) {
        sl_free(s->groups);
        sl_free(s->rows);
        sl_free(s->next);
        sl_free(s->slots);
        s->groups = sl_malloc(count, sizeof(*s->groups));
        s->rows = sl_malloc(count, sizeof(*s->rows));
        s->next = sl_malloc(count, sizeof(*s->next));
        s->slots = sl_malloc(slots, sizeof(*s->slots));
        s->capacity = 0;
        if (!s->groups || !s->rows || !s->next || !s->slots)
            return -ENOMEM;
        s->capacity = count;
    }
    return 0;
}

static struct group *find_group(struct sl_inspector_scratch *s, const struct sl_etdump_event *e)
{
    size_t at = (size_t)hash_event(e, false) & (s->slot_count - 1);
    while (s->slots[at] != 0 && !same_group(&s->groups[s->slots[at] - 1].key, e))
        at = (at + 1) & (s->slot_count - 1);
    if (s->slots[at] == 0) {
        s->groups[s->group_count] = (struct group){*e, NO_EVENT, NO_EVENT, NO_EVENT};
        s->slots[at] = (uint32_t)++s->group_count;
    }
    return &s->groups[s->slots[at] - 1];
}

static int group_events(struct sl_inspector_scratch *s, struct sl_diag *diag)
{
    const struct sl_etdump_run *run = s->run;
    memset(s->slots, 0, s->slot_count * sizeof(*s->slots));
    s->group_count = 0;
    for (uint32_t i = 0; i < run->event_count; i++) {
        struct sl_etdump_event e;
        read_event(run, i, &e);
        if (e.kind == SL_ETDUMP_ALLOCATION)
            return sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                               "the Inspector refuses files with allocation events");
        if (e.kind == SL_ETDUMP_DEBUG && e.value_offset == 0)
            return sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                               "the Inspector refuses files with a debug event without a value");
        struct group *group = find_group(s, &e);
        s->next[i] = NO_EVENT;
        if (e.kind == SL_ETDUMP_DEBUG) {
            if (!e.program_output && group->debug == NO_EVENT)
                group->debug = i;
            continue;
        }
        if (group->first == NO_EVENT)
            group->first = i;
        else
            s->next[group->last] = i;
        group->last = i;
    }
    return 0;
}

static bool same_row(const struct sl_etdump_run *run, const struct candidate *a,
                     const struct candidate *b)
{
    struct sl_etdump_event x, y;
    if (a->hash != b->hash)
        return false;
    read_event(run, a->profile, &x);
    read_event(run, b->profile, &y);
    if (!same_signature(&x, &y))
        return false;
    read_event(run, a->debug, &x);
    read_event(run, b->debug, &y);
    return same_signature(&x, &y);
}

/* Rows with equal signatures keep the place of the first and the data of the last. */
static void add_row(struct sl_inspector_scratch *s, uint32_t profile, uint32_t debug)
{
    struct sl_etdump_event e;
    struct candidate row = {profile, debug, 0};
    read_event(s->run, profile, &e);
    row.hash = mix(hash_event(&e, true), (uint64_t)(e.kind + 2));
    read_event(s->run, debug, &e);
    row.hash = mix(row.hash, hash_event(&e, true));
    size_t at = (size_t)row.hash & (s->slot_count - 1);
    while (s->slots[at] != 0 && !same_row(s->run, &s->rows[s->slots[at] - 1], &row))
        at = (at + 1) & (s->slot_count - 1);
    if (s->slots[at] != 0) {
        s->rows[s->slots[at] - 1] = row;
        return;
    }
    s->rows[s->row_count] = row;
    s->slots[at] = (uint32_t)++s->row_count;
}

static void list_rows(struct sl_inspector_scratch *s)
{
    memset(s->slots, 0, s->slot_count * sizeof(*s->slots));
    s->row_count = 0;
    for (size_t g = 0; g < s->group_count; g++) {
        const struct group *group = &s->groups[g];
        if (group->first == NO_EVENT && group->debug != NO_EVENT)
            add_row(s, NO_EVENT, group->debug);
        for (uint32_t i = group->first; i != NO_EVENT; i = s->next[i])
            add_row(s, i, group->debug);
    }
}

static bool block_fits(const struct sl_inspector_scratch *s, const struct sl_inspector_block *block)
{
    const struct sl_etdump_run *run = s->run;
    if (block->row_count != s->row_count ||
        block->bundled_input_index != run->bundled_input_index ||
        !same_text(block->name, block->name_len, run->name, run->name_len))
        return false;
    for (size_t i = 0; i < s->row_count; i++) {
        struct sl_etdump_event e;
        read_event(run, s->rows[i].profile, &e);
        if (!same_signature(&block->rows[i].profile, &e))
            return false;
        read_event(run, s->rows[i].debug, &e);
        if (!same_signature(&block->rows[i].debug, &e))
            return false;
    }
    return true;
}

static int new_block(struct sl_inspector *out, struct sl_inspector_block **out_block)
{
    struct sl_inspector_scratch *s = out->scratch;
    if (out->block_count == s->block_capacity) {
        size_t capacity = s->block_capacity ? 2 * s->block_capacity : 8;
        void *grown = sl_realloc(out->blocks, capacity, sizeof(*out->blocks));
        if (!grown)
            return -ENOMEM;
        out->blocks = grown;
        s->block_capacity = capacity;
    }
    struct sl_inspector_block *block = &out->blocks[out->block_count];
    *block = (struct sl_inspector_block){.name = s->run->name,
                                         .name_len = s->run->name_len,
                                         .bundled_input_index = s->run->bundled_input_index,
                                         .row_count = s->row_count};
    block->rows = sl_malloc(s->row_count, sizeof(*block->rows));
    if (!block->rows)
        return -ENOMEM;
    out->block_count++;
    for (size_t i = 0; i < s->row_count; i++) {
        read_event(s->run, s->rows[i].profile, &block->rows[i].profile);
        read_event(s->run, s->rows[i].debug, &block->rows[i].debug);
    }
    *out_block = block;
    return 0;
}

/* Adds the run to a block; arrays grow by doubling at powers of two. */
static int add_run(const struct sl_inspector_scratch *s, struct sl_inspector_block *block,
                   uint32_t index)
{
    size_t n = block->run_count;
    if ((n & (n - 1)) == 0) {
        size_t room = n == 0 ? 1 : 2 * n;
        void *runs = sl_realloc(block->runs, room, sizeof(*block->runs));
        if (!runs)
            return -ENOMEM;
        block->runs = runs;
        void *picks = sl_realloc(block->picks, room * block->row_count, sizeof(*block->picks));
        if (!picks)
            return -ENOMEM;
        block->picks = picks;
    }
    block->runs[n] = index;
    for (size_t i = 0; i < s->row_count; i++)
        block->picks[n * block->row_count + i] = s->rows[i].profile;
    block->run_count++;
    return 0;
}

static int take_run(struct sl_inspector *out, uint32_t index, struct sl_diag *diag)
{
    struct sl_inspector_scratch *s = out->scratch;
    s->run = &out->etdump->runs[index];
    int rc = reserve(s, s->run->event_count);
    if (rc == 0)
        rc = group_events(s, diag);
    if (rc < 0)
        return rc;
    list_rows(s);
    if (s->row_count == 0)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                           "the Inspector refuses files with a block of outputs alone (block %u)",
                           index);
    size_t b = out->block_count; /* the last is the likeliest */
    while (b > 0 && !block_fits(s, &out->blocks[b - 1]))
        b--;
    struct sl_inspector_block *block = b > 0 ? &out->blocks[b - 1] : NULL;
    if (!block && out->block_count == MAX_BLOCKS)
        return sl_diag_set(diag, SL_E_LIMIT, NULL,
                           "the file's executions are of more than %d different forms", MAX_BLOCKS);
    if (!block)
        rc = new_block(out, &block);
    return rc < 0 ? rc : add_run(s, block, index);
}

int sl_inspector_make(const struct sl_etdump *etdump, struct sl_inspector *out,
                      struct sl_diag *diag)
{
    struct sl_inspector made = {.etdump = etdump};
    made.scratch = sl_calloc(1, sizeof(*made.scratch));
    int rc = made.scratch ? 0 : -ENOMEM;
    for (uint32_t r = 0; rc == 0 && r < etdump->run_count; r++) {
        if (!etdump->runs[r].name)
            rc = sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                             "the Inspector refuses files with a block without a name (block %u)",
                             r);
        else if (etdump->runs[r].has_events)
            rc = take_run(&made, r, diag);
    }
    if (rc == 0 && made.block_count == 0)
        rc =
            sl_diag_set(diag, SL_E_UNSUPPORTED, NULL, "the Inspector refuses files without events");
    if (rc < 0)
        sl_inspector_fini(&made);
    else
        *out = made;
    return rc;
}

void sl_inspector_fini(struct sl_inspector *inspector)
{
    struct sl_inspector_scratch *s = inspector->scratch;
    for (size_t i = 0; i < inspector->block_count; i++) {
        sl_free(inspector->blocks[i].rows);
        sl_free(inspector->blocks[i].runs);
        sl_free(inspector->blocks[i].picks);
    }
    sl_free(inspector->blocks);
    if (s) {
        sl_free(s->groups);
        sl_free(s->rows);
        sl_free(s->next);
        sl_free(s->slots);
    }
    sl_free(s);
    *inspector = (struct sl_inspector){0};
}

static const struct sl_etdump_event *any_event(const struct sl_inspector_row *row)
{
    return row->profile.kind == NO_KIND ? &row->debug : &row->profile;
}

int sl_inspector_is_delegated(const struct sl_inspector_row *row)
{
    const struct sl_etdump_event *e = any_event(row);
    return e->delegate_id_int != -1 || (e->delegate_id && e->delegate_id_len > 0);
}

const char *sl_inspector_name(const struct sl_inspector_row *row,
                              char number[SL_INSPECTOR_NUMBER_SIZE], uint32_t *out_len)
{
    const struct sl_etdump_event *e = any_event(row);
    if (e->delegate_id_int != -1) {
        *out_len =
            (uint32_t)snprintf(number, SL_INSPECTOR_NUMBER_SIZE, "%" PRId32, e->delegate_id_int);
        return number;
    }
    if (sl_inspector_is_delegated(row)) {
        *out_len = e->delegate_id_len;
        return e->delegate_id;
    }
    /* A debug event with a name of its own has the last word. */
    if (row->debug.kind != NO_KIND && row->debug.name && row->debug.name_len > 0)
        e = &row->debug;
    *out_len = e->name ? e->name_len : 0;
    return e->name ? e->name : "";
}
