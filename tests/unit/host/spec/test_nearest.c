#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/spec/nearest.h"

static const char *const words[] = {"model", "threads", "warmup", "runs", "num_runs"};
enum { COUNT = sizeof(words) / sizeof(words[0]) };

static void one_slip_finds_the_word(void **state)
{
    (void)state;
    assert_string_equal(sl_nearest("modle", words, COUNT), "model");
    assert_string_equal(sl_nearest("thread", words, COUNT), "threads");
    assert_string_equal(sl_nearest("Warm_up", words, COUNT), "warmup");
    assert_string_equal(sl_nearest("num_run", words, COUNT), "num_runs");
}

static void a_word_like_none_finds_none(void **state)
{
    (void)state;
    assert_null(sl_nearest("zzzzzzzz", words, COUNT));
    assert_null(sl_nearest("anything", words, 0));
}

static void endless_words_are_compared_by_their_start(void **state)
{
    (void)state;
    char endless[400];
    for (size_t i = 0; i < sizeof(endless) - 1; i++)
        endless[i] = 'm';
    endless[sizeof(endless) - 1] = '\0';
    (void)sl_nearest(endless, words, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slip_finds_the_word),
        cmocka_unit_test(a_word_like_none_finds_none),
        cmocka_unit_test(endless_words_are_compared_by_their_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
