/* tests/unit/agent/executorch/test_kept_state.c */
#include "agent/executorch/kept_state.h"

#include "common/base/mem.h"
#include "tests/support/unit.h"

static size_t places_of(const char *model, size_t buffer_bytes)
{
    const size_t sizes[] = {buffer_bytes};
    struct sl_kept_place *places = NULL;
    size_t count = 0;
    assert_int_equal(sl_kept_state_find(model, "forward", sizes, 1, &places, &count), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(places[i].buffer, 0);
        assert_true(places[i].bytes > 0 && places[i].offset <= buffer_bytes - places[i].bytes);
    }
    sl_free(places);
    return count;
}

TEST(buffers_that_a_program_keeps_have_places)
{
    assert_true(places_of(SL_TEST_DATA "/models/control_flow_portable/model.pte", 1 << 20) >= 2);
    assert_true(places_of(SL_TEST_DATA "/models/llm_cache_portable/model.pte", 1 << 20) >= 2);
}

TEST(a_program_without_state_has_none_bundled_or_not)
{
    assert_int_equal(places_of(SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/model.pte", 1 << 20), 0);
    assert_int_equal(places_of(SL_TEST_DATA "/models/toy_cnn_bundled/model.bpte", 1 << 20), 0);
}

TEST(what_lies_outside_its_buffer_or_cannot_be_read_has_none)
{
    assert_int_equal(places_of(SL_TEST_DATA "/models/control_flow_portable/model.pte", 3), 0);
    assert_int_equal(places_of(SL_TEST_DATA "/README.md", 1 << 20), 0);
    assert_int_equal(places_of("/nonexistent", 1 << 20), 0);
}
