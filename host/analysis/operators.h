/* host/analysis/operators.h: the table of operators that attribution fills, event by event. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_rules;

/* Events of one name, origin and kernel, over the measured runs. Texts are borrowed from the file
 * and from the trace. */
struct sl_operator {
    const char *name; /* without " #N"; not terminated */
    uint32_t name_len;
    int category, category_by_name;
    const char *part; /* of its category, by the rules; NULL: none */
    bool delegated,
        xnnpack; /* xnnpack: a delegate's name counted the way XNNPACK's profiler does */
    bool known;  /* a rule matched the name */
    const char *origin, *kernel; /* NULL where the trace says nothing */
    uint32_t instances;          /* in the run that has most */
    uint64_t count;              /* events over all measured runs */
    uint64_t small_count;        /* those of a small class's shape (small_shape.h) */
    int64_t total;               /* self time over all measured runs */
    int64_t packing;             /* what of it laid operands out; 0 where nothing says so */
    size_t sample_count;         /* measured runs it occurs in */
    const int64_t *samples;      /* its self time in each of those */
};

/* The key that tells one operator from another. Texts are borrowed. */
struct sl_operator_key {
    const char *name; /* without " #N" */
    uint32_t name_len;
    bool delegated, counted, shell; /* shell: Framework whatever the rules say */
    const char *origin, *kernel;    /* interned: equal texts have equal pointers; or NULL */
};

struct sl_operator_table {
    const struct sl_rules *rules; /* borrowed */
    struct sl_operator *operators;
    struct sl_operator_now *now; /* of the run being added */
    size_t count, capacity;
    uint32_t *slots; /* open addressing over operators; 0 is free, else index + 1 */
    size_t slot_count;
    struct sl_operator_sample *samples;
    size_t sample_count, sample_capacity;
    int64_t *sorted; /* samples grouped by operator, after sl_operators_finish() */
};

void sl_operators_init(struct sl_operator_table *table, const struct sl_rules *rules);
void sl_operators_fini(struct sl_operator_table *table);

/* Index of the operator with that key, made if new. Negative: -ENOMEM. */
int64_t sl_operators_find(struct sl_operator_table *table, const struct sl_operator_key *key);

/* An event: its own figure, the part of it that laid operands out, and whether its shape is of a
 * small class. */
struct sl_operator_figures {
    int64_t self, packing;
    bool small;
};

/* Adds one event of run `run`; runs come one after the other. 0 or -ENOMEM. */
int sl_operators_add(struct sl_operator_table *table, uint32_t index, uint32_t run,
                     const struct sl_operator_figures *figures);

/* Gives each operator its samples. Nothing may be added afterwards. 0 or -ENOMEM. */
int sl_operators_finish(struct sl_operator_table *table);
