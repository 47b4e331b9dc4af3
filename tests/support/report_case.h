/* tests/support/report_case.h: a report of two real ETDumps whose figures are times, as `all`, for
 * TEST_GROUP(open_report, close_report). */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/format/sltrace.h"
#include "host/analysis/comparison.h"
#include "host/report/analysis.h"
#include "host/report/categories_file.h"
#include "host/report/comparison.h"
#include "host/report/report.h"
#include "tests/support/sme2_report.h"
#include "tests/support/test.h"

static struct {
    struct sl_categories categories;
    struct sl_buf bytes[2];
    struct sl_etdump etdumps[2];
    struct sl_analysis sides[2];
    struct sl_comparison comparison;
    struct sl_comparison_report compared;
    struct sl_report report;
} all;

static int open_report(void **state)
{
    (void)state;
    static const char *const paths[] = {
        SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/aarch64-nosme.etdump",
        SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/aarch64-sme2.etdump"};
    struct sl_comparison_options options = {.seed = 1, .iterations = 200, .noise_floor = NAN};
    assert_int_equal(sl_categories_load(NULL, &all.categories, NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sl_buf_read_file(paths[i], 1 << 26, &all.bytes[i]), 0);
        assert_int_equal(sl_etdump_parse((struct sl_bytes){all.bytes[i].data, all.bytes[i].size},
                                         &all.etdumps[i], NULL),
                         0);
        struct sl_analysis_request request = {.file = paths[i],
                                              .etdump = &all.etdumps[i],
                                              .categories = &all.categories,
                                              .only_run = -1};
        assert_int_equal(sl_analysis_make(&request, &all.sides[i], NULL), 0);
    }
    assert_int_equal(sl_comparison_make(&all.sides[0].attribution, &all.sides[1].attribution,
                                        &options, &all.comparison),
                     0);
    all.compared = sme2_report(&all.comparison, all.sides);
    all.report = (struct sl_report){.model = "a<b>&\"c\"|d", .comparison = &all.compared};
    return 0;
}

static int close_report(void **state)
{
    (void)state;
    sl_comparison_fini(&all.comparison);
    for (int i = 0; i < 2; i++) {
        sl_analysis_fini(&all.sides[i]);
        sl_etdump_fini(&all.etdumps[i]);
        sl_buf_fini(&all.bytes[i]);
    }
    sl_categories_fini(&all.categories);
    return 0;
}
