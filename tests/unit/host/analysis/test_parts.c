/* tests/unit/host/analysis/test_parts.c: parts sum to their categories, whatever the rules name. */
#include "host/analysis/parts.h"

#include <string.h>

#include "tests/support/unit.h"

#include "host/analysis/attribution.h"
#include "tests/support/operands.h"

static const struct sl_part *part_of(const struct sl_part *parts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    return NULL;
}

static struct sl_operator op(int category, const char *part, int64_t total)
{
    return (struct sl_operator){.category = category, .part = part, .total = total};
}

TEST(parts_sum_to_their_category_and_what_has_none_is_other)
{
    struct sl_operator operators[] = {
        op(SL_CATEGORY_OTHER, "softmax", 80), op(SL_CATEGORY_CONV, "dense", 100),
        op(SL_CATEGORY_OTHER, "norm", 60),    op(SL_CATEGORY_OTHER, NULL, 20),
        op(SL_CATEGORY_GEMM, NULL, 40),       op(SL_CATEGORY_FRAMEWORK, NULL, 2)};
    struct sl_attribution a = {.operators = operators, .operator_count = 6, .measured_count = 2};
    struct sl_part parts[SL_PARTS_MAX];
    size_t count = sl_parts_compare(&a, NULL, parts);
    assert_int_equal(count, 4); /* of GEMM nothing is told apart */
    assert_string_equal(parts[0].name, "dense");
    assert_string_equal(parts[1].name, "softmax"); /* the costliest of its category first */
    assert_true(parts[1].baseline == 40 && parts[1].candidate == 0);
    assert_true(part_of(parts, count, "norm")->baseline == 30);
    assert_true(part_of(parts, count, "other")->baseline == 10);
    struct sl_operator cheaper[] = {op(SL_CATEGORY_OTHER, "softmax", 8),
                                    op(SL_CATEGORY_OTHER, "pool", 1)};
    struct sl_attribution b = {.operators = cheaper, .operator_count = 2, .measured_count = 1};
    count = sl_parts_compare(&a, &b, parts);
    assert_int_equal(count, 5);
    assert_true(part_of(parts, count, "softmax")->candidate == 8);
    assert_true(part_of(parts, count, "pool")->baseline == 0);
}

/* One operator, three places: a window of one pixel is told from a larger one by its shape. */
TEST(pointwise_convolutions_are_told_by_their_shapes)
{
    struct sl_operator operators[] = {op(SL_CATEGORY_CONV, "dense", 70)};
    const struct sl_operands one = operands_of("1x56x56x64 * 128x1x1x64 -> 1x56x56x128", "Conv2d"),
                             nine = operands_of("1x56x56x64 * 128x3x3x64 -> 1x56x56x128", "Conv2d"),
                             aten = operands_of("1x64x56x56 * 128x64x1x1 -> 1x128x56x56", "");
    struct sl_position positions[] = {
        {.total = 40, .origin = "Conv2d", .operands = &one},
        {.total = 20, .origin = "Conv2d", .operands = &nine},
        {.total = 10, .origin = "aten::convolution.out", .operands = &aten}};
    struct sl_attribution a = {.operators = operators,
                               .operator_count = 1,
                               .measured_count = 1,
                               .positions = positions,
                               .position_count = 3};
    struct sl_part parts[SL_PARTS_MAX];
    assert_int_equal(sl_parts_compare(&a, NULL, parts), 2);
    assert_string_equal(parts[0].name, "pointwise");
    assert_true(parts[0].baseline == 50 && parts[1].baseline == 20);
}

/* A convolution of 70 in two places, of which one packs; what packs in other categories is theirs.
 */
TEST(packing_is_a_part_of_convolutions_and_products)
{
    struct sl_operator operators[] = {op(SL_CATEGORY_CONV, "dense", 70),
                                      op(SL_CATEGORY_GEMM, NULL, 40),
                                      op(SL_CATEGORY_MOVEMENT, "pack and quantise", 9)};
    operators[0].packing = 30;
    operators[1].packing = 10;
    operators[2].packing = 9;
    struct sl_attribution a = {
        .operators = operators, .operator_count = 3, .measured_count = 1, .packing = true};
    struct sl_part parts[SL_PARTS_MAX];
    size_t count = sl_parts_compare(&a, NULL, parts);
    assert_int_equal(count, 5);
    assert_string_equal(parts[0].name, "dense");
    assert_true(parts[0].baseline == 40);
    assert_string_equal(parts[1].name, SL_PART_PACKING);
    assert_true(parts[1].baseline == 30);
    assert_true(part_of(parts, count, "other")->baseline == 30); /* of GEMM */
    assert_string_equal(parts[3].name, SL_PART_PACKING);
    assert_true(parts[3].baseline == 10);
    assert_true(part_of(parts, count, "pack and quantise")->baseline == 9);
    struct sl_position positions[] = {{.total = 50, .packing = 30}, {.total = 20}};
    a.positions = positions;
    a.position_count = 2;
    count = sl_parts_compare(&a, NULL, parts);
    assert_int_equal(count, 2);
    assert_true(part_of(parts, count, "dense")->baseline == 40);
    assert_true(part_of(parts, count, SL_PART_PACKING)->baseline == 30);
}

/* A side without figures for packing would look as if it packed nothing. */
TEST(packing_that_one_side_does_not_know_is_no_part)
{
    struct sl_operator known[] = {op(SL_CATEGORY_CONV, "dense", 70)},
                       unknown[] = {op(SL_CATEGORY_CONV, "dense", 90)};
    known[0].packing = 30;
    struct sl_attribution a = {.operators = known, .operator_count = 1, .measured_count = 1},
                          b = {.operators = unknown, .operator_count = 1, .measured_count = 1};
    a.packing = true;
    struct sl_part parts[SL_PARTS_MAX];
    assert_int_equal(sl_parts_compare(&a, &b, parts), 1);
    assert_true(parts[0].baseline == 70 && parts[0].candidate == 90);
    assert_int_equal(sl_parts_compare(&b, &a, parts), 1);
    assert_true(parts[0].baseline == 90 && parts[0].candidate == 70);
    b.packing = true;
    assert_int_equal(sl_parts_compare(&b, &a, parts), 2);
    assert_true(part_of(parts, 2, SL_PART_PACKING)->candidate == 30);
    assert_true(part_of(parts, 2, "dense")->candidate == 40);
}

TEST(rules_with_more_parts_than_there_is_room_for_still_sum_up)
{
    static char names[SL_PARTS_MAX + 20][8];
    static struct sl_operator operators[SL_PARTS_MAX + 20];
    struct sl_attribution a = {
        .operators = operators, .operator_count = SL_PARTS_MAX + 20, .measured_count = 1};
    struct sl_part parts[SL_PARTS_MAX];
    double sum = 0;
    for (size_t i = 0; i < a.operator_count; i++) {
        snprintf(names[i], sizeof(names[i]), "p%zu", i);
        operators[i] = op((int)(i % SL_CATEGORY_FRAMEWORK), names[i], 1);
    }
    size_t count = sl_parts_compare(&a, NULL, parts);
    assert_in_range(count, 1, SL_PARTS_MAX);
    for (size_t i = 0; i < count; i++)
        sum += parts[i].baseline;
    assert_true(sum == (double)a.operator_count);
}
