/* agent/runtime/ops/rank.c */
#include "agent/runtime/ops/rank.h"

#include <string.h>

/* Up to so many elements insertion sorts. */
enum { FEW_TO_SORT = 16, FEW_TO_SELECT = 3 };

static bool is_less(bool whole, const struct sl_ranked *a, const struct sl_ranked *b)
{
    if (whole)
        return a->value.whole < b->value.whole;
    double x = a->value.real, y = b->value.real;
    return x < y || (x == x && y != y);
}

static bool is_before(const struct sl_rank_order *order, const struct sl_ranked *a,
                      const struct sl_ranked *b)
{
    return order->largest ? is_less(order->whole, b, a) : is_less(order->whole, a, b);
}

static void swap(struct sl_ranked *a, struct sl_ranked *b)
{
    struct sl_ranked other = *a;
    *a = *b;
    *b = other;
}

/* Puts `value` into the hole at `top`: the hole sinks to a leaf, then the value rises from there.
 */
static void sink(const struct sl_rank_order *order, struct sl_ranked *heap, size_t count,
                 size_t top, struct sl_ranked value)
{
    size_t hole = top;
    for (size_t child; (child = 2 * hole + 2) < count; hole = child) {
        if (is_before(order, &heap[child], &heap[child - 1]))
            child--;
        heap[hole] = heap[child];
    }
    if (2 * hole + 2 == count) { /* one child alone */
        heap[hole] = heap[count - 1];
        hole = count - 1;
    }
    for (size_t parent; hole > top; hole = parent) {
        parent = (hole - 1) / 2;
        if (!is_before(order, &heap[parent], &value))
            break;
        heap[hole] = heap[parent];
    }
    heap[hole] = value;
}

void sl_rank_heap(const struct sl_rank_order *order, struct sl_ranked *heap, size_t count)
{
    for (size_t parent = count / 2; parent > 0; parent--)
        sink(order, heap, count, parent - 1, heap[parent - 1]);
}

void sl_rank_offer(const struct sl_rank_order *order, struct sl_ranked *heap, size_t count,
                   struct sl_ranked next)
{
    if (is_before(order, &next, &heap[0]))
        sink(order, heap, count, 0, next);
}

void sl_rank_sort_heap(const struct sl_rank_order *order, struct sl_ranked *heap, size_t count)
{
    for (size_t last = count; last-- > 1;) {
        struct sl_ranked value = heap[last];
        heap[last] = heap[0];
        sink(order, heap, last, 0, value);
    }
}

static void insert(const struct sl_rank_order *order, struct sl_ranked *all, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct sl_ranked value = all[i];
        size_t at = i;
        for (; at > 0 && is_before(order, &value, &all[at - 1]); at--)
            all[at] = all[at - 1];
        all[at] = value;
    }
}

/* To the front the median of the second, the middle and the last element. */
static void place_pivot(const struct sl_rank_order *order, struct sl_ranked *all, size_t count)
{
    struct sl_ranked *a = all + 1, *b = all + count / 2, *c = all + count - 1;
    if (is_before(order, a, b))
        swap(all, is_before(order, b, c) ? b : is_before(order, a, c) ? c : a);
    else
        swap(all, is_before(order, a, c) ? a : is_before(order, b, c) ? c : b);
}

/* More than FEW_TO_SELECT elements: where the second part begins, of which none stands before any
 * of the first. The pivot at the front and its neighbours end both searches. */
static size_t cut(const struct sl_rank_order *order, struct sl_ranked *all, size_t count)
{
    place_pivot(order, all, count);
    for (size_t low = 1, high = count;; low++) {
        while (is_before(order, &all[low], &all[0]))
            low++;
        high--;
        while (is_before(order, &all[0], &all[high]))
            high--;
        if (low >= high)
            return low;
        swap(&all[low], &all[high]);
    }
}

static unsigned deepest(size_t count)
{
    unsigned depth = 0;
    for (; count > 1; count /= 2)
        depth += 2;
    return depth;
}

/* Cuts until parts are short; the longest cuts that nothing comes of end in a heap. */
static void sort_parts(const struct sl_rank_order *order, struct sl_ranked *all, size_t count,
                       unsigned depth)
{
    while (count > FEW_TO_SORT) {
        if (depth-- == 0) {
            sl_rank_heap(order, all, count);
            sl_rank_sort_heap(order, all, count);
            return;
        }
        size_t at = cut(order, all, count);
        sort_parts(order, all + at, count - at, depth);
        count = at;
    }
}

/* Brings the element that stands at `nth` in order there. */
static void select_nth(const struct sl_rank_order *order, struct sl_ranked *all, size_t count,
                       size_t nth)
{
    for (unsigned depth = deepest(count); count > FEW_TO_SELECT; depth--) {
        if (depth == 0) {
            sl_rank_heap(order, all, nth + 1);
            for (size_t i = nth + 1; i < count; i++)
                sl_rank_offer(order, all, nth + 1, all[i]);
            swap(&all[0], &all[nth]);
            return;
        }
        size_t at = cut(order, all, count);
        if (at > nth) {
            count = at;
            continue;
        }
        all += at;
        count -= at;
        nth -= at;
    }
    insert(order, all, count);
}

void sl_rank_select(const struct sl_rank_order *order, struct sl_ranked *all, size_t length,
                    size_t count, bool sorted)
{
    select_nth(order, all, length, count - 1);
    if (!sorted)
        return;
    sort_parts(order, all, count - 1, deepest(count - 1));
    insert(order, all, count - 1);
}
