/* tests/unit/agent/executorch/test_kept_state.c */
#include "agent/executorch/kept_state.h"

#include "agent/executorch/executorch.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/format/bundle.h"
#include "tests/support/unit.h"

enum { BUFFER_BYTES = 1 << 20 };

/* How many bytes of its buffer, which was filled with other ones since, have those of the begin
 * again. */
static size_t kept_of(const char *path, size_t buffer_bytes)
{
    static uint8_t buffer[BUFFER_BYTES];
    const struct sl_executorch_span span = {buffer, buffer_bytes};
    struct sl_kept_state *state = NULL;
    struct sl_buf file = {.data = NULL};
    struct sl_bytes program;
    size_t kept = 0;
    assert_int_equal(sl_buf_read_file(path, 1 << 24, &file), 0);
    if (sl_bundle_program((struct sl_bytes){file.data, file.size}, &program, NULL) != 0)
        program = (struct sl_bytes){file.data, file.size};
    memset(buffer, 'b', sizeof(buffer));
    assert_int_equal(sl_kept_state_new(program, "forward", &span, 1, &state), 0);
    memset(buffer, 'x', sizeof(buffer));
    sl_kept_state_restore(state);
    for (size_t i = 0; i < sizeof(buffer); i++)
        kept += buffer[i] == 'b';
    sl_kept_state_free(state);
    sl_buf_fini(&file);
    return kept;
}

TEST(what_a_program_keeps_begins_anew)
{
    size_t counters = kept_of(SL_TEST_DATA "/models/control_flow_portable/model.pte", BUFFER_BYTES);
    size_t cache = kept_of(SL_TEST_DATA "/models/llm_cache_portable/model.pte", BUFFER_BYTES);
    assert_in_range(counters, 1, BUFFER_BYTES / 2);
    assert_in_range(cache, 1, BUFFER_BYTES / 2);
}

TEST(a_program_without_state_keeps_nothing_bundled_or_not)
{
    assert_int_equal(kept_of(SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/model.pte", BUFFER_BYTES),
                     0);
    assert_int_equal(kept_of(SL_TEST_DATA "/models/toy_cnn_bundled/model.bpte", BUFFER_BYTES), 0);
}

TEST(what_lies_outside_its_buffer_or_cannot_be_read_keeps_nothing)
{
    assert_int_equal(kept_of(SL_TEST_DATA "/models/control_flow_portable/model.pte", 3), 0);
    assert_int_equal(kept_of(SL_TEST_DATA "/README.md", BUFFER_BYTES), 0);
}

TEST(each_failed_allocation_is_survived)
{
    static uint8_t buffer[BUFFER_BYTES];
    const struct sl_executorch_span span = {buffer, sizeof(buffer)};
    struct sl_kept_state *kept = NULL;
    struct sl_bytes program = sl_test_file("models/llm_cache_portable/model.pte");
    int rc = -1;
    for (unsigned nth = 1; rc != 0; nth++) {
        assert_null(kept);
        sl_mem_fail_nth(nth);
        rc = sl_kept_state_new(program, "forward", &span, 1, &kept);
        assert_true(nth > 1 || rc < 0);
    }
    sl_mem_fail_nth(0);
    memset(buffer, 'x', sizeof(buffer));
    sl_kept_state_restore(kept);
    assert_non_null(memchr(buffer, 0, sizeof(buffer)));
    sl_kept_state_free(kept);
    free((void *)(uintptr_t)program.data);
}
