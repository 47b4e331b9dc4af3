/* tests/unit/agent/runtime/test_kitchen.c: some 90 operators outside delegates and the three of
 * ExecuTorch's extension for language models, each output against what the real runtime computed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/format/scalar_type.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

static void set_inputs(struct sl_model_case *c, const char *name)
{
    for (size_t i = 0; i < sl_method_input_count(c->method); i++) {
        char file[32];
        struct sl_buf input;
        snprintf(file, sizeof(file), "input-%zu.bin", i);
        sl_case_read(name, file, &input);
        assert_int_equal(sl_method_set_input(c->method, i, input.data, input.size, NULL), 0);
        sl_buf_fini(&input);
    }
}

static double half_at(const uint8_t *at)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof(bits));
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent != 0 ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return bits >> 15 ? -value : value;
}

static double number_at(int scalar_type, const uint8_t *data, size_t i)
{
    float value;
    double exact;
    if (scalar_type == SL_SCALAR_HALF)
        return half_at(data + 2 * i);
    if (scalar_type == SL_SCALAR_DOUBLE) {
        memcpy(&exact, data + sizeof(exact) * i, sizeof(exact));
        return exact;
    }
    memcpy(&value, data + sizeof(value) * i, sizeof(value));
    return (double)value;
}

/* Floats within `tolerance` of the peak, doubles within a millionth of that; all others bit for
 * bit. */
static void check_output(const struct sl_tensor_view *view, const struct sl_buf *expected, size_t i,
                         double tolerance)
{
    size_t width = view->scalar_type == SL_SCALAR_HALF     ? 2
                   : view->scalar_type == SL_SCALAR_FLOAT  ? 4
                   : view->scalar_type == SL_SCALAR_DOUBLE ? 8
                                                           : 0;
    assert_int_equal(view->nbytes, expected->size);
    assert_non_null(view->data);
    tolerance *= width == 8 ? 1e-6 : 1.0;
    if (width == 0) {
        if (memcmp(view->data, expected->data, expected->size) != 0)
            fail_msg("output %zu differs", i);
        return;
    }
    double peak = 0.0, worst = 0.0;
    for (size_t k = 0; k < expected->size / width; k++) {
        double want = number_at(view->scalar_type, expected->data, k);
        peak = fmax(peak, fabs(want));
        worst = fmax(worst, fabs(number_at(view->scalar_type, view->data, k) - want));
    }
    if (!(worst <= tolerance * peak))
        fail_msg("output %zu is %g off where the peak is %g", i, worst, peak);
}

static void run_and_check(struct sl_model_case *c, struct sl_variant *variant, const char *name,
                          double tolerance)
{
    set_inputs(c, name);
    struct sl_diag diag = {0};
    if (sl_variant_execute(variant, false, &diag) != 0)
        fail_msg("%s (%s)\n%s", diag.what, diag.where, c->log);
    for (size_t i = 0; i < sl_method_output_count(c->method); i++) {
        char file[32];
        struct sl_tensor_view view;
        struct sl_buf expected;
        snprintf(file, sizeof(file), "runtime-%zu.bin", i);
        sl_case_read(name, file, &expected);
        assert_int_equal(sl_method_output(c->method, i, &view), 0);
        check_output(&view, &expected, i, tolerance);
        sl_buf_fini(&expected);
    }
}

static void check_model(const char *name, double tolerance)
{
    uint32_t masks[SL_CASE_MASKS];
    struct sl_model_case c;
    sl_case_open(&c, name);
    unsigned count = sl_case_masks(masks);
    for (unsigned i = 0; i < count; i++) {
        struct sl_variant *variant = sl_case_compile(&c, masks[i], 0, NULL);
        run_and_check(&c, variant, name, tolerance);
        set_inputs(&c, name);
        sl_mem_fail_nth(1); /* the next allocation of all, wherever it is */
        assert_int_equal(sl_variant_execute(variant, false, NULL), 0);
        assert_null(sl_malloc(1, 1)); /* it is this one: a second execution needs none */
        sl_variant_free(variant);
    }
    sl_case_close(&c);
}

TEST(arithmetic_and_reductions_agree_with_the_real_runtime)
{
    check_model("kitchen_math_portable", 1e-4);
}

TEST(data_movement_agrees_with_the_real_runtime)
{
    check_model("kitchen_shape_portable", 0.0);
}

TEST(layers_agree_with_the_real_runtime)
{
    check_model("kitchen_nn_portable", 1e-4);
}

TEST(attention_over_a_cache_agrees_with_the_real_runtime)
{
    check_model("llm_cache_portable", 1e-6);
}

TEST(delegated_maxima_and_their_places_are_those_of_the_real_runtime)
{
    check_model("argmax_pooling_xnnpack", 0.0); /* its input has ties: the first of them counts */
}

TEST(a_position_that_leaves_the_cache_stops_the_run)
{
    static const int64_t positions[] = {-1, 7, 10, 11, INT64_MAX, INT64_MIN};
    struct sl_model_case c;
    struct sl_diag diag = {0};
    sl_case_open(&c, "llm_cache_portable");
    struct sl_variant *variant = sl_case_compile(&c, 0, 0, NULL);
    for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
        set_inputs(&c, "llm_cache_portable");
        assert_int_equal(
            sl_method_set_input(c.method, 4, &positions[i], sizeof(positions[i]), NULL), 0);
        assert_int_not_equal(sl_variant_execute(variant, false, &diag), 0);
    }
    run_and_check(&c, variant, "llm_cache_portable", 1e-6);
    sl_variant_free(variant);
    sl_case_close(&c);
}

TEST(writing_into_parts_agrees_with_the_real_runtime)
{
    check_model("kitchen_put_portable", 1e-6);
}

TEST(integers_and_doubles_agree_with_the_real_runtime)
{
    check_model("kitchen_exact_portable", 1e-4);
}

TEST(padding_masks_distances_and_samples_agree_with_the_real_runtime)
{
    check_model("kitchen_more_portable", 1e-4);
}

TEST(quantising_by_tensors_of_scales_agrees_with_the_real_runtime)
{
    check_model("kitchen_quant_portable", 1e-6);
}

TEST(a_place_outside_what_is_written_stops_the_run)
{
    static const int64_t places[][2] = {{3, 8}, {-9, 0}, {INT64_MAX, 0}, {0, INT64_MIN}};
    struct sl_model_case c;
    struct sl_diag diag = {0};
    sl_case_open(&c, "kitchen_put_portable");
    struct sl_variant *variant = sl_case_compile(&c, 0, 0, NULL);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        set_inputs(&c, "kitchen_put_portable");
        assert_int_equal(sl_method_set_input(c.method, 1, places[i], sizeof(places[i]), NULL), 0);
        assert_int_not_equal(sl_variant_execute(variant, false, &diag), 0);
    }
    run_and_check(&c, variant, "kitchen_put_portable", 1e-6);
    sl_variant_free(variant);
    sl_case_close(&c);
}

TEST(half_precision_agrees_with_the_real_runtime)
{
    check_model("toy_cnn_f16_portable", 2e-2);
}
