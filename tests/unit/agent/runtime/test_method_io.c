/* tests/unit/agent/runtime/test_method_io.c: a program that takes a tensor, numbers and a truth
 * value, as its caller sees it. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "common/base/error.h"
#include "common/format/pte.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

enum { TENSOR, INTEGER, NUMBER, TRUTH, INPUTS };

struct io {
    struct sl_model *model;
    struct sl_method *method;
};

static int set_up(void **state)
{
    struct sl_diag diag = {.what = ""};
    struct io *io = test_calloc(1, sizeof(*io));
    assert_int_equal(
        sl_model_open(SL_TEST_DATA "/plain_values/model.pte", NULL, NULL, &io->model, &diag), 0);
    assert_int_equal(sl_method_new(io->model, "forward", &io->method, &diag), 0);
    *state = io;
    return 0;
}

static int tear_down(void **state)
{
    struct io *io = *state;
    sl_method_free(io->method);
    sl_model_free(io->model);
    test_free(io);
    return 0;
}

#define IO_TEST(name) TEST_WITH(name, set_up, tear_down)

static int set(const struct io *io, size_t i, const void *data, size_t nbytes)
{
    struct sl_diag diag = {.what = ""};
    int rc = sl_method_set_input(io->method, i, data, nbytes, &diag);
    assert_int_equal(rc != 0, diag.what[0] != '\0'); /* what is refused is said */
    return rc;
}

IO_TEST(inputs_and_outputs_have_their_kinds)
{
    const struct io *io = *state;
    static const int kinds[INPUTS] = {
        [INTEGER] = SL_PTE_INT, [NUMBER] = SL_PTE_DOUBLE, [TRUTH] = SL_PTE_BOOL};
    struct sl_tensor_view view;
    assert_string_equal(sl_method_name(io->method), "forward");
    assert_int_equal(sl_method_input_count(io->method), INPUTS);
    assert_int_equal(sl_method_input(io->method, TENSOR, &view), 0);
    assert_true(view.scalar_type >= 0);
    assert_int_equal(view.nbytes, 16);
    for (size_t i = INTEGER; i < INPUTS; i++) {
        assert_int_equal(sl_method_input(io->method, i, &view), 0);
        assert_int_equal(view.scalar_type, -1);
        assert_int_equal(view.plain.kind, kinds[i]);
    }
    assert_int_equal(sl_method_output_count(io->method), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sl_method_output(io->method, i, &view), 0);
        assert_true(view.scalar_type >= 0 && view.nbytes == 16 && view.rank == 2);
    }
}

IO_TEST(what_is_not_there_is_refused)
{
    const struct io *io = *state;
    struct sl_tensor_view view;
    const int32_t sizes[] = {2, 2}, more[] = {2, 3};
    size_t buffers = sl_method_planned_buffers(io->method);
    assert_true(buffers > 0 && sl_method_planned_bytes(io->method, buffers - 1) > 0);
    assert_int_equal(sl_method_planned_bytes(io->method, buffers), 0);
    assert_int_equal(sl_method_input(io->method, 99, &view), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(sl_method_output(io->method, 99, &view), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(sl_method_input(io->method, TENSOR, &view), 0);
    assert_int_equal(set(io, 99, sizes, 4), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(sl_method_resize_input(io->method, INTEGER, sizes, NULL), SL_ET_INVALID_TYPE);
    assert_int_equal(sl_method_resize_input(io->method, TENSOR, view.sizes, NULL), 0);
    assert_true(sl_method_resize_input(io->method, TENSOR, more, NULL) != 0);
}

IO_TEST(a_tensor_takes_as_many_bytes_as_it_has)
{
    const struct io *io = *state;
    const float four[] = {1, 2, 3, 4};
    struct sl_tensor_view view;
    assert_int_equal(set(io, TENSOR, four, 12), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(set(io, TENSOR, four, sizeof(four)), 0);
    assert_int_equal(sl_method_input(io->method, TENSOR, &view), 0);
    assert_memory_equal(view.data, four, sizeof(four));
    assert_int_equal(sl_method_fill_inputs(io->method, NULL), 0); /* with ones; numbers stay */
    assert_true(((const float *)view.data)[3] == 1);
}

IO_TEST(a_number_is_the_one_that_the_model_was_traced_with)
{
    const struct io *io = *state;
    const int64_t traced = 3, other = 4;
    const double half = 0.5, near = 0.50005, far = 0.51, none = NAN;
    const uint8_t yes = 1, no = 0;
    assert_int_equal(set(io, INTEGER, &traced, sizeof(traced)), 0);
    assert_int_equal(set(io, INTEGER, &other, sizeof(other)), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(set(io, INTEGER, &traced, 4), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(set(io, NUMBER, &half, sizeof(half)), 0);
    assert_int_equal(set(io, NUMBER, &near, sizeof(near)), 0);
    assert_int_equal(set(io, NUMBER, &far, sizeof(far)), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(set(io, NUMBER, &none, sizeof(none)), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(set(io, TRUTH, &yes, 1), 0);
    assert_int_equal(set(io, TRUTH, &no, 1), SL_ET_INVALID_ARGUMENT);
    assert_int_equal(set(io, TRUTH, &yes, 8), SL_ET_INVALID_ARGUMENT);
}
