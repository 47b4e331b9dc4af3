/* tests/unit/agent/runtime/ops/test_delta.c: the gated delta rule by hand
 * (tests/interop/check_operators.py compares larger ones with the real runtime). */
#include <string.h>

#include "tests/support/program_case.h"
#include "tests/support/test.h"

enum { QUERY, KEY, VALUE, DECAY, BETA, STATE, OUT, FINAL };

/* Two heads of queries on one of keys; two tokens; keys of 2, values of 1. */
static void begin(bool by_channel)
{
    sl_program_begin();
    sl_program_add_tensor(SL_SIZES(1, 2, 2, 2));
    sl_program_add_tensor(SL_SIZES(1, 1, 2, 2));
    sl_program_add_tensor(SL_SIZES(1, 1, 2, 1));
    if (by_channel)
        sl_program_add_tensor(SL_SIZES(1, 1, 2, 2));
    else
        sl_program_add_tensor(SL_SIZES(1, 1, 2));
    sl_program_add_tensor(SL_SIZES(1, 1, 2));
    sl_program_add_tensor(SL_SIZES(1, 1, 2, 1));
    sl_program_add_tensor(SL_SIZES(1, 2, 2, 1));
    sl_program_add_tensor(SL_SIZES(1, 1, 2, 1));
    sl_program_add_call("llama::gated_delta_rule.out",
                        SL_ARGS(QUERY, KEY, VALUE, DECAY, BETA, STATE, OUT, FINAL));
}

static void put(uint32_t tensor, const float *numbers, size_t count)
{
    memcpy(sl_program_bytes(tensor), numbers, count * sizeof(*numbers));
}

/* The state decays, then moves by beta towards the value along the key; queries read what results.
 */
TEST(tokens_correct_the_state_and_queries_read_it)
{
    static const float query[] = {1, 0, 1, 0, 0, 1, 1, 1}, key[] = {1, 0, 1, 1}, value[] = {6, 1};
    static const float one_gate[] = {0.5f, 1}, beta[] = {0.5f, 1}, start[] = {4, 8};
    /* {2, 4}: {2 + 0.5 (6 - 2), 4}; {4, 4}: less 7 each */
    static const float out[] = {4, -3, 4, -6}, final[] = {-3, -3};
    begin(false);
    sl_program_must_load();
    put(QUERY, query, 8);
    put(KEY, key, 4);
    put(VALUE, value, 2);
    put(DECAY, one_gate, 2);
    put(BETA, beta, 2);
    put(STATE, start, 2);
    sl_program_must_execute();
    assert_memory_equal(sl_program_bytes(OUT), out, sizeof(out));
    assert_memory_equal(sl_program_bytes(FINAL), final, sizeof(final));
    assert_memory_equal(sl_program_bytes(STATE), start, sizeof(start));
    sl_program_end();
}

TEST(each_element_of_a_key_may_decay_by_itself)
{
    static const float gates[] = {0.5f, 0.25f, 1, 1}, start[] = {4, 8}, none[8] = {0};
    static const float final[] = {2, 2};
    begin(true);
    sl_program_must_load();
    put(KEY, none, 4);
    put(DECAY, gates, 4);
    put(STATE, start, 2);
    sl_program_must_execute();
    assert_memory_equal(sl_program_bytes(FINAL), final, sizeof(final));
    sl_program_end();
}

TEST(a_state_of_another_size_is_refused)
{
    begin(false);
    sl_program.sizes[STATE][2] = 3;
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
}
