/* host/job/heap.h: a binary heap of things that know their place in it, so that any can be taken
 * out or moved when its key changes. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A member of what stands in a heap; all zero: it stands in none. */
struct sl_heap_node {
    void *of;     /* what it is a member of */
    size_t place; /* from 1 */
};

struct sl_heap {
    bool (*before)(const void *a, const void *b); /* of what the nodes are members of */
    struct sl_heap_node **nodes;                  /* owned */
    size_t count, capacity;
};

/* Room for so many: with it no step can fail. -ENOMEM. */
int sl_heap_reserve(struct sl_heap *heap, size_t capacity);
void sl_heap_fini(struct sl_heap *heap);

void sl_heap_put(struct sl_heap *heap, struct sl_heap_node *node, void *of);
void sl_heap_take(struct sl_heap *heap, struct sl_heap_node *node);  /* one in none is left alone */
void sl_heap_moved(struct sl_heap *heap, struct sl_heap_node *node); /* its key has changed */

void *sl_heap_first(const struct sl_heap *heap); /* NULL: it is empty */
