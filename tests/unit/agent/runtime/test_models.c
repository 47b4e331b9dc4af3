/* tests/unit/agent/runtime/test_models.c: whole models against what the real runtime computed. */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

static void check_model(const char *name)
{
    uint32_t masks[SL_CASE_MASKS];
    struct sl_buf input, expected;
    struct sl_model_case c;
    sl_case_read(name, "input-0.bin", &input);
    sl_case_read(name, "runtime-0.bin", &expected);
    sl_case_open(&c, name);
    unsigned count = sl_case_own_masks(masks);
    for (unsigned i = 0; i < count; i++) {
        struct sl_variant *variant = sl_case_compile(&c, masks[i], 0, NULL);
        sl_case_run(&c, variant, &input, false);
        sl_case_check_close(&c, &expected);
        assert_true(sl_variant_packed_bytes(variant) > 0);
        sl_variant_free(variant);
    }
    sl_case_close(&c);
    sl_buf_fini(&input);
    sl_buf_fini(&expected);
}

TEST(toy_cnn_xnnpack_agrees_with_the_real_runtime)
{
    check_model("toy_cnn_f32_xnnpack");
}

TEST(toy_cnn_portable_agrees_with_the_real_runtime)
{
    check_model("toy_cnn_f32_portable");
}

TEST(dynamic_shape_agrees_with_the_real_runtime)
{
    check_model("dynamic_shape_f32_xnnpack");
}

TEST(mobilenet_v2_agrees_with_the_real_runtime)
{
    check_model("mobilenet_v2_f32_xnnpack");
}

/* Every input from its file, every output compared. */
static void check_whole(const char *name)
{
    struct sl_model_case c;
    uint32_t masks[SL_CASE_MASKS];
    for (unsigned i = 0, count = sl_case_own_masks(masks); i < count; i++) {
        sl_case_open(&c, name);
        struct sl_variant *variant = sl_case_compile(&c, masks[i], 0, NULL);
        sl_case_run_files(&c, variant, name, "");
        sl_case_run_files(&c, variant, name, ""); /* the packed weights serve again */
        sl_variant_free(variant);
        sl_case_close(&c);
    }
}

TEST(nearly_every_delegate_node_agrees_with_the_real_runtime)
{
    check_whole("delegate_ops_f32_xnnpack");
}

TEST(channels_last_agrees_with_the_real_runtime)
{
    check_whole("toy_cnn_channels_last_f32_xnnpack");
}

TEST(sequences_that_come_and_go_give_the_outputs_of_each)
{
    static const struct {
        int32_t sizes[2];
        const char *folder;
    } cases[] = {{{1, 48}, ""}, {{1, 2}, "case-n2/"}, {{1, 31}, "case-n31/"}, {{1, 48}, ""}};
    uint32_t masks[SL_CASE_MASKS];
    struct sl_model_case c;
    sl_case_open(&c, "dynamic_sequence_f32_xnnpack");
    unsigned count = sl_case_own_masks(masks);
    for (unsigned i = 0; i < count; i++) {
        struct sl_variant *variant = sl_case_compile(&c, masks[i], 0, NULL);
        for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
            assert_int_equal(sl_method_resize_input(c.method, 0, cases[k].sizes, NULL), 0);
            sl_case_run_files(&c, variant, "dynamic_sequence_f32_xnnpack", cases[k].folder);
        }
        sl_variant_free(variant);
    }
    sl_case_close(&c);
}

/* Runs the dynamic model with `n` images and compares with the case's outputs. */
static void check_batch(struct sl_model_case *c, struct sl_variant *variant, int32_t n)
{
    char file[64];
    const char *folder = n == 1 ? "case-n1/" : n == 5 ? "case-n5/" : "";
    const int32_t sizes[4] = {n, 3, 32, 32};
    struct sl_buf input, expected;
    struct sl_tensor_view view;
    snprintf(file, sizeof(file), "%sinput-0.bin", folder);
    sl_case_read("dynamic_shape_f32_xnnpack", file, &input);
    snprintf(file, sizeof(file), "%sruntime-0.bin", folder);
    sl_case_read("dynamic_shape_f32_xnnpack", file, &expected);
    assert_int_equal(sl_method_resize_input(c->method, 0, sizes, NULL), 0);
    sl_case_run(c, variant, &input, false);
    assert_int_equal(sl_method_output(c->method, 0, &view), 0);
    assert_int_equal(view.sizes[0], n);
    sl_case_check_close(c, &expected);
    sl_buf_fini(&input);
    sl_buf_fini(&expected);
}

TEST(shapes_that_come_and_go_give_the_outputs_of_each)
{
    static const int32_t batches[] = {8, 1, 1, 5, 8, 5, 1};
    uint32_t masks[SL_CASE_MASKS];
    struct sl_model_case c;
    sl_case_open(&c, "dynamic_shape_f32_xnnpack");
    unsigned count = sl_case_own_masks(masks);
    for (unsigned i = 0; i < count; i++) {
        struct sl_variant *variant = sl_case_compile(&c, masks[i], 0, NULL);
        for (size_t k = 0; k < sizeof(batches) / sizeof(batches[0]); k++)
            check_batch(&c, variant, batches[k]);
        sl_variant_free(variant);
    }
    sl_case_close(&c);
}

TEST(shape_beyond_the_bound_is_refused)
{
    static const int32_t sizes[4] = {9, 3, 32, 32}, negative[4] = {-1, 3, 32, 32};
    struct sl_model_case c;
    sl_case_open(&c, "dynamic_shape_f32_xnnpack");
    assert_int_equal(sl_method_resize_input(c.method, 0, sizes, NULL), SL_ET_NOT_SUPPORTED);
    assert_int_equal(sl_method_resize_input(c.method, 0, negative, NULL), SL_ET_NOT_SUPPORTED);
    sl_case_close(&c);
    sl_case_open(&c, "toy_cnn_f32_xnnpack");
    assert_int_equal(sl_method_resize_input(c.method, 0, sizes, NULL), SL_ET_NOT_SUPPORTED);
    sl_case_close(&c);
}

TEST(variant_made_while_shapes_are_small_serves_large_ones)
{
    static const int32_t one[4] = {1, 3, 32, 32};
    uint32_t masks[SL_CASE_MASKS];
    struct sl_model_case c;
    struct sl_tensor_view view;
    sl_case_masks(masks);
    sl_case_open(&c, "dynamic_shape_f32_xnnpack");
    assert_int_equal(sl_method_resize_input(c.method, 0, one, NULL), 0);
    struct sl_variant *variant = sl_case_compile(&c, masks[0], 0, NULL);
    assert_int_equal(sl_method_input(c.method, 0, &view), 0);
    assert_int_equal(view.sizes[0], 1);
    size_t packed = sl_variant_packed_bytes(variant);
    check_batch(&c, variant, 1);
    check_batch(&c, variant, 8);
    assert_int_equal(sl_variant_packed_bytes(variant), packed);
    sl_variant_free(variant);
    sl_case_close(&c);
}

static void assert_same_bits(const struct sl_buf *a, const struct sl_buf *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static void interleaved_variants_give_the_bits_of_separate_runs(const char *name)
{
    uint32_t masks[SL_CASE_MASKS];
    struct sl_variant *variants[SL_CASE_MASKS];
    struct sl_buf alone[SL_CASE_MASKS], now, input;
    struct sl_model_case c;
    unsigned count = sl_case_masks(masks);
    sl_case_read(name, "input-0.bin", &input);
    for (unsigned i = 0; i < count; i++) {
        sl_case_open(&c, name);
        struct sl_variant *variant = sl_case_compile(&c, masks[i], 0, NULL);
        sl_case_run(&c, variant, &input, false);
        sl_case_output(&c, &alone[i]);
        sl_variant_free(variant);
        sl_case_close(&c);
    }
    sl_case_open(&c, name);
    for (unsigned i = 0; i < count; i++)
        variants[i] = sl_case_compile(&c, masks[i], (uint16_t)i, NULL);
    for (unsigned k = 0; k < 3 * count; k++) {
        sl_case_run(&c, variants[k % count], &input, false);
        sl_case_output(&c, &now);
        assert_same_bits(&alone[k % count], &now);
        sl_buf_fini(&now);
    }
    for (unsigned i = 0; i < count; i++) {
        sl_variant_free(variants[i]);
        sl_buf_fini(&alone[i]);
    }
    sl_case_close(&c);
    sl_buf_fini(&input);
}

TEST(interleaving_changes_no_bit_of_a_delegated_model)
{
    interleaved_variants_give_the_bits_of_separate_runs("toy_cnn_f32_xnnpack");
    interleaved_variants_give_the_bits_of_separate_runs("dynamic_shape_f32_xnnpack");
}

TEST(interleaving_changes_no_bit_of_a_portable_model)
{
    interleaved_variants_give_the_bits_of_separate_runs("toy_cnn_f32_portable");
}

static void check_no_allocation(const char *name)
{
    uint32_t masks[SL_CASE_MASKS];
    struct sl_model_case c;
    struct sl_buf input;
    sl_case_masks(masks);
    sl_case_read(name, "input-0.bin", &input);
    sl_case_open(&c, name);
    struct sl_variant *variant = sl_case_compile(&c, masks[0], 0, NULL);
    sl_case_run(&c, variant, &input, false);
    sl_mem_fail_nth(1); /* the next allocation of all, wherever it is */
    sl_case_run(&c, variant, &input, false);
    assert_null(sl_malloc(1, 1)); /* it is this one */
    sl_variant_free(variant);
    sl_case_close(&c);
    sl_buf_fini(&input);
}

TEST(second_execution_allocates_nothing)
{
    check_no_allocation("toy_cnn_f32_xnnpack");
    check_no_allocation("toy_cnn_f32_portable");
    check_no_allocation("dynamic_shape_f32_xnnpack");
}

TEST(execution_without_inputs_is_refused)
{
    struct sl_model_case c;
    struct sl_diag diag = {0};
    struct sl_buf input;
    sl_case_read("toy_cnn_f32_xnnpack", "input-0.bin", &input);
    sl_case_open(&c, "toy_cnn_f32_xnnpack");
    struct sl_variant *variant = sl_case_compile(&c, 0, 0, NULL);
    assert_int_equal(sl_variant_execute(variant, false, &diag), SL_ET_INVALID_STATE);
    sl_case_run(&c, variant, &input, false);
    assert_int_equal(sl_variant_execute(variant, false, &diag), SL_ET_INVALID_STATE);
    assert_int_equal(sl_method_set_input(c.method, 0, input.data, 1000, &diag),
                     SL_ET_INVALID_ARGUMENT);
    assert_string_equal(diag.what, "input size (1000) and tensor size (49152) mismatch!");
    assert_int_equal(sl_method_fill_inputs(c.method, &diag), 0);
    assert_int_equal(sl_variant_execute(variant, false, &diag), 0);
    sl_variant_free(variant);
    sl_case_close(&c);
    sl_buf_fini(&input);
}

TEST(unknown_method_is_refused_in_the_real_words)
{
    struct sl_model_case c;
    struct sl_method *method = NULL;
    sl_case_open(&c, "toy_cnn_f32_xnnpack");
    assert_int_equal(sl_method_new(c.model, "nope", &method, NULL), SL_ET_INVALID_ARGUMENT);
    assert_null(method);
    assert_string_equal(c.log, "E program.cpp: No method named 'nope' in program\n");
    sl_case_close(&c);
}
