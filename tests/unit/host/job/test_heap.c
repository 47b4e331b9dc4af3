/* tests/unit/host/job/test_heap.c */
#include "host/job/heap.h"

#include <errno.h>

#include "common/base/mem.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

enum { THINGS = 200, STEPS = 100000 };

struct thing {
    struct sl_heap_node node;
    unsigned key;
};

static bool before(const void *a, const void *b)
{
    return ((const struct thing *)a)->key < ((const struct thing *)b)->key;
}

TEST(the_first_is_the_least_after_any_step)
{
    static struct thing things[THINGS];
    struct sl_heap heap = {.before = before};
    uint64_t random = 7;
    assert_int_equal(sl_heap_reserve(&heap, THINGS), 0);
    assert_null(sl_heap_first(&heap));
    for (int step = 0; step < STEPS; step++) {
        struct thing *thing = &things[sl_random_below(&random, THINGS)];
        bool there = thing->node.place != 0, leaves = sl_random_below(&random, 2);
        size_t in = 0;
        const struct thing *least = NULL;
        if (there && leaves)
            sl_heap_take(&heap, &thing->node);
        else
            thing->key = (unsigned)sl_random_below(&random, 50);
        if (there && !leaves)
            sl_heap_moved(&heap, &thing->node);
        else if (!there)
            sl_heap_put(&heap, &thing->node, thing);
        for (size_t i = 0; i < THINGS; i++) {
            if (things[i].node.place == 0)
                continue;
            in++;
            least = !least || things[i].key < least->key ? &things[i] : least;
        }
        const struct thing *first = sl_heap_first(&heap);
        assert_int_equal(heap.count, in);
        assert_int_equal(first != NULL, least != NULL);
        assert_true(!first || first->key == least->key);
    }
    sl_heap_take(&heap, &(struct sl_heap_node){.place = 0}); /* stands in none */
    sl_heap_fini(&heap);
}

TEST(no_memory_leaves_it_as_it_was)
{
    struct sl_heap heap = {.before = before};
    sl_mem_fail_nth(1);
    assert_int_equal(sl_heap_reserve(&heap, 8), -ENOMEM);
    sl_mem_fail_nth(0);
    assert_int_equal(heap.capacity, 0);
    sl_heap_fini(&heap);
}
