/* tests/unit/host/job/test_places.c */
#include "host/job/places.h"

#include "tests/support/test.h"

static struct sl_places with(size_t a, size_t b, size_t c)
{
    struct sl_places places = {.bits = {0}};
    sl_places_set(&places, a, true);
    sl_places_set(&places, b, true);
    sl_places_set(&places, c, true);
    return places;
}

TEST(places_are_visited_in_order_up_to_the_last)
{
    const struct sl_places places = with(SL_PLACES_MAX - 1, 63, 64);
    size_t at = 0;
    assert_true(sl_places_next(&places, &at));
    assert_int_equal(at++, 63);
    assert_true(sl_places_next(&places, &at));
    assert_int_equal(at++, 64);
    assert_true(sl_places_next(&places, &at));
    assert_int_equal(at++, SL_PLACES_MAX - 1);
    assert_false(sl_places_next(&places, &at));
}

TEST(what_is_in_both_is_in_each_and_what_is_taken_out_is_in_none)
{
    struct sl_places a = with(1, 70, 700), b = with(2, 70, 700), both = sl_places_both(&a, &b);
    assert_true(sl_places_has(&both, 70) && sl_places_has(&both, 700));
    assert_false(sl_places_has(&both, 1) || sl_places_has(&both, 2));
    sl_places_set(&a, 70, false);
    both = sl_places_both(&a, &b);
    assert_false(sl_places_has(&both, 70));
    assert_true(sl_places_has(&both, 700));
}
