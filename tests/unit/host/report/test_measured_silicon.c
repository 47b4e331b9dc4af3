/* tests/unit/host/report/test_measured_silicon.c: what loops took, made up, is what the profile
 * that is read back says, and what is estimated with it. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "host/report/measured_silicon.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/analysis/block_work.h"
#include "host/analysis/estimate.h"
#include "host/analysis/silicon.h"
#include "host/report/silicon_file.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { MOST_LOOPS = 128, NAME_BYTES = 64 };

#define FINGERPRINT "0123456789abcdef"

struct loops {
    char names[MOST_LOOPS][NAME_BYTES];
    struct sl_silicon_loop loop[MOST_LOOPS];
    size_t count;
};

static void set(struct loops *all, const char *peak, double ns, double bytes)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->names[i], peak) == 0) {
            all->loop[i].ns = ns;
            all->loop[i].bytes = bytes;
            return;
        }
    }
    fail_msg("kernels/peak has no %s", peak);
}

/* Every loop that kernels/peak has, each with a time of its own from 0.1 ns on. */
static void read_loops(struct loops *all)
{
    struct sl_buf text;
    *all = (struct loops){.count = 0};
    assert_int_equal(sl_buf_read_file(SL_TEST_DATA "/../../kernels/peak/peak.inc", 1 << 20, &text),
                     0);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    for (const char *at = (char *)text.data; (at = strstr(at, "SL_PEAK(sl_peak_"));) {
        size_t i = all->count++;
        assert_true(all->count <= MOST_LOOPS);
        at += strlen("SL_PEAK(");
        snprintf(all->names[i], NAME_BYTES, "%.*s", (int)strcspn(at, ","), at);
        all->loop[i] = (struct sl_silicon_loop){all->names[i], 0.1 + 0.005 * (double)i, 256};
    }
    sl_buf_fini(&text);
    set(all, "sl_peak_hand_over_sme2", 70, 1024);
    set(all, "sl_peak_hand_apart_sme2", 50, 1024);
}

static int make(const struct loops *all, const char *base, struct sl_buf *text,
                struct sl_diag *diag)
{
    const struct sl_measured_silicon of = {base, FINGERPRINT, all->loop, all->count};
    sl_buf_init(text, SL_SILICON_MAX_BYTES);
    return sl_measured_silicon_write(&of, text, diag);
}

static void made(const struct loops *all, const char *base, struct sl_silicon *out)
{
    struct sl_buf text;
    struct sl_diag diag = {.what = ""};
    if (make(all, base, &text, &diag) < 0)
        fail_msg("%s: %s", diag.where, diag.what);
    assert_int_equal(sl_silicon_parse((struct sl_bytes){text.data, text.size}, "x", out, &diag), 0);
    sl_buf_fini(&text);
}

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-3 * fabs(expected)))
        fail_msg("%g, expected %g", got, expected);
}

static size_t times_in(const struct sl_buf *text, const char *words)
{
    size_t count = 0;
    const char *at = (char *)text->data;
    for (; (at = strstr(at, words)); at++)
        count++;
    return count;
}

TEST(what_loops_took_stands_in_cycles_of_the_bases_clock)
{
    static const char *const bases[] = {"apple-m4", "arm-c1-ultra"};
    struct loops all;
    read_loops(&all);
    set(&all, "sl_peak_mopa_f32_sme2", 0.3, 0);
    set(&all, "sl_peak_mopa1_f32_sme2", 1.2, 0);
    set(&all, "sl_peak_store1_sme2", 0.5, 64);
    set(&all, "sl_peak_store2_sme2", 0.6, 128);
    set(&all, "sl_peak_store4_sme2", 1.6, 256);
    set(&all, "sl_peak_enter_za_sme2", 11, 0);
    set(&all, "sl_peak_load2_neon", 0.2, 32);
    set(&all, "sl_peak_mla1_f32_neon", 1, 0);
    for (size_t i = 0; i < 2; i++) {
        struct sl_silicon got, base;
        made(&all, bases[i], &got);
        assert_int_equal(sl_silicon_load(bases[i], &base, NULL), 0);
        double unit = base.figures[SL_FIGURE_UNIT_CLOCK].value;
        double core = base.figures[SL_FIGURE_CORE_CLOCK].value;
        assert_string_equal(got.name, SL_SILICON_MEASURED FINGERPRINT);
        near(got.cycles[SL_WORK_OUTER_F32].value, 0.3 * unit);
        assert_int_equal(got.cycles[SL_WORK_OUTER_F32].confidence, 'M');
        near(got.latency[SL_WORK_OUTER_F32].value, 1.2 * unit);
        near(got.cycles[SL_WORK_Z_STORE].value, 0.3 * unit); /* the best: two in 0.6 ns */
        near(got.figures[SL_FIGURE_UNIT_SESSION].value, 11);
        near(got.figures[SL_FIGURE_UNIT_HAND_OVER].value, 20); /* 70 - 50 ns of a KB */
        near(got.figures[SL_FIGURE_CORE_LOAD].value, 2 / (0.2 * core));
        near(got.latency[SL_WORK_NEON_MAC].value, core);
        near(got.figures[SL_FIGURE_UNIT_CLOCK].value, unit);
        near(got.figures[SL_FIGURE_UNIT_CLOCK_LOW].value, unit);
        near(got.figures[SL_FIGURE_UNIT_CLOCK_HIGH].value, unit);
        near(got.cycles[SL_WORK_Z_LOOKUP].value, base.cycles[SL_WORK_Z_LOOKUP].value);
        assert_int_equal(got.cycles[SL_WORK_Z_LOOKUP].confidence,
                         base.cycles[SL_WORK_Z_LOOKUP].confidence);
    }
}

TEST(bandwidth_is_of_the_level_that_serves_the_footprint)
{
    struct loops all;
    struct sl_silicon got, base;
    read_loops(&all);
    set(&all, "sl_peak_read_64k_sme2", 1, 256);
    set(&all, "sl_peak_read_1m_sme2", 2, 256);
    set(&all, "sl_peak_read_sme2", 4, 256);
    set(&all, "sl_peak_read_64k_neon", 0.25, 32);
    set(&all, "sl_peak_read_1m_neon", 0.5, 32);
    set(&all, "sl_peak_read_neon", 1, 32);
    made(&all, "apple-m4", &got);
    assert_int_equal(sl_silicon_load("apple-m4", &base, NULL), 0);
    near(got.core_levels[0].gb_per_s, 128);
    near(got.core_levels[1].gb_per_s, 64);
    near(got.core_levels[2].gb_per_s, 32);
    near(got.unit_levels[0].gb_per_s, 128); /* of 1 MB: both footprints are of this level */
    near(got.unit_levels[1].gb_per_s, base.unit_levels[1].gb_per_s);
    near(got.unit_levels[got.unit_level_count - 1].gb_per_s, 64);
    assert_int_equal(got.unit_level_count, base.unit_level_count);
    assert_true(got.unit_levels[1].waits);
}

TEST(each_figure_says_where_it_is_from)
{
    struct loops all;
    struct sl_buf text;
    read_loops(&all);
    assert_int_equal(make(&all, "apple-m4", &text, NULL), 0);
    assert_int_equal(sl_buf_append(&text, "", 1), 0);
    /* Each rule finds its loop: 38 of the unit's instructions, session, hand-over, four of the
     * core, and two and three levels. */
    assert_int_equal(times_in(&text, "\"measured on " FINGERPRINT " by kernels bench --peaks\""),
                     38 + 2 + 4 + 5);
    assert_true(times_in(&text, "\"from apple-m4: ") > 20);
    assert_int_equal(times_in(&text, "as unit.clock"), 2);
    assert_int_equal(times_in(&text, "\"source\""),
                     times_in(&text, "measured on ") + times_in(&text, "from apple-m4: ") + 2);
    sl_buf_fini(&text);
}

TEST(what_is_estimated_takes_the_measured_time)
{
    static const struct sl_estimate_data once = {.calls = 1, .passes = 1};
    struct loops all;
    struct sl_silicon got;
    struct sl_block_work block = {.insns = 16};
    struct sl_block_cost cost;
    struct sl_estimate_stage stage = {.streaming = true};
    struct sl_estimate estimate = {0};
    read_loops(&all);
    set(&all, "sl_peak_mopa_f32_sme2", 2.5, 0);
    set(&all, "sl_peak_enter_za_sme2", 100, 0);
    made(&all, "arm-c1-ultra", &got);
    block.units[SL_WORK_OUTER_F32] = 16;
    sl_block_cost_make(&got, &block, true, &cost);
    near(cost.port_ns[SL_PORT_OUTER], 16 * 2.5);
    sl_estimate_stage_add(&stage, &block, &cost, 1000000);
    sl_estimate_add(&estimate, &got, &stage, 1);
    sl_estimate_finish(&estimate, &got, &once);
    near(estimate.mid_ns, 16 * 2.5 * 1e6);
    assert_int_equal(estimate.bound, SL_BOUND_OUTER);
    double band = got.figures[SL_FIGURE_UNIT_BAND_PRODUCT].value;
    near(estimate.high_ns, 16 * 2.5 * 1e6 * band); /* no range of clocks widens it */
}

static void refused(const char *peak, double ns, const char *word)
{
    struct loops all;
    struct sl_buf text;
    struct sl_diag diag = {.what = ""};
    read_loops(&all);
    set(&all, peak, ns, 1024);
    assert_int_equal(make(&all, "apple-m4", &text, &diag), SL_E_FORMAT);
    assert_int_equal(text.size, 0);
    assert_string_equal(diag.where, peak);
    if (!strstr(diag.what, word) || !strstr(diag.hint, "again"))
        fail_msg("%s; %s", diag.what, diag.hint);
    sl_buf_fini(&text);
}

TEST(what_cannot_be_is_refused_with_its_loop)
{
    refused("sl_peak_mopa_f32_sme2", 0, "cycles.outer_f32");
    refused("sl_peak_mopa_f32_sme2", -1, "cycles.outer_f32");
    refused("sl_peak_mopa_s8_sme2", INFINITY, "cycles.outer_i8");
    refused("sl_peak_mopa_s8_sme2", NAN, "cycles.outer_i8");
    refused("sl_peak_z2_add_sme2", 1e6, "cycles.z_2");
    refused("sl_peak_mla_f32_neon", 0.001, "core.float");
    refused("sl_peak_enter_za_sme2", 1e5, "unit.session");
    refused("sl_peak_hand_over_sme2", 40, "unit.hand_over"); /* less than apart, beyond noise */
    refused("sl_peak_hand_over_sme2", INFINITY, "unit.hand_over");
    refused("sl_peak_read_sme2", 0, "GB/s");
    refused("sl_peak_read_1m_neon", 1e9, "GB/s");
}

TEST(hand_over_within_noise_is_none)
{
    struct loops all;
    struct sl_silicon got;
    read_loops(&all);
    set(&all, "sl_peak_hand_over_sme2", 49, 1024);
    made(&all, "apple-m4", &got);
    near(got.figures[SL_FIGURE_UNIT_HAND_OVER].value, 0);
}

TEST(the_base_is_by_what_the_device_is)
{
    struct loops all;
    struct sl_buf text;
    struct sl_silicon got;
    struct sl_diag diag = {.what = ""};
    const struct sl_silicon_loop neon = {"sl_peak_mla_f32_neon", 0.1, 0};
    read_loops(&all);
    assert_string_equal(sl_measured_silicon_base(true, all.loop, all.count), "apple-m4");
    assert_string_equal(sl_measured_silicon_base(false, all.loop, all.count), "arm-c1-ultra");
    assert_string_equal(sl_measured_silicon_base(false, &neon, 1), "arm-x925");
    assert_int_equal(make(&all, "arm-x925", &text, &diag), SL_E_UNSUPPORTED);
    sl_buf_fini(&text);
    assert_int_equal(make(&all, "apple-m99", &text, &diag), SL_E_NOT_FOUND);
    sl_buf_fini(&text);
    all.count = 0;
    assert_int_equal(make(&all, "arm-x925", &text, &diag), SL_E_UNSUPPORTED);
    sl_buf_fini(&text);
    all.loop[0] = neon;
    all.count = 1;
    made(&all, "arm-x925", &got);
    assert_false(got.has_unit);
    near(got.figures[SL_FIGURE_CORE_FLOAT].value,
         1 / (0.1 * got.figures[SL_FIGURE_CORE_CLOCK].value));
}

/* <state>/devices/<fingerprint>/silicon.json */
TEST(a_kept_profile_has_a_name_that_leads_nowhere_else)
{
    char path[192];
    struct loops all;
    struct sl_buf text;
    struct sl_silicon got;
    make_scratch();
    setenv("SME2LAB_STATE", scratch, 1);
    assert_int_equal(sl_silicon_check_names("measured-" FINGERPRINT, NULL), SL_E_NOT_FOUND);
    assert_int_equal(mkdir(below("devices"), 0700), 0);
    assert_int_equal(mkdir(below("devices/" FINGERPRINT), 0700), 0);
    read_loops(&all);
    assert_int_equal(make(&all, "apple-m4", &text, NULL), 0);
    snprintf(path, sizeof(path), "%s", below("devices/" FINGERPRINT "/" SL_SILICON_FILE));
    assert_int_equal(sl_buf_write_file(path, text.data, text.size), 0);
    sl_buf_fini(&text);
    assert_int_equal(sl_silicon_check_names("apple-m4,measured-" FINGERPRINT, NULL), 0);
    assert_int_equal(sl_silicon_load("measured-" FINGERPRINT, &got, NULL), 0);
    assert_string_equal(got.name, "measured-" FINGERPRINT);
    assert_int_equal(sl_silicon_load(path, &got, NULL), 0);
    assert_int_equal(sl_silicon_check_names("measured-", NULL), SL_E_NOT_FOUND);
    assert_int_equal(sl_silicon_check_names("measured-../" FINGERPRINT, NULL), SL_E_NOT_FOUND);
    assert_int_equal(sl_silicon_check_names("measured-0123456789abcdee", NULL), SL_E_NOT_FOUND);
    remove_scratch();
}

TEST(each_failed_allocation_is_survived)
{
    struct loops all;
    struct sl_buf text;
    int rc = -ENOMEM;
    read_loops(&all);
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        sl_mem_fail_nth(nth);
        rc = make(&all, "apple-m4", &text, NULL);
        sl_mem_fail_nth(0);
        assert_true(rc == 0 || rc == -ENOMEM);
        sl_buf_fini(&text);
    }
    assert_int_equal(rc, 0);
}
