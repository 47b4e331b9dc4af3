/* tests/unit/agent/runtime/ops/test_attention.c: tokens that go to places of their own in a cache,
 * and attention of quantised rows. */
#include <string.h>

#include "agent/runtime/runtime.h"
#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

enum { VALUE, CACHE, START, PLACES, OUT };

static void begin(void)
{
    sl_program_begin();
    sl_program_add_tensor(SL_SIZES(2, 2, 1, 2));
    sl_program_add_tensor(SL_SIZES(2, 3, 1, 2));
    sl_program_add_int(0);
    sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2, 2), true);
    sl_program_add_tensor(SL_SIZES(1));
    sl_program_add_call("llama::update_cache_with_indices.out",
                        SL_ARGS(VALUE, CACHE, START, PLACES, OUT));
    sl_program_must_load();
}

TEST(tokens_go_to_their_places)
{
    static const float value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int64_t places[4] = {2, 0, 1, 1}; /* the last of two stays */
    static const float cache[12] = {3, 4, 0, 0, 1, 2, 0, 0, 7, 8, 0, 0};
    begin();
    memcpy(sl_program_bytes(VALUE), value, sizeof(value));
    memcpy(sl_program_bytes(PLACES), places, sizeof(places));
    memset(sl_program_bytes(CACHE), 0, sizeof(cache));
    sl_program_must_execute();
    assert_memory_equal(sl_program_bytes(CACHE), cache, sizeof(cache));
    sl_program_end();
}

TEST(a_place_outside_the_cache_ends_the_execution_and_writes_nothing)
{
    static const float none[12] = {0};
    for (int64_t wrong = -1; wrong <= 3; wrong += 4) {
        const int64_t places[4] = {0, 1, 2, wrong};
        begin();
        memcpy(sl_program_bytes(PLACES), places, sizeof(places));
        memset(sl_program_bytes(CACHE), 0, sizeof(none));
        assert_int_not_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag), 0);
        assert_memory_equal(sl_program_bytes(CACHE), none, sizeof(none));
        sl_program_end();
    }
}

/* Two heads of queries on one of keys, quantised by rows; the second key is beyond the position. */
TEST(quantised_rows_attend_as_their_numbers_do)
{
    enum { COUNT = 2 };
    static const int8_t query[4] = {3, 1, 1, 3}, keys[4] = {1, 2, 3, 4}, values[4] = {5, 7, 1, 1};
    static const int8_t zeros[2] = {1, 1}, value_zeros[2] = {3, 0};
    static const float scales[2] = {0.5f, 2.0f};
    for (int heads_first = 0; heads_first < COUNT; heads_first++) {
        const int32_t q[4] = {1, heads_first ? 2 : 1, heads_first ? 1 : 2, 2};
        const int32_t k[4] = {1, heads_first ? 1 : 2, heads_first ? 2 : 1, 2};
        const int32_t q_rows[4] = {q[0], q[1], q[2], 1}, k_rows[4] = {k[0], k[1], k[2], 1};
        uint32_t args[16];
        sl_program_begin();
        args[0] = sl_program_add_typed(SL_SCALAR_CHAR, 4, q, true);
        args[1] = sl_program_add_typed(SL_SCALAR_CHAR, 4, k, true);
        args[2] = sl_program_add_typed(SL_SCALAR_CHAR, 4, k, true);
        args[3] = sl_program_add_int(0);
        args[4] = args[7] = sl_program_add_null();
        args[5] = sl_program_add_double(0.0);
        args[6] = sl_program_add_bool(true);
        for (uint32_t i = 0; i < 3; i++) {
            args[8 + 2 * i] =
                sl_program_add_typed(SL_SCALAR_CHAR, 4, i == 0 ? q_rows : k_rows, true);
            args[9 + 2 * i] = sl_program_add_tensor(4, i == 0 ? q_rows : k_rows);
        }
        args[14] = sl_program_add_bool(heads_first);
        args[15] = sl_program_add_tensor(4, q);
        sl_program_add_call("llama::custom_quantized_sdpa.out", 16, args);
        sl_program_must_load();
        memcpy(sl_program_bytes(args[0]), query, 4);
        memcpy(sl_program_bytes(args[1]), keys, 4);
        memcpy(sl_program_bytes(args[2]), values, 4);
        for (uint32_t i = 0; i < 3; i++) {
            memcpy(sl_program_bytes(args[8 + 2 * i]), i == 2 ? value_zeros : zeros, 2);
            memcpy(sl_program_bytes(args[9 + 2 * i]), scales, sizeof(scales));
        }
        sl_program_must_execute();
        for (uint32_t h = 0; h < 2; h++) { /* the one key that counts has all the weight */
            assert_true(sl_program_floats(args[15])[2 * h] == 1.0f);
            assert_true(sl_program_floats(args[15])[2 * h + 1] == 2.0f);
        }
        sl_program_end();
    }
}
