/* tests/unit/kernels/cpu/test_nothing.c: every kernel of every list but the products, which draw
 * sizes of 0 themselves, and resizing, which has none: of nothing it reads and writes nothing. */
#include <math.h>
#include <stdint.h>

#include "kernels/binary/binary.h"
#include "kernels/binary/binary_qs8.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_qs8.h"
#include "kernels/convert/convert.h"
#include "kernels/convert/quantise.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise_qs8.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/layout_x16.h"
#include "kernels/layout/layout_x8.h"
#include "kernels/layout/repeat.h"
#include "kernels/pool/argmax.h"
#include "kernels/pool/pool.h"
#include "kernels/pool/pool_qs8.h"
#include "kernels/reduce/mean_qs8.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"
#include "kernels/unary/unary_qs8.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

/* Buffers of no bytes, at an unreadable page. */
static void *in, *out;
static _Alignas(64) char workspace[64 * 1024];
static const struct sl_requant_out quantised = {1, -128, 127};

static int setup(void **state)
{
    (void)state;
    in = sl_guarded_new(0, 1);
    out = sl_guarded_new(0, 1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sl_guarded_free(in);
    sl_guarded_free(out);
    return 0;
}

/* Calls run() with these arguments for every kernel of the list that runs here. */
#define EACH(family, ...)                                                                          \
    {                                                                                              \
        const struct sl_##family *kernel;                                                          \
        for (size_t i = 0; (kernel = sl_##family##_at(i)) != NULL; i++)                            \
            if (sl_case_may_run(kernel->name, kernel->needs))                                      \
                kernel->run(__VA_ARGS__);                                                          \
    }
#define OF(family) &(const struct sl_##family##_args)

TEST_WITH(elements, setup, teardown)
{
    EACH(unary, 0, in, out, -1, 1)
    EACH(unary_qs8, OF(unary_qs8){.in = in, .out = out, .table = in, .max = 1})
    EACH(binary, OF(binary){0, in, in, 1, 1, out, -INFINITY, INFINITY})
    EACH(binary_qs8, OF(binary_qs8){.a = in, .b = in, .out = out, .out_quant = quantised})
    EACH(convert, OF(convert){.in = in, .out = out, .in_scale = 1, .out_scale = 1})
    EACH(repeat, 0, 4, 3, in, out)
}

TEST_WITH(rows, setup, teardown)
{
    const struct sl_rows none = {in, 8, SL_ROWS_F32, NULL};
    EACH(quantise, 0, 8, &none, out, 8, NULL)
    for (size_t inner = 1; inner <= 40; inner += 39) {
        EACH(reduce, OF(reduce){.reduced = 7, .inner = inner, .in = in, .out = out, .scale = 1})
        EACH(mean_qs8, OF(mean_qs8){.reduced = 7,
                                    .inner = inner,
                                    .in = in,
                                    .out = out,
                                    .scale = 1,
                                    .out_quant = quantised,
                                    .workspace = workspace})
    }
    for (size_t none_of = 0; none_of < 3; none_of++) {
        size_t batch = none_of != 0, height = none_of != 1 ? 5 : 0, width = none_of != 2 ? 6 : 0;
        EACH(transpose, OF(transpose){batch, height, width, in, 30, width, out, 30, height})
        EACH(transpose_x16, OF(transpose_x16){batch, height, width, in, 30, width, out, 30, height})
        EACH(transpose_x8, OF(transpose_x8){batch, height, width, in, 30, width, out, 30, height})
    }
}

/* 2x2 windows at stride 2 have paths of their own. */
TEST_WITH(windows_of_no_images, setup, teardown)
{
    for (size_t size = 2; size <= 3; size++) {
        EACH(pool,
             OF(pool){kernel->op, 0, 6, 6, 2, 2, 9, size, size, 2, 2, 1, 1, 0, 0, in, out, -1, 1})
        EACH(pool_qs8,
             OF(pool_qs8){0, 6, 6, 2, 2, 9, size, size, 2, 2, 1, 1, 0, 0, in, out, -128, 127})
    }
    EACH(argmax, OF(argmax){.out_h = 3, .out_w = 2, .channels = 5, .kernel_h = 1, .kernel_w = 2})
}

#define CONVOLVE(family, of, ...)                                                                  \
    {                                                                                              \
        const struct sl_##family *kernel;                                                          \
        for (size_t i = 0; (kernel = sl_##family##_at(i)) != NULL; i++) {                          \
            if (!sl_case_may_run(kernel->name, kernel->needs) ||                                   \
                kernel->workspace_bytes(&of) > sizeof(workspace))                                  \
                continue;                                                                          \
            kernel->run(OF(family){.shape = of,                                                    \
                                   .in = in,                                                       \
                                   .weights = workspace,                                           \
                                   .out = out,                                                     \
                                   .workspace = workspace,                                         \
                                   __VA_ARGS__});                                                  \
        }                                                                                          \
    }

TEST_WITH(convolutions_of_no_images, setup, teardown)
{
    const struct sl_conv_shape conv = {0, 9, 9, 9, 9, 1, 5, 7, 3, 3, 1, 1, 1, 1, 1, 1};
    const struct sl_depthwise_shape deep = {0, 9, 9, 9, 9, 21, 1, 3, 3, 1, 1, 1, 1, 1, 1};
    CONVOLVE(conv, conv, .min = -1, .max = 1)
    CONVOLVE(conv_qs8, conv, .out_quant = quantised)
    CONVOLVE(depthwise, deep, .min = -1, .max = 1)
    CONVOLVE(depthwise_qs8, deep, .out_quant = quantised)
}
