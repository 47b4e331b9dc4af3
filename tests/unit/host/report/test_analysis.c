/* tests/unit/host/report/test_analysis.c: real ETDumps of the real runtime, from bytes to JSON. */
#include "host/report/analysis.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/format/sltrace.h"
#include "host/report/analysis_json.h"
#include "host/report/analysis_text.h"
#include "host/report/analysis_tree.h"
#include "host/report/categories_file.h"
#include "host/report/csv.h"
#include "host/report/style.h"
#include "host/report/unit.h"
#include "tests/support/test.h"

struct opened {
    struct sl_categories categories;
    struct sl_buf bytes;
    struct sl_etdump etdump;
    struct sl_analysis analysis;
};

static void open_file(struct opened *o, const char *path)
{
    assert_int_equal(sl_categories_load(NULL, &o->categories, NULL), 0);
    assert_int_equal(sl_buf_read_file(path, 1 << 26, &o->bytes), 0);
    struct sl_bytes bytes = {o->bytes.data, o->bytes.size};
    assert_int_equal(sl_etdump_parse(bytes, &o->etdump, NULL), 0);
    struct sl_analysis_request request = {
        .file = "model.etdump", .etdump = &o->etdump, .categories = &o->categories, .only_run = -1};
    assert_int_equal(sl_analysis_make(&request, &o->analysis, NULL), 0);
}

static void close_file(struct opened *o)
{
    sl_analysis_fini(&o->analysis);
    sl_etdump_fini(&o->etdump);
    sl_buf_fini(&o->bytes);
    sl_categories_fini(&o->categories);
}

static unsigned check_file(const char *path)
{
    struct opened o;
    open_file(&o, path);
    const struct sl_attribution *a = &o.analysis.attribution;
    int64_t whole = 0;
    for (size_t r = 0; r < a->run_count; r++) {
        int64_t sum = 0;
        for (int c = 0; c < SL_CATEGORY_COUNT; c++) {
            sum += a->runs[r].categories[c];
            assert_true(a->runs[r].categories[c] >= 0);
        }
        assert_int_equal(sum, a->runs[r].end_to_end);
        whole += a->runs[r].warmup ? 0 : sum;
    }
    for (size_t i = 0; i < a->operator_count; i++) {
        assert_true(a->operators[i].known);
        whole -= a->operators[i].total;
    }
    assert_int_equal(whole, 0);
    assert_int_equal(a->warning_count, 0);
    assert_true(a->run_count > 0 && a->has_program_load && a->has_method_init);
    close_file(&o);
    return 1;
}

static unsigned check_folder(const char *folder, unsigned depth)
{
    unsigned files = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[1024];
        struct stat info;
        size_t len = strlen(entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        assert_int_equal(stat(path, &info), 0);
        if (S_ISDIR(info.st_mode) && depth > 0)
            files += check_folder(path, depth - 1);
        else if (len > 7 && strcmp(entry->d_name + len - 7, ".etdump") == 0)
            files += check_file(path);
    }
    closedir(entries);
    return files;
}

TEST(categories_of_every_real_file_sum_to_end_to_end)
{
    assert_true(check_folder(SL_TEST_DATA, 3) >= 18);
}

#define MOBILENET SL_TEST_DATA "/models/mobilenet_v2_f32_xnnpack/run.etdump"

TEST(dense_1x1_convolutions_are_gemm_by_name)
{
    struct opened o;
    open_file(&o, MOBILENET);
    const struct sl_attribution *a = &o.analysis.attribution;
    unsigned gemm = 0;
    for (size_t i = 0; i < a->operator_count; i++) {
        if (a->operators[i].category == SL_CATEGORY_GEMM)
            gemm += a->operators[i].instances;
    }
    assert_false(a->by_origin);
    assert_int_equal(gemm, 35);
    assert_int_equal(o.analysis.latency.n, a->measured_count);
    close_file(&o);
}

TEST(json_names_the_unit_in_every_key)
{
    struct opened o;
    struct sl_buf text;
    struct sl_json json;
    open_file(&o, MOBILENET);
    sl_buf_init(&text, 1 << 24);
    sl_json_init(&json, &text);
    assert_int_equal(sl_analysis_json(&json, NULL, &o.analysis), 0);
    const char *written = (const char *)text.data;
    assert_non_null(strstr(written, "\"schema\":\"sme2lab.analysis/1\""));
    assert_non_null(strstr(written, "\"time_unit\":\"ns\",\"label\":\"name\""));
    assert_non_null(strstr(written, "\"e2e_ns\":"));
    assert_null(strstr(written, "_insns\""));
    sl_buf_fini(&text);

    o.analysis.attribution.unit = SL_TRACE_INSTRUCTIONS;
    sl_buf_init(&text, 1 << 24);
    sl_json_init(&json, &text);
    assert_int_equal(sl_analysis_json(&json, NULL, &o.analysis), 0);
    written = (const char *)text.data;
    assert_non_null(strstr(written, "\"time_unit\":\"instructions\""));
    assert_non_null(strstr(written, "\"e2e_insns\":"));
    assert_null(strstr(written, "_ns\""));
    assert_null(strstr(written, "nan"));
    sl_buf_fini(&text);
    close_file(&o);
}

TEST(table_fits_the_terminal_and_needs_no_colour)
{
    static const int widths[] = {60, 80, 100, 160};
    struct opened o;
    open_file(&o, MOBILENET);
    o.analysis.attribution.unit = SL_TRACE_INSTRUCTIONS;
    o.analysis.attribution.runs[0].warmup = true;
    o.analysis.attribution.measured_count--;
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct sl_buf text;
        const struct sl_style style = {.width = widths[i], .color = false, .operators = 20};
        sl_buf_init(&text, 1 << 20);
        assert_int_equal(sl_analysis_text(&text, &style, &o.analysis), 0);
        assert_null(strchr((const char *)text.data, '\033'));
        for (char *line = strtok((char *)text.data, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(sl_text_columns(line) <= (size_t)(widths[i] < 80 ? 80 : widths[i]));
        sl_buf_fini(&text);
    }
    close_file(&o);
}

TEST(what_costs_nothing_has_no_line_and_a_first_run_like_the_others_is_not_cold)
{
    struct opened o;
    struct sl_buf text;
    const struct sl_style style = {.width = 80, .operators = 1};
    char cold[SL_ANALYSIS_COLD_BYTES];
    open_file(&o, SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/run.etdump");
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_analysis_text(&text, &style, &o.analysis), 0);
    assert_non_null(strstr((const char *)text.data, "CONV"));
    assert_null(strstr((const char *)text.data, "Elementwise"));
    o.analysis.attribution.cold_count = 0;
    o.analysis.attribution.runs[0].warmup = true;
    o.analysis.attribution.runs[0].end_to_end = (int64_t)o.analysis.latency.median;
    assert_string_equal(sl_analysis_cold_text(&o.analysis, cold), "");
    o.analysis.attribution.runs[0].end_to_end *= 2;
    assert_non_null(strstr(sl_analysis_cold_text(&o.analysis, cold), ", 2 times a steady one"));
    sl_buf_fini(&text);
    close_file(&o);
}

TEST(csv_columns_are_those_of_the_kit)
{
    struct opened o;
    struct sl_buf csv;
    open_file(&o, MOBILENET);
    sl_buf_init(&csv, 1 << 24);
    assert_int_equal(sl_csv_operators(&csv, &o.analysis, "mobile,net"), 0);
    assert_non_null(strstr((const char *)csv.data,
                           "model_id,name,type,delegate_backend,count,total_ms,avg_ms,pct_total\n"
                           "\"mobile,net\",\"Fully Connected (NC, F32) GEMM\",GEMM,XNNPACK,175,"));
    sl_buf_fini(&csv);
    sl_buf_init(&csv, 1 << 24);
    assert_int_equal(sl_csv_timeline(&csv, &o.analysis, "m", -1), 0);
    assert_non_null(strstr((const char *)csv.data,
                           "model_id,name,type,delegate_backend,start_us,end_us,duration_ms,"
                           "pct_total,node_id,run_index,block\n"
                           "m,\"Transpose (ND, X32) #1\",Data Movement,XNNPACK,"));
    sl_buf_fini(&csv);
    o.analysis.attribution.unit = SL_TRACE_INSTRUCTIONS;
    sl_buf_init(&csv, 1 << 24);
    assert_int_equal(sl_csv_timeline(&csv, &o.analysis, "m", -1), 0);
    assert_non_null(strstr((const char *)csv.data, ",start_insns,end_insns,duration_insns,"));
    sl_buf_fini(&csv);
    close_file(&o);
}

TEST(every_level_of_the_tree_sums_to_the_one_above)
{
    struct opened o;
    struct sl_buf text;
    const struct sl_style style = {.width = 80, .color = false, .operators = 20};
    open_file(&o, SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/aarch64-sme2.etdump");
    struct sl_attribution *a = &o.analysis.attribution;
    assert_true(a->position_count > 0);
    for (size_t k = 0; k < a->operator_count; k++) {
        int64_t sum = 0;
        for (size_t i = 0; i < a->position_count; i++)
            sum += a->positions[i].operator_index == k ? a->positions[i].total : 0;
        assert_int_equal(sum, a->operators[k].total);
    }
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_analysis_tree_text(&text, &style, &o.analysis), 0);
    assert_non_null(strstr((const char *)text.data, "\n  Convolution (NHWC, PF32) IGEMM  "));
    assert_non_null(strstr((const char *)text.data, "\n    at 5  "));
    sl_buf_fini(&text);
    a->position_count = 0; /* as where runs differ */
    sl_buf_init(&text, 1 << 20);
    assert_int_equal(sl_analysis_tree_text(&text, &style, &o.analysis), 0);
    assert_non_null(strstr((const char *)text.data, "cannot be told apart"));
    assert_null(strstr((const char *)text.data, "    at "));
    sl_buf_fini(&text);
    close_file(&o);
}

TEST(figures_for_people_keep_four_digits)
{
    char text[32];
    assert_string_equal(sl_unit_format(text, sizeof(text), 17421855, SL_TRACE_INSTRUCTIONS),
                        "17.42 M");
    assert_string_equal(sl_unit_format(text, sizeof(text), 999.6, SL_TRACE_INSTRUCTIONS), "1000");
    assert_string_equal(sl_unit_format(text, sizeof(text), 1234567, SL_TRACE_NS), "1.235 ms");
    assert_string_equal(sl_unit_format(text, sizeof(text), -2500, SL_TRACE_NS), "-2.500 us");
    assert_string_equal(sl_unit_format(text, sizeof(text), 0, SL_TRACE_NS), "0 ns");
}
