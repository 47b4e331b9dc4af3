/* host/analysis/operators.c */
#include "host/analysis/operators.h"

#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "host/analysis/category.h"

/* An operator's figures in the run being added. */
struct sl_operator_now {
    uint32_t run; /* UINT32_MAX before the first */
    uint32_t instances;
    int64_t self;
    bool counted, shell; /* the rest of the key */
};

struct sl_operator_sample {
    uint32_t index;
    int64_t self;
};

void sl_operators_init(struct sl_operator_table *table, const struct sl_rules *rules)
{
    *table = (struct sl_operator_table){.rules = rules};
}

void sl_operators_fini(struct sl_operator_table *table)
{
    sl_free(table->operators);
    sl_free(table->now);
    sl_free(table->slots);
    sl_free(table->samples);
    sl_free(table->sorted);
    *table = (struct sl_operator_table){0};
}

static uint64_t hash_key(const struct sl_operator_key *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (uint32_t i = 0; i < key->name_len; i++)
        hash = (hash ^ (uint8_t)key->name[i]) * UINT64_C(0x100000001b3);
    const void *parts[] = {key->origin, key->kernel};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        hash = (hash ^ (uintptr_t)parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static bool same_key(const struct sl_operator_table *table, size_t index,
                     const struct sl_operator_key *key)
{
    const struct sl_operator *op = &table->operators[index];
    const struct sl_operator_now *now = &table->now[index];
    return op->name_len == key->name_len && op->delegated == key->delegated &&
           now->counted == key->counted && now->shell == key->shell && op->origin == key->origin &&
           op->kernel == key->kernel && memcmp(op->name, key->name, key->name_len) == 0;
}

static struct sl_operator_key key_of(const struct sl_operator_table *table, size_t index)
{
    const struct sl_operator *op = &table->operators[index];
    return (struct sl_operator_key){
        op->name,   op->name_len, op->delegated, table->now[index].counted, table->now[index].shell,
        op->origin, op->kernel};
}

/* The slot of the key, or the free one where it would go. */
static uint32_t *find_slot(const struct sl_operator_table *table, const struct sl_operator_key *key)
{
    size_t at = (size_t)hash_key(key) & (table->slot_count - 1);
    while (table->slots[at] != 0 && !same_key(table, table->slots[at] - 1, key))
        at = (at + 1) & (table->slot_count - 1);
    return &table->slots[at];
}

static int grow(struct sl_operator_table *table)
{
    size_t capacity = table->capacity ? table->capacity * 2 : 64;
    void *operators = sl_realloc(table->operators, capacity, sizeof(*table->operators));
    if (!operators)
        return -ENOMEM;
    table->operators = operators;
    void *now = sl_realloc(table->now, capacity, sizeof(*table->now));
    if (!now)
        return -ENOMEM;
    table->now = now;
    uint32_t *slots = sl_calloc(capacity * 2, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    sl_free(table->slots);
    table->slots = slots;
    table->slot_count = capacity * 2;
    table->capacity = capacity;
    for (size_t i = 0; i < table->count; i++) {
        struct sl_operator_key key = key_of(table, i);
        *find_slot(table, &key) = (uint32_t)i + 1;
    }
    return 0;
}

static void classify(const struct sl_rules *rules, const struct sl_operator_key *key,
                     struct sl_operator *op)
{
    if (key->shell) {
        op->category = op->category_by_name = SL_CATEGORY_FRAMEWORK;
        op->known = true;
        return;
    }
    const struct sl_rule *rule = sl_rules_find(rules, key->name, key->name_len);
    op->category_by_name = rule ? rule->category : rules->fallback;
    op->known = rule != NULL;
    if (key->origin)
        rule = sl_rules_find(rules, key->origin, strlen(key->origin));
    op->category = rule ? rule->category : rules->fallback;
    op->part = rule ? rule->part : NULL;
}

int64_t sl_operators_find(struct sl_operator_table *table, const struct sl_operator_key *key)
{
    if (table->count == table->capacity && grow(table) < 0)
        return -ENOMEM;
    uint32_t *slot = find_slot(table, key);
    if (*slot == 0) {
        struct sl_operator *op = &table->operators[table->count];
        *op = (struct sl_operator){.name = key->name,
                                   .name_len = key->name_len,
                                   .delegated = key->delegated,
                                   .xnnpack = key->delegated && key->counted,
                                   .origin = key->origin,
                                   .kernel = key->kernel};
        classify(table->rules, key, op);
        table->now[table->count] = (struct sl_operator_now){
            .run = UINT32_MAX, .counted = key->counted, .shell = key->shell};
        *slot = (uint32_t)++table->count;
    }
    return *slot - 1;
}

/* Turns the figures of the run that is over into a sample. */
static int flush(struct sl_operator_table *table, uint32_t index)
{
    struct sl_operator_now *now = &table->now[index];
    struct sl_operator *op = &table->operators[index];
    if (now->run == UINT32_MAX)
        return 0;
    if (table->sample_count == table->sample_capacity) {
        size_t capacity = table->sample_capacity ? table->sample_capacity * 2 : 256;
        void *grown = sl_realloc(table->samples, capacity, sizeof(*table->samples));
        if (!grown)
            return -ENOMEM;
        table->samples = grown;
        table->sample_capacity = capacity;
    }
    table->samples[table->sample_count++] = (struct sl_operator_sample){index, now->self};
    op->sample_count++;
    if (now->instances > op->instances)
        op->instances = now->instances;
    return 0;
}

int sl_operators_add(struct sl_operator_table *table, uint32_t index, uint32_t run,
                     const struct sl_operator_figures *figures)
{
    struct sl_operator_now *now = &table->now[index];
    struct sl_operator *op = &table->operators[index];
    if (now->run != run) {
        int rc = flush(table, index);
        if (rc < 0)
            return rc;
        now->run = run;
        now->instances = 0;
        now->self = 0;
    }
    now->instances++;
    now->self = (int64_t)((uint64_t)now->self + (uint64_t)figures->self);
    op->count++;
    op->total = (int64_t)((uint64_t)op->total + (uint64_t)figures->self);
    op->packing = (int64_t)((uint64_t)op->packing + (uint64_t)figures->packing);
    op->small_count += figures->small;
    return 0;
}

int sl_operators_finish(struct sl_operator_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (flush(table, i) < 0)
            return -ENOMEM;
    }
    table->sorted = sl_malloc(table->sample_count, sizeof(*table->sorted));
    size_t *next = sl_malloc(table->count, sizeof(*next));
    if (!table->sorted || !next) {
        sl_free(next);
        return -ENOMEM;
    }
    size_t at = 0;
    for (size_t i = 0; i < table->count; i++) {
        table->operators[i].samples = table->sorted + at;
        next[i] = at;
        at += table->operators[i].sample_count;
    }
    for (size_t i = 0; i < table->sample_count; i++)
        table->sorted[next[table->samples[i].index]++] = table->samples[i].self;
    sl_free(next);
    return 0;
}
