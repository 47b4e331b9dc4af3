/* tests/unit/host/cli/test_kernel_shapes.c */
#include "common/base/error.h"
#include "host/cli/kernel_shapes.h"
#include "tests/support/unit.h"

static struct sl_kernel_shapes collected(struct sl_kernel_shapes asked, const char *word, int want)
{
    static struct sl_diag diag;
    assert_int_equal(sl_kernel_shapes_collect(&asked, &word, word ? 1 : 0, &diag), want);
    return asked;
}

TEST(layers_and_rows_are_of_the_type_asked_for)
{
    struct sl_kernel_shapes s =
        collected((struct sl_kernel_shapes){.type = "qs8", .conv = "C", .gemv = "7x8"}, "1x2x3", 0);
    assert_int_equal(s.count, 3);
    assert_string_equal(s.text[0], "qs8/matmul:1x2x3");
    assert_string_equal(s.text[1], "qs8/conv:C");
    assert_string_equal(s.text[2], "qs8/matmul:1x7x8");
    s = collected((struct sl_kernel_shapes){.type = NULL}, "pool:max-1x1x1-1x1-s1-p0", 0);
    assert_int_equal(s.count, 1);
    assert_string_equal(s.text[0], "pool:max-1x1x1-1x1-s1-p0");
}

TEST(types_of_products_alone_take_products_alone)
{
    static const char *const types[] = {"qd8", "q4", "q4_g32"};
    for (size_t i = 0; i < 3; i++) {
        struct sl_kernel_shapes asked = {.type = types[i]}, s;
        char want[64];
        snprintf(want, sizeof(want), "matmul_%s:1x32x64", types[i]);
        s = collected(asked, "matmul:1x32x64", 0);
        assert_string_equal(s.text[0], want);
        s = collected(asked, want, 0);
        assert_int_equal(s.count, 1);
        assert_string_equal(s.text[0], want);
        collected(asked, "pool:max-1x1x1-1x1-s1-p0", SL_E_UNSUPPORTED);
        asked.conv = "28x28x64-128-3x3-s1-p1";
        collected(asked, NULL, SL_E_UNSUPPORTED);
    }
    collected((struct sl_kernel_shapes){.type = "convert"}, "unary:exp-9", SL_E_UNSUPPORTED);
    collected((struct sl_kernel_shapes){.type = "convert"}, "matmul:1x2x3", SL_E_UNSUPPORTED);
    struct sl_kernel_shapes s =
        collected((struct sl_kernel_shapes){.type = "qd8"}, "batch:1x2x3x4", 0);
    assert_string_equal(s.text[0], "batch_qd8:1x2x3x4");
    s = collected((struct sl_kernel_shapes){.type = "convert"}, "quantise:2x3", 0);
    assert_string_equal(s.text[0], "quantise:2x3");
    collected((struct sl_kernel_shapes){.type = "q4"}, "batch:1x2x3x4", SL_E_UNSUPPORTED);
    assert_string_equal(
        collected((struct sl_kernel_shapes){.type = "convert"}, "convert:a-1", 0).text[0],
        "convert:a-1");
}

TEST(a_kernel_alone_is_left_to_the_agent)
{
    struct sl_kernel_shapes s = collected((struct sl_kernel_shapes){.type = NULL}, "sl_conv_f", 0);
    assert_string_equal(s.kernel, "sl_conv_f");
    assert_int_equal(s.count, 0);
}

TEST(types_are_those_that_have_kernels)
{
    static const char *const types[] = {"f32", "f16",    "bf16",   "qs8",     "qd8",
                                        "q4",  "q4_g32", "q4_g64", "q4_g128", "convert"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        assert_true(sl_kernel_shapes_know_type(types[i]));
    assert_false(sl_kernel_shapes_know_type("f"));
    assert_true(sl_kernel_shapes_know_type(NULL));
}

/* The same product so many times. */
static int collect_many(struct sl_kernel_shapes *s, size_t count)
{
    static const char *words[SL_KERNEL_MAX_SHAPES + 1];
    for (size_t i = 0; i < count; i++)
        words[i] = "1x2x3";
    return sl_kernel_shapes_collect(s, words, count, NULL);
}

/* More than one launch of the agent takes. */
TEST(batches_hold_every_shape_once_and_in_order)
{
    static struct sl_kernel_shapes s;
    const char *args[SL_KERNEL_BATCH_ARGS + 1];
    size_t seen = 0, batches = 0;
    assert_int_equal(collect_many(&s, 100), 0);
    assert_int_equal(s.count, 100);
    while (seen < s.count) {
        size_t next = sl_kernel_shapes_batch(&s, seen, args);
        assert_in_range(next, seen + 1, seen + SL_KERNEL_BATCH_SHAPES);
        for (size_t i = seen; i < next; i++) {
            assert_string_equal(args[2 * (i - seen)], "--bench");
            assert_ptr_equal(args[2 * (i - seen) + 1], s.text[i]);
        }
        assert_null(args[2 * (next - seen)]);
        seen = next;
        batches++;
    }
    assert_int_equal(batches, (100 + SL_KERNEL_BATCH_SHAPES - 1) / SL_KERNEL_BATCH_SHAPES);
}

TEST(too_many_shapes_are_refused)
{
    static struct sl_kernel_shapes s;
    assert_int_equal(collect_many(&s, SL_KERNEL_MAX_SHAPES), 0);
    s = (struct sl_kernel_shapes){.type = NULL};
    assert_int_equal(collect_many(&s, SL_KERNEL_MAX_SHAPES + 1), SL_E_LIMIT);
}
