/* tests/unit/host/cli/test_kernel_shapes.c */
#include "common/base/error.h"
#include "host/cli/kernel_shape_list.h"
#include "host/cli/kernel_shapes.h"
#include "tests/support/unit.h"

static struct sl_kernel_shapes collected(struct sl_kernel_shapes asked, const char *word, int want)
{
    static struct sl_diag diag;
    assert_int_equal(sl_kernel_shapes_collect(&asked, &word, word ? 1 : 0, &diag), want);
    return asked;
}

static void layers_and_rows_are_of_the_type_asked_for(void **state)
{
    (void)state;
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

static void a_family_alone_gets_its_goals_of_the_type(void **state)
{
    (void)state;
    struct sl_kernel_shapes s = collected((struct sl_kernel_shapes){.type = "qs8"}, "conv", 0);
    assert_int_equal(s.count, 5);
    assert_string_equal(s.text[0], "qs8/conv:28x28x64-128-3x3-s1-p1");
    assert_string_equal(s.text[1], "qs8/conv:14x14x64-64-3x3-s1-p1");
    assert_string_equal(s.text[2], "qs8/conv:28x28x64-64-3x3-s1-p2-d2");
    s = collected((struct sl_kernel_shapes){.type = "f32"}, "pool", 0);
    assert_int_equal(s.count, 4);
    assert_string_equal(s.text[0], "pool:max-56x56x64-2x2-s2-p0");
    s = collected((struct sl_kernel_shapes){.type = "f32"}, "poo", 0); /* the agent refuses it */
    assert_string_equal(s.text[0], "matmul:poo");
}

static void families_without_goals_have_shapes_of_each_type(void **state)
{
    (void)state;
    struct sl_kernel_shapes s = collected((struct sl_kernel_shapes){.type = "f16"}, "resize", 0);
    assert_int_equal(s.count, 1);
    assert_string_equal(s.text[0], "f16/resize:28x28x64-56x56");
    s = collected((struct sl_kernel_shapes){.type = "f32"}, "batch", 0);
    assert_int_equal(s.count, 2);
    assert_string_equal(s.text[0], "batch_nk:12x197x197x64");
    s = collected((struct sl_kernel_shapes){.type = "qd8"}, "batch", 0);
    assert_int_equal(s.count, 1);
    assert_string_equal(s.text[0], "batch_qd8:12x197x197x64");
    s = collected((struct sl_kernel_shapes){.type = "qd8"}, "batch:1x2x3x4", 0);
    assert_string_equal(s.text[0], "batch_qd8:1x2x3x4");
    s = collected((struct sl_kernel_shapes){.type = "convert"}, "quantise:2x3", 0);
    assert_string_equal(s.text[0], "quantise:2x3");
    s = collected((struct sl_kernel_shapes){.all = false}, "deconv", 0);
    assert_int_equal(s.count, 9);
    collected((struct sl_kernel_shapes){.type = "q4"}, "batch:1x2x3x4", SL_E_UNSUPPORTED);
}

static void types_of_products_alone_take_products_alone(void **state)
{
    (void)state;
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
        snprintf(want, sizeof(want), "matmul_%s:64x64x64", types[i]);
        assert_string_equal(collected(asked, "matmul", 0).text[0], want);
        collected(asked, "pool:max-1x1x1-1x1-s1-p0", SL_E_UNSUPPORTED);
        asked.conv = "28x28x64-128-3x3-s1-p1";
        collected(asked, NULL, SL_E_UNSUPPORTED);
    }
    collected((struct sl_kernel_shapes){.type = "convert", .random = 2}, NULL, SL_E_UNSUPPORTED);
    collected((struct sl_kernel_shapes){.type = "convert"}, "unary:exp-9", SL_E_UNSUPPORTED);
    collected((struct sl_kernel_shapes){.type = "convert"}, "matmul:1x2x3", SL_E_UNSUPPORTED);
    assert_string_equal(
        collected((struct sl_kernel_shapes){.type = "convert"}, "convert:a-1", 0).text[0],
        "convert:a-1");
}

static void a_kernel_alone_is_left_to_the_agent(void **state)
{
    (void)state;
    struct sl_kernel_shapes s = collected((struct sl_kernel_shapes){.all = false}, "sl_conv_f", 0);
    assert_string_equal(s.kernel, "sl_conv_f");
    assert_int_equal(s.count, 0);
}

static void goals_of_one_type_are_no_others(void **state)
{
    (void)state;
    struct sl_kernel_shapes all = collected((struct sl_kernel_shapes){.all = true}, NULL, 0);
    size_t sum = 0;
    static const char *const types[] = {"f32", "f16", "bf16",   "qs8",
                                        "qd8", "q4",  "q4_g32", "convert"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        assert_true(sl_kernel_shapes_know_type(types[i]));
        sum += collected((struct sl_kernel_shapes){.all = true, .type = types[i]}, NULL, 0).count;
    }
    assert_int_equal(sum, all.count);
    assert_true(sl_kernel_shapes_know_type("q4_g64") && sl_kernel_shapes_know_type("q4_g128"));
    assert_false(sl_kernel_shapes_know_type("f"));
    assert_true(sl_kernel_shapes_know_type(NULL));
}

/* More than one launch of the agent takes. */
static void batches_hold_every_shape_once_and_in_order(void **state)
{
    (void)state;
    struct sl_kernel_shapes s =
        collected((struct sl_kernel_shapes){.random = 100, .seed = 3}, NULL, 0);
    const char *args[SL_KERNEL_BATCH_ARGS + 1];
    size_t seen = 0, batches = 0;
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

static void a_family_with_random_is_drawn_and_a_seed_draws_the_same(void **state)
{
    (void)state;
    static const char *const families[] = {
        "conv",    "deconv", "depthwise", "pool",   "reduce", "transpose",
        "permute", "repeat", "unary",     "binary", "resize", "batch",
    };
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        struct sl_kernel_shapes asked = {.type = i % 2 ? "f32" : "qs8", .random = 9, .seed = 4};
        struct sl_kernel_shapes a = collected(asked, families[i], 0);
        struct sl_kernel_shapes b = collected(asked, families[i], 0);
        size_t type = i % 2 ? 0 : strlen("qs8/");
        assert_int_equal(a.count, 9);
        assert_memory_equal(a.text, b.text, sizeof(a.text));
        for (size_t k = 0; k < a.count; k++)
            assert_memory_equal(a.text[k] + type, families[i], strlen(families[i]));
        asked.seed = 5;
        b = collected(asked, families[i], 0);
        assert_string_not_equal(a.text[0], b.text[0]);
    }
    struct sl_kernel_shapes rows =
        collected((struct sl_kernel_shapes){.type = "q4_g64", .random = 9, .seed = 4}, "gemv", 0);
    for (size_t k = 0; k < rows.count; k++) {
        assert_memory_equal(rows.text[k], "matmul_q4_g64:1x", strlen("matmul_q4_g64:1x"));
        assert_int_equal(strtoul(strrchr(rows.text[k], 'x') + 1, NULL, 10) % 64, 0);
    }
    assert_int_equal(rows.count, 9);
    struct sl_kernel_shapes goals = collected((struct sl_kernel_shapes){.seed = 4}, "pool", 0);
    assert_string_equal(goals.text[0], "pool:max-56x56x64-2x2-s2-p0");
}

static void too_many_shapes_are_refused(void **state)
{
    (void)state;
    collected((struct sl_kernel_shapes){.random = SL_KERNEL_MAX_SHAPES}, NULL, 0);
    collected((struct sl_kernel_shapes){.random = SL_KERNEL_MAX_SHAPES + 1}, NULL, SL_E_LIMIT);
}

/* Kernels that are not the first of their list have goals too, each under its own type. */
static void goals_of_kernels_by_name_are_of_one_type_each(void **state)
{
    (void)state;
    static const char *const types[] = {"f32", "f16", "bf16", "qs8", "qd8", "q4"};
    static struct sl_kernel_shapes s;
    size_t count = 0;
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
        for (size_t i = 0; i < sl_kernel_named_goal_count; i++) {
            s = (struct sl_kernel_shapes){.all = true, .type = types[t]};
            if (!sl_kernel_shapes_name(&s, i))
                continue;
            count++;
            assert_int_equal(s.count, 1);
            assert_string_equal(s.text[0], sl_kernel_named_goals[i].shape);
            assert_string_equal(s.kernel, sl_kernel_named_goals[i].kernel);
        }
    assert_int_equal(count, sl_kernel_named_goal_count);
    s = (struct sl_kernel_shapes){.all = true};
    assert_true(sl_kernel_shapes_name(&s, 0) &&
                sl_kernel_shapes_name(&s, sl_kernel_named_goal_count - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_and_rows_are_of_the_type_asked_for),
        cmocka_unit_test(a_family_alone_gets_its_goals_of_the_type),
        cmocka_unit_test(types_of_products_alone_take_products_alone),
        cmocka_unit_test(families_without_goals_have_shapes_of_each_type),
        cmocka_unit_test(a_kernel_alone_is_left_to_the_agent),
        cmocka_unit_test(goals_of_one_type_are_no_others),
        cmocka_unit_test(batches_hold_every_shape_once_and_in_order),
        cmocka_unit_test(a_family_with_random_is_drawn_and_a_seed_draws_the_same),
        cmocka_unit_test(too_many_shapes_are_refused),
        cmocka_unit_test(goals_of_kernels_by_name_are_of_one_type_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
