/* tests/unit/host/analysis/test_agreement.c */
#include "host/analysis/agreement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/scalar_type.h"
#include "tests/support/unit.h"

static const struct sl_output_type plain_float = {.scalar_type = SL_SCALAR_FLOAT};
static const struct sl_output_type plain_half = {.scalar_type = SL_SCALAR_HALF};
static const struct sl_output_type plain_long = {.scalar_type = SL_SCALAR_LONG};

TEST(outputs_agree_within_the_tolerance_of_their_peak)
{
    struct sl_agreement agreement;
    char text[SL_AGREEMENT_TEXT_BYTES];
    const float a[] = {100.0f, NAN, INFINITY, 0.0f};
    const float b[] = {100.005f, NAN, INFINITY, -0.0f};
    const float c[] = {100.0f, 1.0f, INFINITY, 0.0f};
    const struct sl_bytes x = {(const uint8_t *)a, sizeof(a)};
    const struct sl_bytes y = {(const uint8_t *)b, sizeof(b)};
    const struct sl_bytes z = {(const uint8_t *)c, sizeof(c)};
    sl_agreement_init(&agreement);
    assert_string_equal(sl_agreement_more_text(&agreement, text), "");
    sl_agreement_add(&agreement, &plain_float, x, x);
    sl_agreement_add(&agreement, &plain_float, x, y);
    assert_true(agreement.agree && agreement.outputs == 2);
    assert_string_equal(sl_agreement_more_text(&agreement, text), "; 4 values are NaN or infinite");
    sl_agreement_add(&agreement, &plain_long, x, x);
    assert_true(agreement.agree);
    sl_agreement_add(&agreement, &plain_float, x, z); /* a NaN where the other has none */
    assert_false(agreement.agree);
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, &plain_long, x, y); /* integers are equal or not */
    assert_false(agreement.agree);
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, &plain_float, x, (struct sl_bytes){x.data, 4});
    assert_false(agreement.agree);
}

TEST(doubles_and_both_parts_of_complex_numbers_are_numbers)
{
    static const struct sl_output_type types[] = {{.scalar_type = SL_SCALAR_DOUBLE},
                                                  {.scalar_type = SL_SCALAR_COMPLEX128}};
    static const struct sl_output_type complex_float = {.scalar_type = SL_SCALAR_COMPLEX64};
    const double a[] = {100, -1}, b[] = {100.005, -1}, c[] = {100, -1.5};
    const float d[] = {100.0f, -1.0f}, e[] = {100.005f, -1.0f}, f[] = {100.0f, -1.5f};
    struct sl_agreement agreement;
    for (int i = 0; i < 3; i++) {
        const struct sl_output_type *type = i < 2 ? &types[i] : &complex_float;
        size_t bytes = i < 2 ? sizeof(a) : sizeof(d);
        struct sl_bytes x = {i < 2 ? (const uint8_t *)a : (const uint8_t *)d, bytes};
        struct sl_bytes y = {i < 2 ? (const uint8_t *)b : (const uint8_t *)e, bytes};
        struct sl_bytes z = {i < 2 ? (const uint8_t *)c : (const uint8_t *)f, bytes};
        sl_agreement_init(&agreement);
        sl_agreement_add(&agreement, type, x, y);
        assert_true(agreement.agree && agreement.max_rel > 0);
        sl_agreement_add(&agreement, type, x, z);
        assert_false(agreement.agree);
        assert_true(agreement.max_abs > 0.4 && agreement.max_abs < 0.6);
    }
}

TEST(halves_agree_within_their_own_tolerance)
{
    /* 1, 2, infinity and -0.5 as halves; 2 is 2.03 in the second, 2.06 in the third */
    const uint8_t a[] = {0x00, 0x3c, 0x00, 0x40, 0x00, 0x7c, 0x00, 0xb8};
    const uint8_t b[] = {0x00, 0x3c, 0x0f, 0x40, 0x00, 0x7c, 0x00, 0xb8};
    const uint8_t c[] = {0x00, 0x3c, 0x1f, 0x40, 0x00, 0x7c, 0x00, 0xb8};
    struct sl_agreement agreement;
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, &plain_half, (struct sl_bytes){a, 8}, (struct sl_bytes){b, 8});
    assert_true(agreement.agree);
    assert_true(agreement.max_rel > 0.01 && agreement.max_rel < 0.02);
    sl_agreement_add(&agreement, &plain_half, (struct sl_bytes){a, 8}, (struct sl_bytes){c, 8});
    assert_false(agreement.agree);
}

enum { COUNT = 1000 };

/* A wave of 1000 numbers; the compared one differs by `error` in every `every`th. */
static struct sl_agreement compare_waves(const struct sl_output_type *type, float error, int every)
{
    float wave[COUNT], other[COUNT];
    struct sl_agreement agreement;
    for (int i = 0; i < COUNT; i++) {
        wave[i] = sinf((float)i * 0.1f);
        other[i] = wave[i] + (i % every == 0 ? error : 0);
    }
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, type, (struct sl_bytes){(const uint8_t *)wave, sizeof(wave)},
                     (struct sl_bytes){(const uint8_t *)other, sizeof(other)});
    return agreement;
}

TEST(one_step_of_the_quantisation_is_not_wrong)
{
    char text[SL_AGREEMENT_TEXT_BYTES];
    const struct sl_output_type coarse = {SL_SCALAR_FLOAT, 3, 0.125};
    struct sl_agreement one = compare_waves(&coarse, 0.125f, 1);
    assert_true(one.agree);
    assert_true(fabs(one.steps - 1) < 1e-3);
    assert_non_null(strstr(sl_agreement_more_text(&one, text), "; rms 0.1"));
    assert_non_null(strstr(text, "; 1 step of quantisation"));
    assert_false(compare_waves(&coarse, 0.25f, 1).agree);
    assert_false(compare_waves(&plain_float, 0.125f, 1000).agree);
}

/* A deeper program rounds more often: what 100 roundings may make, 4 may not. */
TEST(the_limit_grows_with_the_root_of_the_roundings)
{
    const struct sl_output_type shallow = {SL_SCALAR_FLOAT, 4, 0}, deep = {SL_SCALAR_FLOAT, 100, 0};
    struct sl_agreement a = compare_waves(&deep, 0.02f, 1), b = compare_waves(&shallow, 0.02f, 1);
    assert_true(fabs(a.rms_rel - 0.0283) < 1e-3);
    assert_true(fabs(a.rms_tolerance - 10 * 0.0096) < 1e-3);
    assert_true(fabs(b.rms_tolerance - 2 * 0.0096) < 1e-3);
    assert_true(a.agree);
    assert_false(b.agree);
    assert_true(a.cosine > 0.999 && a.cosine < 1);
}

/* An int8 U-Net with 30 roundings: the same program by the same runtime on x86 and on Arm, each of
 * its operators right from equal inputs. */
TEST(a_right_answer_of_a_deep_int8_program_is_not_wrong)
{
    const struct sl_output_type type = {SL_SCALAR_FLOAT, 30, 0};
    static const char *const others[] = {"/unet_int8_xnnpack/aarch64-sme2-0.bin",
                                         "/unet_int8_xnnpack/aarch64-nosme-0.bin"};
    struct sl_buf x86, arm;
    assert_int_equal(
        sl_buf_read_file(SL_TEST_DATA "/models/unet_int8_xnnpack/runtime-0.bin", 1 << 20, &x86), 0);
    for (size_t i = 0; i < 2; i++) {
        struct sl_agreement agreement;
        char path[512];
        snprintf(path, sizeof(path), SL_TEST_DATA "/models%s", others[i]);
        assert_int_equal(sl_buf_read_file(path, 1 << 20, &arm), 0);
        sl_agreement_init(&agreement);
        sl_agreement_add(&agreement, &type, (struct sl_bytes){x86.data, x86.size},
                         (struct sl_bytes){arm.data, arm.size});
        assert_true(agreement.agree);
        assert_true(agreement.rms_rel > 0.028 && agreement.rms_rel < 0.030);
        sl_buf_fini(&arm);
    }
    sl_buf_fini(&x86);
}

/* As one outlier in an output whose values are small against its peak. */
TEST(the_limit_of_one_value_is_of_the_typical_one)
{
    const struct sl_output_type type = {SL_SCALAR_FLOAT, 4, 0};
    float a[COUNT], b[COUNT];
    struct sl_agreement agreement;
    for (int i = 0; i < COUNT; i++)
        a[i] = b[i] = i == 0 ? 1.0f : 0.1f * sinf((float)i);
    b[5] += 0.03f; /* of the peak, and a third of the others */
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, &type, (struct sl_bytes){(const uint8_t *)a, sizeof(a)},
                     (struct sl_bytes){(const uint8_t *)b, sizeof(b)});
    assert_true(agreement.rms_rel < agreement.rms_tolerance);
    assert_true(agreement.tolerance < 0.02);
    assert_false(agreement.agree);
}

/* Small in the root mean square, but no sum of roundings. */
TEST(a_few_values_far_off_are_wrong_at_any_depth)
{
    const struct sl_output_type deep = {SL_SCALAR_FLOAT, 100, 0};
    struct sl_agreement agreement = compare_waves(&deep, 0.6f, 250);
    assert_true(agreement.rms_rel < agreement.rms_tolerance);
    assert_false(agreement.agree);
}

TEST(rounded_bytes_agree_to_one_step_and_others_exactly)
{
    const int8_t a[] = {1, -128, 127}, b[] = {2, -127, 126}, c[] = {3, -128, 127};
    const struct sl_bytes x = {(const uint8_t *)a, 3}, y = {(const uint8_t *)b, 3};
    const struct sl_output_type rounded = {.scalar_type = SL_SCALAR_CHAR, .quantised_values = 1};
    const struct sl_output_type exact = {.scalar_type = SL_SCALAR_CHAR};
    struct sl_agreement agreement;
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, &rounded, x, y);
    assert_true(agreement.agree);
    sl_agreement_add(&agreement, &exact, x, y);
    assert_false(agreement.agree);
    sl_agreement_init(&agreement);
    sl_agreement_add(&agreement, &rounded, x, (struct sl_bytes){(const uint8_t *)c, 3});
    assert_true(agreement.steps > 1.9 && agreement.steps < 2.1);
}

TEST(a_tolerance_that_was_asked_for_replaces_what_types_promise)
{
    const float a[] = {1.0f, -2.0f};
    const float b[] = {1.01f, -2.0f};
    const int8_t c[] = {10, -20}, d[] = {10, -19};
    struct sl_agreement agreement;
    sl_agreement_init(&agreement);
    agreement.asked = 0.01;
    sl_agreement_add(&agreement, &(struct sl_output_type){.scalar_type = SL_SCALAR_FLOAT},
                     (struct sl_bytes){(const uint8_t *)a, sizeof(a)},
                     (struct sl_bytes){(const uint8_t *)b, sizeof(b)});
    assert_true(agreement.agree && agreement.tolerance == 0.01);
    sl_agreement_add(&agreement, &(struct sl_output_type){.scalar_type = SL_SCALAR_CHAR},
                     (struct sl_bytes){(const uint8_t *)c, sizeof(c)},
                     (struct sl_bytes){(const uint8_t *)d, sizeof(d)});
    assert_false(agreement.agree); /* 5 % of the peak */
}
