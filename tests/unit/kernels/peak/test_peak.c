/* tests/unit/kernels/peak/test_peak.c: the loops run to their end, touch what they say, and leave a
 * caller its registers; what they execute integration/streaming_policy counts. */
#include "kernels/peak/peak.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/callers_state.h"
#include "tests/support/guarded.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

enum { TURNS = 3, NEON_BYTES = 256 };

static bool is_far(const struct sl_peak *peak)
{
    return peak->kind == SL_PEAK_FAR || peak->kind == SL_PEAK_NEON_FAR;
}

TEST(every_loop_stays_within_its_memory)
{
    const struct sl_peak *peak;
    size_t svl = sl_isa_svl_bytes();
    for (size_t i = 0; (peak = sl_peak_at(i)) != NULL; i++) {
        if (!sl_case_may_run(peak->name, peak->needs))
            continue;
        size_t moved = (size_t)sl_peak_bytes(peak, svl) * peak->work;
        size_t bytes = is_far(peak) ? TURNS * moved : sl_peak_footprint(peak);
        bool level = peak->kind == SL_PEAK_LEVEL || peak->kind == SL_PEAK_NEON_LEVEL;
        size_t turns = level ? bytes / moved + 1 : TURNS; /* round, and once more */
        char *memory = sl_guarded_new(bytes, 64);
        memset(memory, 1, bytes);
        peak->run(&(struct sl_peak_job){turns, memory});
        peak->run(&(struct sl_peak_job){1, memory});
        if (strstr(peak->name, "write") != NULL) /* zeros, or what the registers held */
            assert_true(memchr(memory, 0, bytes) != NULL || memory[bytes - 1] != 1);
        else if (strstr(peak->name, "store") == NULL && peak->kind != SL_PEAK_HAND)
            assert_true(memory[0] == 1 && memory[bytes - 1] == 1);
        sl_guarded_free(memory);
    }
}

static void run_peak(const void *context)
{
    static _Alignas(64) char memory[TURNS * 16 * 256];
    const struct sl_peak *peak = context;
    peak->run(&(struct sl_peak_job){TURNS, memory});
}

TEST(loops_that_run_as_kernels_keep_the_callers_state)
{
    const struct sl_peak *peak;
    for (size_t i = 0; (peak = sl_peak_at(i)) != NULL; i++) {
        if (strstr(peak->name, "enter_za") == NULL && /* turns ZA itself off */
            sl_case_is_sme2(peak->name, peak->needs))
            sl_case_survives(peak->name, run_peak, peak);
    }
}

TEST(work_is_told_for_the_vector_length)
{
    const struct sl_peak outer = {.kind = SL_PEAK_OUTER, .work = 16, .depth = 4},
                         mla = {.kind = SL_PEAK_MLA, .work = 16, .depth = 1, .vectors = 4},
                         far = {.kind = SL_PEAK_FAR, .work = 4, .vectors = 4},
                         level = {.kind = SL_PEAK_LEVEL, .work = 4, .depth = 64, .vectors = 4},
                         hand = {.kind = SL_PEAK_HAND, .work = 1},
                         neon = {.kind = SL_PEAK_NEON_MLA, .work = 20, .depth = 8, .vectors = 1};
    assert_int_equal(sl_peak_operations(&outer, 64), 4 * 16 * 16);
    assert_int_equal(sl_peak_operations(&outer, 16), 4 * 4 * 4);
    assert_int_equal(sl_peak_operations(&mla, 64), 4 * 16);
    assert_int_equal(sl_peak_operations(&neon, 64), 32);
    assert_int_equal(sl_peak_bytes(&outer, 64), 0);
    assert_int_equal(sl_peak_bytes(&far, 64), 256);
    assert_int_equal(sl_peak_bytes(&level, 64), 256);
    assert_int_equal(sl_peak_footprint(&level), 64 << 10);
    assert_int_equal(sl_peak_footprint(&outer), SL_PEAK_NEAR_BYTES);
    assert_int_equal(sl_peak_bytes(&hand, 16), 256); /* no more than both touch */
    assert_int_equal(sl_peak_bytes(&hand, 256), 1024);
    assert_int_equal(sl_peak_turns(&far, 64, 1 << 20, 7), (1 << 20) / 1024);
    assert_int_equal(sl_peak_turns(&mla, 64, 1 << 20, 7), 7);
}
