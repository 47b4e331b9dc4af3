/* tests/unit/agent/bench/test_usual.c: every kernel of every list can be benched by its name. */
#include "agent/bench/usual.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/bench/families.h"
#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "agent/probe/kernel_list.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "kernels/cpu/isa.h"
#include "tests/support/test.h"

TEST(the_operation_of_a_kernel_stands_in_its_shape)
{
    const struct {
        struct sl_kernel_entry kernel;
        const char *want;
    } cases[] = {
        {{"unary", "sl_unary_leaky_relu_f32_f32_4vl_sme2", "", 0, "a f16/unary:@-9", {0}},
         "f16/unary:leaky_relu-9"},
        {{"convert", "sl_convert_bf16_f32_neon", "", 0, "a convert:@-9", {0}},
         "convert:bf16_f32-9"},
        {{"convert", "sl_convert_qs8_qs8_4vl_sme2", "", 0, "a @", {0}}, "qs8_qs8"},
        {{"matmul", "sl_matmul_f32", "", 0, "a b:1x1", {0}}, "b:1x1"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[SL_BENCH_MAX_SHAPE];
        assert_true(sl_bench_usual_shape(&cases[i].kernel, 0, text));
        assert_string_equal(text, "a");
        assert_true(sl_bench_usual_shape(&cases[i].kernel, 1, text));
        assert_string_equal(text, cases[i].want);
        assert_false(sl_bench_usual_shape(&cases[i].kernel, 2, text));
        assert_false(sl_bench_usual_shape(&cases[i].kernel, 3, text));
    }
}

static int bench(const struct sl_kernel_entry *kernel, const char *text, struct sl_buf *out)
{
    const struct sl_bench_choice choice = {.name = kernel->name, .isa = sl_isa_detect()};
    struct sl_bench_shape shape;
    struct sl_bench_stage_run run = {.shape = &shape, .text = text, .counted = true, .out = out};
    if (sl_bench_shape_parse(text, &shape) < 0)
        fail_msg("%s has the shape '%s', which is none", kernel->name, text);
    return sl_bench_run(&choice, 1, &run);
}

/* Runs it, unless it takes none of its shapes; that may be where vectors are shorter than 512 bits.
 */
static void check(const struct sl_kernel_entry *kernel)
{
    struct sl_buf out;
    char text[SL_BENCH_MAX_SHAPE];
    int rc = SL_E_NOT_FOUND;
    sl_buf_init(&out, 1 << 16);
    for (size_t i = 0; rc == SL_E_NOT_FOUND && sl_bench_usual_shape(kernel, i, text); i++)
        rc = bench(kernel, text, &out);
    bool waits =
        rc == SL_E_NOT_FOUND && (kernel->needs & SL_ISA_SME2) != 0 && sl_isa_svl_bytes() < 64;
    if (rc < 0 && !waits)
        fail_msg("%s cannot be benched by its name: %s", kernel->name, sl_strerror(rc));
    if (rc == 0)
        assert_non_null(strstr((const char *)out.data, kernel->name));
    sl_buf_fini(&out);
}

TEST(every_kernel_of_every_list_takes_a_shape_that_is_usual_for_it)
{
    struct sl_kernel_entry kernel = {0};
    size_t run = 0;
    while (sl_kernel_list_next(&kernel)) {
        char text[SL_BENCH_MAX_SHAPE];
        assert_true(sl_bench_usual_shape(&kernel, 0, text));
        if ((kernel.needs & ~sl_isa_detect()) != 0)
            continue; /* integration/kernel_bench runs these in the emulator */
        check(&kernel);
        run++;
    }
    assert_true(run > 50);
}
