/* tests/unit/host/http/test_places.c */
#include "host/http/places.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/test.h"

static struct sl_http_places places;

static void begin(unsigned most)
{
    places = (struct sl_http_places){.most = most};
}

TEST(each_name_has_as_many_as_it_may_and_a_freed_one_can_be_had_again)
{
    begin(2);
    assert_true(sl_http_places_take(&places, "ci"));
    assert_true(sl_http_places_take(&places, "ci"));
    assert_false(sl_http_places_take(&places, "ci"));
    assert_true(sl_http_places_take(&places, "uid:1000"));
    assert_true(sl_http_places_take(&places, ""));
    sl_http_places_free(&places, "ci");
    assert_true(sl_http_places_take(&places, "ci"));
    assert_false(sl_http_places_take(&places, "ci"));
    assert_int_equal(places.count, 3);
}

TEST(a_name_without_any_is_forgotten_and_no_other)
{
    begin(4);
    for (int i = 0; i < 3; i++)
        assert_true(sl_http_places_take(&places, "a"));
    assert_true(sl_http_places_take(&places, "b"));
    assert_true(sl_http_places_take(&places, "c"));
    sl_http_places_free(&places, "b");
    assert_int_equal(places.count, 2);
    for (int i = 0; i < 3; i++)
        sl_http_places_free(&places, "a");
    assert_int_equal(places.count, 1);
    assert_string_equal(places.clients[0].name, "c");
    sl_http_places_free(&places, "c");
    assert_int_equal(places.count, 0);
}

TEST(more_names_than_there_is_room_for_wait_until_one_has_none)
{
    char name[16];
    begin(1);
    for (int i = 0; i < SL_HTTP_PLACES_NAMES; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        assert_true(sl_http_places_take(&places, name));
    }
    assert_false(sl_http_places_take(&places, "more"));
    sl_http_places_free(&places, "n5");
    assert_true(sl_http_places_take(&places, "more"));
}

TEST(whatever_the_order_what_is_counted_is_what_was_taken)
{
    enum { NAMES = 7, MOST = 5, STEPS = 200000 };
    unsigned taken[NAMES] = {0};
    unsigned seed = 1;
    begin(MOST);
    for (int step = 0; step < STEPS; step++) {
        seed = seed * 1103515245u + 12345u;
        unsigned who = (seed >> 16) % NAMES;
        char name[2] = {(char)('a' + who), '\0'};
        if ((seed >> 28) % 2 == 0 && taken[who] > 0) {
            sl_http_places_free(&places, name);
            taken[who]--;
        } else {
            assert_int_equal(sl_http_places_take(&places, name), taken[who] < MOST);
            taken[who] += taken[who] < MOST;
        }
        size_t names = 0;
        for (size_t i = 0; i < NAMES; i++)
            names += taken[i] > 0;
        assert_int_equal(places.count, names);
    }
}
