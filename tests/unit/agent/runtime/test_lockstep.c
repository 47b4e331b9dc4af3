/* tests/unit/agent/runtime/test_lockstep.c: each operator of each program with each variant's
 * kernels, on equal inputs. */
#include "agent/runtime/lockstep.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/model_case.h"
#include "tests/support/test.h"

/* A side of the case's own program, with these kernels. */
static struct sl_method *open_side(struct sl_model *model, const char *method, uint32_t isa,
                                   struct sl_lockstep_side *side)
{
    struct sl_method *own = NULL;
    assert_int_equal(sl_method_new(model, method, &own, NULL), 0);
    assert_int_equal(sl_variant_new(own, isa, 0, NULL, &side->variant, NULL), 0);
    return own;
}

static void print_rows(const char *model, const struct sl_lockstep_side *side)
{
    for (size_t i = 0; i < side->row_count; i++) {
        const struct sl_lockstep_row *row = &side->rows[i];
        printf("%s: %s, instruction %u, kind %d: %g\n", model, row->name, row->instruction,
               row->kind, row->distance);
    }
}

/* The limit of each kind; host/analysis/divergence.c has the same. */
static const double limits[SL_LOCKSTEP_KINDS] = {1e-4, 2e-2, 1.0 / 256, 1, 0};

/* With all that this CPU has: emulated ones differ in that. */
static void check_model(const char *model)
{
    uint32_t masks[SL_CASE_MASKS];
    struct sl_model_case c;
    struct sl_lockstep_side *side = test_calloc(1, sizeof(*side));
    sl_case_masks(masks);
    sl_case_open(&c, model);
    struct sl_variant *reference = sl_case_compile(&c, 0, 0, NULL);
    struct sl_method *own = open_side(c.model, sl_method_name(c.method), masks[0], side);
    sl_case_set_files(&c, model, "");
    assert_int_equal(sl_lockstep_execute(reference, side, 1, NULL), 0);
    assert_true(side->compared > 0);
    for (int kind = 0; kind < SL_LOCKSTEP_KINDS; kind++) {
        if (side->farthest[kind] > limits[kind])
            print_rows(model, side);
        assert_true(side->farthest[kind] <= limits[kind]);
    }
    sl_variant_free(side->variant);
    sl_method_free(own);
    sl_variant_free(reference);
    sl_case_close(&c);
    test_free(side);
}

TEST(each_operator_of_each_program_is_as_near_as_its_type_promises)
{
    assert_true(sl_case_each_model(check_model) > 20);
}

/* Some weights of one layer are others: its operator differs, and no other, since each gets the
 * reference's values. */
TEST(the_operator_that_differs_is_named_alone)
{
    static const char model[] = "toy_cnn_f32_xnnpack";
    struct sl_model_case c;
    struct sl_buf bytes;
    struct sl_model *changed = NULL;
    struct sl_lockstep_side *sides = test_calloc(2, sizeof(*sides));
    sl_case_read(model, "model.pte", &bytes);
    memset(bytes.data + bytes.size - 2048, 0, 64);
    assert_int_equal(sl_model_open_bytes(bytes.data, bytes.size, NULL, NULL, &changed, NULL), 0);
    sl_case_open(&c, model);
    struct sl_variant *reference = sl_case_compile(&c, 0, 0, NULL);
    struct sl_method *same = open_side(c.model, NULL, 0, &sides[0]);
    struct sl_method *other = open_side(changed, NULL, 0, &sides[1]);
    sl_case_set_files(&c, model, "");
    assert_int_equal(sl_lockstep_execute(reference, sides, 2, NULL), 0);
    assert_true(sides[0].row_count == 0 && sides[0].compared == sides[1].compared);
    assert_int_equal(sides[1].row_count, 1);
    assert_string_equal(sides[1].rows[0].name, "Fully Connected (NC, F32) GEMM #1");
    assert_true(sides[1].rows[0].distance > 1e-4 && sides[1].rows[0].node > 0);
    sl_variant_free(sides[0].variant);
    sl_variant_free(sides[1].variant);
    sl_method_free(same);
    sl_method_free(other);
    sl_variant_free(reference);
    sl_case_close(&c);
    sl_model_free(changed);
    sl_buf_fini(&bytes);
    test_free(sides);
}
