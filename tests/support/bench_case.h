/* tests/support/bench_case.h: a bench of one shape, for the tests of agent/bench. */
#pragma once

#include <string.h>

#include "agent/bench/families.h"
#include "agent/bench/kernels.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "common/base/buf.h"
#include "kernels/cpu/isa.h"
#include "tests/support/test.h"

/* Runs all stages of the first portable kernel of the shape: its name has `kernel` in it, and what
 * is printed has a line of the stage `stage`. */
static inline void sl_case_bench(const char *text, const char *kernel, const char *stage)
{
    struct sl_bench_shape shape;
    struct sl_buf out;
    const struct sl_bench_choice choice = {.engine = "portable", .isa = SL_ISA_NONE};
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_bench_shape_parse(text, &shape), 0);
    struct sl_bench_stage_run bench = {.shape = &shape, .text = text, .out = &out};
    assert_int_equal(sl_bench_run(&choice, 1, &bench), 0);
    if (!strstr(bench.kernel, kernel))
        fail_msg("%s: %s, not a kernel of %s", text, bench.kernel, kernel);
    if (!strstr((const char *)out.data, stage))
        fail_msg("%s: no stage %s in %s", text, stage, (const char *)out.data);
    sl_buf_fini(&out);
}
