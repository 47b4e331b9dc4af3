/* tests/unit/host/report/test_kit_files.c: the kit's files; a test named ad_NN_ is the regression
 * test of that defect of the kit. Each defect has the small input that showed it. */
#include "host/report/kit_files.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

#include "common/base/buf.h"
#include "common/format/etdump.h"
#include "host/report/analysis.h"
#include "host/report/categories_file.h"

enum { MAX_RUNS = 40, MAX_EVENTS = 8 };

/* A file of made-up runs. */
struct made {
    struct sl_etdump_event events[MAX_RUNS][MAX_EVENTS];
    struct sl_etdump_run runs[MAX_RUNS];
    struct sl_etdump etdump;
    struct sl_categories categories;
    struct sl_analysis analysis;
    uint64_t clock;
};

static struct sl_etdump_event event(const char *name, bool delegated, int32_t instruction,
                                    uint64_t start, uint64_t end)
{
    struct sl_etdump_event e = {.delegate_id_int = -1, .instruction_id = instruction};
    const char **text = delegated ? &e.delegate_id : &e.name;
    uint32_t *len = delegated ? &e.delegate_id_len : &e.name_len;
    *text = name;
    *len = (uint32_t)strlen(name);
    e.start = start;
    e.end = end;
    return e;
}

/* Adds a run: one operator of `name` that takes `ns` inside a delegate call and Method::execute. */
static void add_run(struct made *m, const char *name, uint64_t ns)
{
    uint32_t r = m->etdump.run_count++;
    struct sl_etdump_event *e = m->events[r];
    uint64_t at = m->clock += 1000;
    m->clock += ns;
    e[0] = event(name, true, 0, at, at + ns);
    e[1] = event("DELEGATE_CALL", false, 0, at, at + ns);
    e[2] = event("Method::execute", false, 0, at, at + ns);
    e[2].chain_index = -1;
    m->runs[r] = (struct sl_etdump_run){.name = "Execute",
                                        .name_len = 7,
                                        .bundled_input_index = -1,
                                        .has_events = true,
                                        .event_count = 3,
                                        .events = e};
}

static void analyse(struct made *m)
{
    m->etdump.runs = m->runs;
    assert_int_equal(sl_categories_load(NULL, &m->categories, NULL), 0);
    struct sl_analysis_request request = {
        .file = "m.etdump", .etdump = &m->etdump, .categories = &m->categories, .only_run = -1};
    assert_int_equal(sl_analysis_make(&request, &m->analysis, NULL), 0);
}

static void end(struct made *m)
{
    sl_analysis_fini(&m->analysis);
    sl_categories_fini(&m->categories);
    free(m);
}

static struct made *begin(void)
{
    struct made *m = calloc(1, sizeof(*m));
    assert_non_null(m);
    return m;
}

/* The file with that ending, as text; release with free(). */
static char *file_of(const struct made *m, const char *ending)
{
    const struct sl_kit_side side = {&m->analysis, "m", "arm", NULL};
    for (const struct sl_kit_file *file = sl_kit_files; file->ending; file++) {
        struct sl_buf out;
        if (strcmp(file->ending, ending) != 0)
            continue;
        sl_buf_init(&out, 1 << 20);
        assert_int_equal(file->make(&out, &side), 0);
        char *text = calloc(out.size + 1, 1);
        assert_non_null(text);
        memcpy(text, out.data, out.size);
        sl_buf_fini(&out);
        return text;
    }
    fail_msg("no file ends in %s", ending);
    return NULL;
}

static void expect_file(const struct made *m, const char *ending, const char *expected)
{
    char *text = file_of(m, ending);
    assert_string_equal(text, expected);
    free(text);
}

static void expect_part(const struct made *m, const char *ending, const char *part)
{
    char *text = file_of(m, ending);
    if (!strstr(text, part))
        fail_msg("%s has no %s:\n%s", ending, part, text);
    free(text);
}

/* Each name must get the category of its place in the list; "" ends one. */
static void expect_categories(const char *const *names, size_t count, int category)
{
    struct sl_categories categories;
    assert_int_equal(sl_categories_load(NULL, &categories, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        int found = sl_rules_classify(&categories.rules, names[i], strlen(names[i]), &known);
        if (found != category || !known)
            fail_msg("%s is %s%s", names[i], sl_category_name(found), known ? "" : " (unknown)");
    }
    sl_categories_fini(&categories);
}
#define EXPECT(category, ...)                                                                      \
    do {                                                                                           \
        static const char *const names[] = {__VA_ARGS__};                                          \
        expect_categories(names, sizeof(names) / sizeof(names[0]), category);                      \
    } while (0)

TEST(ad_02_convert_is_no_convolution)
{
    EXPECT(SL_CATEGORY_MOVEMENT, "Convert (NC) #1", "Convert (NC, F32, QD8) #2");
    EXPECT(SL_CATEGORY_CONV, "Convolution (NHWC, F32) IGEMM #1", "native_call_convolution.out");
}

TEST(ad_03_bilinear_is_no_product_and_addmm_no_sum)
{
    EXPECT(SL_CATEGORY_OTHER, "Resize Bilinear (NHWC) #1",
           "native_call_upsample_bilinear2d.vec_out", "native_call__softmax.out",
           "native_call_mean.out", "native_call_max_pool2d.out");
    EXPECT(SL_CATEGORY_GEMM, "native_call_addmm.out", "native_call_mm.out", "native_call_bmm.out");
    EXPECT(SL_CATEGORY_MOVEMENT, "native_call_slice_copy.Tensor_out", "native_call_cat.out",
           "native_call_clone.out", "native_call_view_copy.out");
}

TEST(ad_04_no_name_of_xnnpack_falls_through_or_to_a_wrong_place)
{
    EXPECT(SL_CATEGORY_ELEMENTWISE, "HardSwish (NC)", "ApproxGELU (NC)", "GELU (NC)",
           "Subtract (ND)", "Square (NC)", "Square Root (NC)", "Minimum (ND)", "Maximum (ND)",
           "RoPE (NTHC, F32)");
    EXPECT(SL_CATEGORY_CONV, "Deconvolution (NHWC, F32) Subconv2D");
    EXPECT(SL_CATEGORY_OTHER, "Average Pooling (NHWC, F32)", "Max Pooling (NHWC, F32)",
           "Reduce Max (ND)", "Reduce Min (ND)", "native_call_native_layer_norm.out",
           "native_call_native_group_norm.out");
    EXPECT(SL_CATEGORY_MOVEMENT, "Space To Depth (NHWC, X32)", "Depth To Space (NHWC, X32)");
}

TEST(ad_05_one_categoriser_serves_all_files_and_packing_is_movement)
{
    EXPECT(SL_CATEGORY_MOVEMENT, "Pack LH (X32) #1");
    struct made *m = begin();
    add_run(m, "Pack LH (X32) #1", 1000);
    analyse(m);
    expect_part(m, "_category_summary.csv", "\nData Movement,0.001,0.001,100,1\n");
    expect_part(m, "_operator_details.csv", "\nPack LH (X32),Data Movement,0.001,0.001,100,1\n");
    expect_part(m, "_exec_ops_stats.csv", "\nm,Pack LH (X32),Data Movement,XNNPACK,1,");
    expect_part(m, "_exec_all_runs_timeline.csv", "\nm,Pack LH (X32) #1,Data Movement,XNNPACK,");
    end(m);
}

TEST(ad_06_speedup_is_baseline_divided_by_candidate)
{
    struct made *off = begin();
    struct made *on = begin();
    for (int i = 0; i < 3; i++) {
        add_run(off, "Convolution (NHWC, F32) IGEMM #1", 33000000);
        add_run(on, "Convolution (NHWC, PF32) IGEMM #1", 14000000);
    }
    analyse(off);
    analyse(on);
    const struct sl_kit_side sides[] = {{&off->analysis, "m", "SME2-Off", NULL},
                                        {&on->analysis, "m", "SME2-On", NULL}};
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_kit_robust_comparison(&out, &sides[0], &sides[1]), 0);
    assert_non_null(strstr((const char *)out.data, "\"config1\":{\"name\":\"SME2-Off\","
                                                   "\"median_ms\":33,"));
    assert_non_null(strstr((const char *)out.data, "\"median_based\":2.357142857142857"));
    assert_non_null(strstr((const char *)out.data, "SME2-Off divided by SME2-On: 2.357x"));
    out.size = 0;
    assert_int_equal(sl_kit_comparison_csv(&out, &sides[0], &sides[1]), 0);
    assert_non_null(strstr((const char *)out.data,
                           "category,SME2-Off_ms,SME2-On_ms,speedup,SME2-Off_pct,SME2-On_pct\n"
                           "CONV,33,14,2.35714286,100,100\n"));
    sl_buf_fini(&out);
    end(off);
    end(on);
}

TEST(ad_09_nothing_is_trimmed_or_dropped_in_silence)
{
    struct made *m = begin();
    for (int i = 0; i < 9; i++)
        add_run(m, "Add (ND) #1", 1000000);
    add_run(m, "Add (ND) #1", 21000000);
    analyse(m);
    /* The headline has all ten runs; only what is called without outliers leaves one out. */
    expect_part(m, "_robust_stats.json", "{\"count\":10,\"mean_ms\":3,\"median_ms\":1,");
    expect_part(m, "_robust_stats.json",
                "\"outliers\":{\"count\":1,\"percentage\":10,"
                "\"values\":[21],");
    expect_part(m, "_robust_stats.json", "\"trimmed_mean_5_ms\":3,");
    expect_part(m, "_robust_stats.json", "\"robust_stats\":{\"count\":9,\"mean_ms\":1,");
    end(m);
}

TEST(ad_10_runs_of_other_events_keep_indices_of_their_own)
{
    struct made *m = begin();
    add_run(m, "Add (ND) #1", 10000000);
    add_run(m, "Multiply (ND) #1", 10000000);
    analyse(m);
    expect_file(m, "_e2e_latency.csv",
                "model_name,num_runs,total_ms,avg_ms,min_ms,max_ms\n"
                "m,2,20,10,10,10\n");
    expect_part(m, "_exec_all_runs_timeline.csv", ",0,0,Execute\n");
    expect_part(m, "_exec_all_runs_timeline.csv", ",0,1,Execute\n");
    expect_part(m, "_robust_stats.json", "\"run_indices\":[0,1]");
    end(m);
}

TEST(ad_16_calls_of_the_runtime_are_no_operators)
{
    struct made *m = begin();
    add_run(m, "Add (ND) #1", 1000);
    m->events[0][1] = event("MOVE_CALL", false, 1, 1000, 1400);
    analyse(m);
    expect_part(m, "_operator_details.csv", "\nMOVE_CALL,Framework,");
    expect_file(m, "_other_top_ops.csv",
                "operator,category,total_ms,avg_ms,pct_of_e2e,event_count\n");
    static const char *const shells[] = {"JF_CALL", "FREE_CALL", "Method::step", "MOVE_CALL"};
    for (size_t i = 0; i < 4; i++)
        assert_true(sl_rules_is_framework(&m->categories.rules, shells[i], strlen(shells[i])));
    end(m);
}

TEST(ad_19_no_figure_is_nan_and_no_median_of_zero_divides)
{
    struct made *one = begin();
    struct made *zero = begin();
    struct made *none = begin();
    add_run(one, "Add (ND) #1", 1000000);
    add_run(zero, "Add (ND) #1", 0);
    struct made *all[] = {one, zero, none};
    for (size_t k = 0; k < 3; k++) {
        analyse(all[k]);
        for (const struct sl_kit_file *file = sl_kit_files; file->ending; file++) {
            char *text = file_of(all[k], file->ending);
            if (strcmp(file->ending, "_schema.json") != 0)
                assert_null(strstr(text, "nan"));
            assert_null(strstr(text, "NaN"));
            assert_null(strstr(text, "inf"));
            free(text);
        }
    }
    expect_part(one, "_robust_stats.json", "\"std_dev_ms\":null,\"cv_percent\":null,");
    expect_part(none, "_robust_stats.json", "{\"count\":0,\"mean_ms\":null,");
    const struct sl_kit_side sides[] = {{&one->analysis, "m", "a", NULL},
                                        {&zero->analysis, "m", "b", NULL}};
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_kit_robust_comparison(&out, &sides[0], &sides[1]), 0);
    assert_non_null(strstr((const char *)out.data, "\"median_based\":null,"));
    assert_non_null(strstr((const char *)out.data, "\"description\":null"));
    sl_buf_fini(&out);
    for (size_t k = 0; k < 3; k++)
        end(all[k]);
}

TEST(columns_are_the_kits_own)
{
    static const struct {
        const char *ending, *head;
    } heads[] = {
        {"_exec_all_runs_timeline.csv", "model_id,name,type,delegate_backend,start_us,end_us,"
                                        "duration_ms,pct_total,node_id,run_index,block\n"},
        {"_exec_run0_timeline.csv", "model_id,name,type,delegate_backend,start_us,end_us,"
                                    "duration_ms,pct_total,node_id,run_index,block\n"},
        {"_exec_ops_stats.csv",
         "model_id,name,type,delegate_backend,count,total_ms,avg_ms,pct_total\n"},
        {"_category_summary.csv", "category,total_ms,avg_ms,pct_of_e2e,operator_count\n"},
        {"_operator_details.csv", "operator,category,total_ms,avg_ms,pct_of_e2e,event_count\n"},
        {"_e2e_latency.csv", "model_name,num_runs,total_ms,avg_ms,min_ms,max_ms\n"},
        {"_kernels.csv", "model_id,kernel_name,category,count,dtype,xnn_op,variant,ukernel_shape,"
                         "arch_chain,has_sme,has_sme2\n"},
    };
    struct made *m = begin();
    add_run(m, "Add (ND) #1", 5000);
    add_run(m, "Add (ND) #1", 7000);
    analyse(m);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        char *text = file_of(m, heads[i].ending);
        assert_int_equal(strncmp(text, heads[i].head, strlen(heads[i].head)), 0);
        free(text);
    }
    char *first = file_of(m, "_exec_run0_timeline.csv");
    assert_non_null(strstr(first, ",0,0,Execute\n"));
    assert_null(strstr(first, ",0,1,Execute\n"));
    free(first);
    end(m);
}
