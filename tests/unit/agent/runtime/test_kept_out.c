/* tests/unit/agent/runtime/test_kept_out.c: single operators that stay out of streaming mode. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/kept_out.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

TEST(calls_and_nodes_are_those_that_the_words_say)
{
    struct sl_kept_out *kept = NULL;
    const struct sl_kept_place third = {0, 3}, other = {1, 3};
    assert_int_equal(sl_kept_out_new("0.3.17-20,0.4,0.3.2,1.3.5", &kept), 0);
    for (uint32_t node = 0; node < 30; node++)
        assert_int_equal(sl_kept_out_node(kept, third, node),
                         node == 2 || (node >= 17 && node <= 20));
    assert_true(sl_kept_out_node(kept, other, 5));
    assert_false(sl_kept_out_node(kept, other, 17));
    assert_true(sl_kept_out_call(kept, (struct sl_kept_place){0, 4}));
    assert_false(sl_kept_out_call(kept, third)); /* nodes of it are, the call is not */
    assert_false(sl_kept_out_node(kept, (struct sl_kept_place){0, 4}, 0));
    sl_kept_out_free(kept);
}

TEST(none_keeps_nothing)
{
    struct sl_kept_out *kept = NULL;
    assert_false(sl_kept_out_call(NULL, (struct sl_kept_place){0, 0}));
    assert_int_equal(sl_kept_out_bytes(NULL).size, 0);
    assert_int_equal(sl_kept_out_new("", &kept), 0);
    assert_false(sl_kept_out_call(kept, (struct sl_kept_place){0, 0}));
    assert_int_equal(sl_kept_out_bytes(kept).size, 0);
    sl_kept_out_free(kept);
}

TEST(different_words_have_different_bytes)
{
    struct sl_kept_out *a = NULL, *b = NULL;
    assert_int_equal(sl_kept_out_new("0.3.17-20", &a), 0);
    assert_int_equal(sl_kept_out_new("0.3.17-21", &b), 0);
    struct sl_bytes left = sl_kept_out_bytes(a), right = sl_kept_out_bytes(b);
    assert_int_equal(left.size, right.size);
    assert_true(memcmp(left.data, right.data, left.size) != 0);
    sl_kept_out_free(a);
    sl_kept_out_free(b);
}

TEST(what_is_no_list_of_operators_is_refused)
{
    static const char *const bad[] = {
        "0",    "0.",  "0.1.", "0.1.2-",  "0.1.5-4", "0.1,",  ",0.1",    "0.1,,0.2",
        "0.1 ", "a.1", "-1.2", "0.1.2.3", "0.1-2",   "0x1.2", "0.1;0.2", "0.9999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct sl_kept_out *kept = NULL;
        assert_int_equal(sl_kept_out_new(bad[i], &kept), SL_E_FORMAT);
        assert_null(kept);
    }
}

TEST(too_many_are_refused)
{
    size_t size = 4 * ((size_t)SL_KEPT_OUT_MAX + 1);
    char *text = sl_malloc(size + 1, 1);
    struct sl_kept_out *kept = NULL;
    assert_non_null(text);
    for (size_t i = 0; i <= SL_KEPT_OUT_MAX; i++)
        memcpy(text + 4 * i, "0.1,", 4);
    text[size - 1] = '\0';
    assert_int_equal(sl_kept_out_new(text, &kept), SL_E_LIMIT);
    text[size - 5] = '\0';
    assert_int_equal(sl_kept_out_new(text, &kept), 0);
    sl_kept_out_free(kept);
    sl_free(text);
}

TEST(new_survives_a_failed_allocation)
{
    struct sl_kept_out *kept = NULL;
    sl_mem_fail_nth(1);
    assert_int_equal(sl_kept_out_new("0.1", &kept), -ENOMEM);
    assert_null(kept);
}
