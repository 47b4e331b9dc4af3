/* tests/unit/agent/runtime/weights/test_weight_store.c */
#include "tests/support/unit.h"

#include "agent/runtime/budget.h"
#include "agent/runtime/weights/weight_store.h"
#include "common/base/error.h"
#include "common/base/mem.h"

static struct sl_weight_key key_of(const void *weights, uint64_t bytes)
{
    return (struct sl_weight_key){.weights = weights, .form = 3, .bytes = bytes};
}

TEST(equal_keys_share_one_copy_and_the_last_user_frees_it)
{
    struct sl_budget budget = {.limit = 1000};
    struct sl_weight_store store = {.budget = &budget};
    struct sl_weight_key key = key_of(&store, 100), other = key_of(&budget, 100);
    struct sl_weight_blob *a, *b, *c;
    assert_int_equal(sl_weight_store_take(&store, &key, &a), 1);
    assert_int_equal(sl_weight_store_take(&store, &key, &b), 0);
    assert_int_equal(sl_weight_store_take(&store, &other, &c), 1);
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, c);
    assert_int_equal(budget.used, 200);
    sl_weight_store_drop(&store, a);
    assert_int_equal(budget.used, 200);
    sl_weight_store_drop(&store, b);
    sl_weight_store_drop(&store, c);
    assert_int_equal(budget.used, 0);
    sl_weight_store_fini(&store);
}

TEST(what_could_not_be_packed_is_not_shared)
{
    struct sl_budget budget = {.limit = 1000};
    struct sl_weight_store store = {.budget = &budget};
    struct sl_weight_key key = key_of(&store, 100);
    struct sl_weight_blob *a, *b;
    assert_int_equal(sl_weight_store_take(&store, &key, &a), 1);
    a->failed = true;
    assert_int_equal(sl_weight_store_take(&store, &key, &b), 1);
    assert_ptr_not_equal(a, b);
    sl_weight_store_drop(&store, a);
    sl_weight_store_drop(&store, b);
    sl_weight_store_fini(&store);
}

TEST(weights_over_the_budget_are_refused)
{
    struct sl_budget budget = {.limit = 99};
    struct sl_weight_store store = {.budget = &budget};
    struct sl_weight_key key = key_of(&store, 100);
    struct sl_weight_blob *a;
    assert_int_equal(sl_weight_store_take(&store, &key, &a), SL_E_LIMIT);
    assert_int_equal(budget.used, 0);
    sl_weight_store_fini(&store);
}

enum { FILE_BYTES = 192 + 128 };

/* One weight of 100 bytes. */
static void make_file(uint8_t *bytes, struct sl_weight_file *out)
{
    const struct sl_weight_entry entry = {3, 192, 100};
    const char *why;
    memset(bytes, 0, FILE_BYTES);
    sl_weight_file_put_entry(bytes, 0, &entry);
    sl_weight_file_put_head(bytes, 1, (struct sl_content){0}, FILE_BYTES,
                            sl_content_of(bytes + 192, 128));
    assert_int_equal(sl_weight_file_parse((struct sl_bytes){bytes, FILE_BYTES},
                                          (struct sl_content){0}, out, &why),
                     0);
}

TEST(a_file_serves_in_its_order_in_place_and_counts_against_the_budget)
{
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    struct sl_budget budget = {.limit = 100};
    struct sl_weight_store store = {.budget = &budget};
    struct sl_weight_key key = key_of(&store, 100);
    struct sl_weight_blob *a;
    make_file(bytes, &file);
    sl_weight_store_record(&store, &file);
    assert_false(sl_weight_store_served(&store));
    assert_int_equal(sl_weight_store_take(&store, &key, &a), 0);
    assert_ptr_equal(a->packed, bytes + 192);
    assert_true(sl_weight_store_served(&store));
    assert_int_equal(budget.used, 100);
    sl_weight_store_stop(&store);
    sl_weight_store_drop(&store, a);
    assert_int_equal(budget.used, 0);
    sl_weight_store_fini(&store);
}

TEST(weights_asked_for_twice_stand_once_in_a_file_and_again_in_the_next)
{
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    struct sl_budget budget = {.limit = 100};
    struct sl_weight_store store = {.budget = &budget};
    struct sl_weight_key key = key_of(&store, 100);
    struct sl_weight_blob *users[3];
    make_file(bytes, &file);
    sl_weight_store_record(&store, &file);
    for (int i = 0; i < 2; i++)
        assert_int_equal(sl_weight_store_take(&store, &key, &users[i]), 0);
    assert_ptr_equal(users[0], users[1]);
    assert_int_equal(store.order_count, 1);
    assert_true(sl_weight_store_served(&store));
    sl_weight_store_stop(&store);
    sl_weight_store_record(&store, NULL); /* another variant's */
    assert_int_equal(sl_weight_store_take(&store, &key, &users[2]), 0);
    assert_ptr_equal(users[0], users[2]);
    assert_int_equal(store.order_count, 1);
    sl_weight_store_stop(&store);
    for (int i = 0; i < 3; i++)
        sl_weight_store_drop(&store, users[i]);
    assert_int_equal(budget.used, 0);
    sl_weight_store_fini(&store);
}

TEST(a_file_that_holds_something_else_is_left_alone_from_there_on)
{
    uint8_t bytes[FILE_BYTES];
    struct sl_weight_file file;
    struct sl_budget budget = {.limit = 1000};
    struct sl_weight_store store = {.budget = &budget};
    struct sl_weight_key smaller = key_of(&store, 99), key = key_of(&store, 100);
    struct sl_weight_blob *a, *b;
    make_file(bytes, &file);
    sl_weight_store_record(&store, &file);
    assert_int_equal(sl_weight_store_take(&store, &smaller, &a), 1);
    assert_int_equal(sl_weight_store_take(&store, &key, &b), 1);
    assert_true(store.lying);
    assert_false(sl_weight_store_served(&store));
    sl_weight_store_drop(&store, a);
    sl_weight_store_drop(&store, b);
    sl_weight_store_fini(&store);
    assert_int_equal(budget.used, 0);
}

TEST(taking_survives_each_failed_allocation)
{
    struct sl_budget budget = {.limit = 1000};
    struct sl_weight_store store = {.budget = &budget};
    struct sl_weight_key key = key_of(&store, 100);
    struct sl_weight_blob *a = NULL;
    int rc = SL_E_LIMIT;
    sl_weight_store_record(&store, NULL);
    for (unsigned nth = 1; rc == SL_E_LIMIT; nth++) {
        sl_mem_fail_nth(nth);
        rc = sl_weight_store_take(&store, &key, &a);
        sl_mem_fail_nth(0);
        assert_int_equal(budget.used, rc == 1 ? 100 : 0);
    }
    assert_int_equal(rc, 1);
    sl_weight_store_drop(&store, a);
    sl_weight_store_fini(&store);
    assert_int_equal(budget.used, 0);
}
