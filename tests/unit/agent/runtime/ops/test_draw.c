/* tests/unit/agent/runtime/ops/test_draw.c: numbers drawn at random have their distribution, and
 * every execution has the same. */
#include <math.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

enum { COUNT = 2001 };

static uint32_t add_draw(const char *name, int type)
{
    uint32_t sizes = sl_program_add_list(1, (const int32_t[]){COUNT});
    uint32_t out = sl_program_add_typed(type, SL_SIZES(COUNT), true);
    sl_program_add_call(name, SL_ARGS(sizes, out));
    return out;
}

static void moments(const float *x, double *mean, double *variance)
{
    *mean = *variance = 0.0;
    for (size_t i = 0; i < COUNT; i++)
        *mean += (double)x[i] / (double)COUNT;
    for (size_t i = 0; i < COUNT; i++)
        *variance += ((double)x[i] - *mean) * ((double)x[i] - *mean) / (double)COUNT;
}

TEST(numbers_have_their_distribution_and_calls_their_own)
{
    static float first[COUNT];
    double mean, variance;
    sl_program_begin();
    uint32_t uniform = add_draw("aten::rand.out", SL_SCALAR_FLOAT);
    uint32_t other = add_draw("aten::rand.out", SL_SCALAR_FLOAT);
    uint32_t normal = add_draw("aten::randn.out", SL_SCALAR_FLOAT);
    sl_program_must_load();
    sl_program_must_execute();
    for (size_t i = 0; i < COUNT; i++)
        assert_true(sl_program_floats(uniform)[i] >= 0 && sl_program_floats(uniform)[i] <= 1);
    moments(sl_program_floats(uniform), &mean, &variance);
    assert_true(fabs(mean - 0.5) < 0.03 && fabs(variance - 1.0 / 12) < 0.01);
    moments(sl_program_floats(normal), &mean, &variance);
    assert_true(fabs(mean) < 0.1 && fabs(variance - 1.0) < 0.1);
    memcpy(first, sl_program_bytes(uniform), sizeof(first));
    assert_memory_not_equal(first, sl_program_bytes(other), sizeof(first));
    memset(sl_program_bytes(uniform), 0, sizeof(first));
    sl_program_must_execute();
    assert_memory_equal(first, sl_program_bytes(uniform), sizeof(first));
    sl_program_end();
}

TEST(whole_numbers_are_not_drawn)
{
    sl_program_begin();
    add_draw("aten::rand.out", SL_SCALAR_INT);
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
}
