/* tests/unit/agent/runtime/ops/test_attention.c: tokens that go to places of their own in a cache.
 */
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
