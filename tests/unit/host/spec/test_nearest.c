#include <stdint.h>

#include "tests/support/test.h"

#include "host/spec/nearest.h"

static const char *const words[] = {"model", "threads", "warmup", "runs", "num_runs"};
enum { COUNT = sizeof(words) / sizeof(words[0]) };

TEST(one_slip_finds_the_word)
{
    assert_string_equal(sl_nearest("modle", words, COUNT), "model");
    assert_string_equal(sl_nearest("thread", words, COUNT), "threads");
    assert_string_equal(sl_nearest("Warm_up", words, COUNT), "warmup");
    assert_string_equal(sl_nearest("num_run", words, COUNT), "num_runs");
}

TEST(a_beginning_finds_the_word)
{
    assert_string_equal(sl_nearest("thr", words, COUNT), "threads");
    assert_string_equal(sl_nearest("--war", words, COUNT), "warmup");
}

TEST(a_word_like_none_finds_none)
{
    assert_null(sl_nearest("jobs", words, COUNT)); /* two slips from "runs" */
    assert_null(sl_nearest("paths", words, COUNT));
    assert_null(sl_nearest("--out", words, COUNT));
    assert_null(sl_nearest("zzzzzzzz", words, COUNT));
    assert_null(sl_nearest("anything", words, 0));
}

TEST(endless_words_are_compared_by_their_start)
{
    char endless[400];
    for (size_t i = 0; i < sizeof(endless) - 1; i++)
        endless[i] = 'm';
    endless[sizeof(endless) - 1] = '\0';
    (void)sl_nearest(endless, words, COUNT);
}
