/* tests/unit/host/report/test_combined_plugins.c */
#include "host/report/combined.h"

#include <stdio.h>

#include <cjson/cJSON.h>

#include "tests/support/report_case.h"

/* The figures of a plug-in that measured so many watts beside a process. */
static cJSON *watts(const char *mean)
{
    char text[256];
    snprintf(text, sizeof(text),
             "{\"list\":[{\"name\":\"meter\",\"metrics\":[{\"name\":\"power\",\"unit\":\"W\","
             "\"samples\":11,\"mean\":%s,\"seconds\":10}]}]}",
             mean);
    return cJSON_Parse(text);
}

TEST(figures_of_plug_ins_stand_by_process)
{
    struct sl_report reports[3] = {all.report, all.report, all.report};
    struct sl_comparison_report comparisons[3];
    const struct sl_combined combined = {reports, 3};
    cJSON *measured[2] = {watts("1.25"), watts("2.5")};
    struct sl_buf text;
    for (int i = 0; i < 3; i++) {
        comparisons[i] = *all.report.comparison;
        comparisons[i].plugins[0] = comparisons[i].plugins[1] = NULL;
        reports[i].comparison = &comparisons[i];
        reports[i].experiment = i == 0 ? "run_p1" : i == 1 ? "run_p2" : "run_p3";
    }
    assert_int_equal(sl_combined_plugins_count(&combined), 0);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_md(&text, &combined), 0);
    assert_null(strstr((const char *)text.data, "Measured by plug-ins"));
    sl_buf_fini(&text);
    comparisons[1].plugins[1] = measured[0];
    comparisons[2].plugins[0] = measured[0];
    comparisons[2].plugins[1] = measured[1];
    assert_int_equal(sl_combined_plugins_count(&combined), 2);
    sl_buf_init(&text, 1 << 24);
    assert_int_equal(sl_combined_md(&text, &combined), 0);
    const char *table = strstr((const char *)text.data, "Measured by plug-ins");
    assert_non_null(table);
    assert_null(strstr(table, "| meter | run_p1"));
    const char *second = strstr(table, "| meter | run_p2 | power, W | 11 | 1.0 |");
    assert_non_null(second);
    assert_non_null(strstr(second, "| 1.25 |"));
    const char *third = strstr(second, "| meter | run_p3, ");
    assert_non_null(third);
    assert_non_null(strstr(third, "| 2.5 |"));
    sl_buf_fini(&text);
    cJSON_Delete(measured[0]);
    cJSON_Delete(measured[1]);
}

TEST_GROUP(open_report, close_report);
