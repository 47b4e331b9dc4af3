/* host/job/heap.c */
#include "host/job/heap.h"

#include <errno.h>

#include "common/base/mem.h"

int sl_heap_reserve(struct sl_heap *heap, size_t capacity)
{
    if (capacity <= heap->capacity)
        return 0;
    size_t more = 2 * heap->capacity > capacity ? 2 * heap->capacity : capacity;
    struct sl_heap_node **nodes = sl_realloc(heap->nodes, more, sizeof(*nodes));
    if (!nodes)
        return -ENOMEM;
    heap->nodes = nodes;
    heap->capacity = more;
    return 0;
}

void sl_heap_fini(struct sl_heap *heap)
{
    sl_free(heap->nodes);
    heap->nodes = NULL;
    heap->count = heap->capacity = 0;
}

/* Places are counted from 1, the array from 0. */
static void put(struct sl_heap *heap, struct sl_heap_node *node, size_t place)
{
    heap->nodes[place - 1] = node;
    node->place = place;
}

static bool goes_before(const struct sl_heap *heap, const struct sl_heap_node *a,
                        const struct sl_heap_node *b)
{
    return heap->before(a->of, b->of);
}

static void rise(struct sl_heap *heap, struct sl_heap_node *node, size_t place)
{
    for (; place > 1 && goes_before(heap, node, heap->nodes[place / 2 - 1]); place /= 2)
        put(heap, heap->nodes[place / 2 - 1], place);
    put(heap, node, place);
}

static void sink(struct sl_heap *heap, struct sl_heap_node *node, size_t place)
{
    for (;;) {
        size_t child = 2 * place;
        if (child < heap->count && goes_before(heap, heap->nodes[child], heap->nodes[child - 1]))
            child++;
        if (child > heap->count || !goes_before(heap, heap->nodes[child - 1], node))
            break;
        put(heap, heap->nodes[child - 1], place);
        place = child;
    }
    put(heap, node, place);
}

void sl_heap_put(struct sl_heap *heap, struct sl_heap_node *node, void *of)
{
    node->of = of;
    rise(heap, node, ++heap->count);
}

void sl_heap_moved(struct sl_heap *heap, struct sl_heap_node *node)
{
    size_t place = node->place;
    if (place > 1 && goes_before(heap, node, heap->nodes[place / 2 - 1]))
        rise(heap, node, place);
    else
        sink(heap, node, place);
}

void sl_heap_take(struct sl_heap *heap, struct sl_heap_node *node)
{
    size_t place = node->place;
    if (place == 0)
        return;
    struct sl_heap_node *last = heap->nodes[--heap->count];
    node->place = 0;
    if (last == node)
        return;
    put(heap, last, place);
    sl_heap_moved(heap, last);
}

void *sl_heap_first(const struct sl_heap *heap)
{
    return heap->count > 0 ? heap->nodes[0]->of : NULL;
}
