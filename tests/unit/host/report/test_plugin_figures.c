/* tests/unit/host/report/test_plugin_figures.c */
#include "host/report/plugin_figures.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "host/report/markup.h"
#include "host/report/table.h"
#include "tests/support/test.h"

static const char said[] =
    "{\"file\":\"plugins.json\",\"resumed\":true,\"list\":[{\"name\":\"meter\",\"failures\":1,"
    "\"left_out\":2,\"metrics\":[{\"name\":\"power\",\"unit\":\"W\",\"samples\":101,\"min\":1,"
    "\"median\":1.5,\"mean\":1.6,\"max\":2,\"seconds\":10,\"joules\":16},{\"name\":\"level\","
    "\"unit\":null,\"samples\":1,\"min\":80,\"median\":80,\"mean\":80,\"max\":80,\"seconds\":0,"
    "\"joules\":null}]}]}";

/* The rows of its table, cells parted by '|', and how many rows there are with the head. */
static size_t rows_of(const cJSON *const plugins[2], char out[2048], char note[640])
{
    static const char *const sides[] = {"<first>", "second"};
    struct sl_table table;
    size_t used = 0;
    sl_plugin_figures_table(plugins, sides, &table);
    assert_int_equal(table.error, 0);
    const char *cell = (const char *)table.cells.data, *end = cell + table.cells.size;
    size_t cells = 0;
    for (; cell < end; cell += strlen(cell) + 1)
        used += (size_t)snprintf(out + used, 2048 - used, "%s%s", cell,
                                 ++cells % table.columns == 0 ? "\n" : "|");
    snprintf(note, 640, "%s", table.note);
    size_t rows = cells / table.columns;
    assert_int_equal(cells % table.columns, 0);
    sl_table_fini(&table);
    return rows;
}

TEST(a_run_alone_has_a_row_for_each_metric_and_failure)
{
    cJSON *one = cJSON_Parse(said);
    const cJSON *const plugins[] = {NULL, one};
    char text[2048], note[640];
    assert_true(sl_plugin_figures_any(plugins));
    assert_int_equal(rows_of(plugins, text, note), 4);
    assert_non_null(strstr(text, "meter|power, W|101|10.0|1|1.5|1.6|2|16\n"));
    assert_non_null(strstr(text, "meter|level|1|-|80|80|80|80|-\n"));
    assert_non_null(strstr(text, "meter|1 failures, 2 figures left out|-|-|-|-|-|-|-\n"));
    assert_non_null(strstr(note, "of both together"));
    assert_non_null(strstr(note, "The daemon ended meanwhile"));
    cJSON_Delete(one);
}

TEST(variants_that_are_told_apart_have_columns)
{
    static const char apart[] =
        "{\"list\":[{\"name\":\"meter\",\"failures\":1,\"left_out\":2,\"metrics\":[{\"name\":"
        "\"power\",\"unit\":\"W\",\"samples\":9,\"min\":1,\"median\":1.5,\"mean\":1.6,\"max\":2,"
        "\"seconds\":4,\"joules\":16,\"off\":{\"samples\":3,\"mean\":1.25},\"on\":{\"samples\":0,"
        "\"mean\":null},\"unattributed\":6}]}]}";
    cJSON *one = cJSON_Parse(apart), *other = cJSON_Parse(said);
    const cJSON *const alone[] = {NULL, one}, *const both[] = {one, other};
    char text[2048], note[640];
    assert_int_equal(rows_of(alone, text, note), 3);
    assert_non_null(strstr(text, "meter|power, W|9|2.0|1|1.5|1.6|2|16|1.25|-|3, 0, 6\n"));
    assert_non_null(strstr(text, "figures left out|-|-|-|-|-|-|-|-|-|-\n"));
    assert_non_null(strstr(note, "within one variant's executions"));
    assert_null(strstr(note, "device's clock"));
    const cJSON *const link[] = {other, one};
    cJSON *clock = cJSON_AddObjectToObject(one, "device_clock");
    cJSON_AddNumberToObject(clock, "ahead_us", -7000);
    cJSON_AddNumberToObject(clock, "uncertain_us", 1250);
    cJSON_AddTrueToObject(one, "resumed");
    rows_of(link, text, note);
    assert_non_null(strstr(note, "to within 1.250 ms"));
    assert_non_null(strstr(note, "are from the next one on."));
    assert_true(strlen(note) < sizeof(note) - 10);
    assert_int_equal(rows_of(both, text, note), 6);
    assert_non_null(strstr(text, "meter|second|power, W|101|10.0|1|1.5|1.6|2|16|-|-|-\n"));
    cJSON_Delete(one);
    cJSON_Delete(other);
}

TEST(two_runs_stand_side_by_side)
{
    cJSON *one = cJSON_Parse(said);
    const cJSON *const plugins[] = {one, one};
    char text[2048], note[640];
    assert_int_equal(rows_of(plugins, text, note), 7);
    assert_non_null(strstr(text, "meter|<first>|power, W|101|"));
    assert_non_null(strstr(text, "meter|second|power, W|101|"));
    cJSON_Delete(one);
}

TEST(none_is_none_and_nonsense_does_no_harm)
{
    const cJSON *const none[] = {NULL, NULL};
    static const char *const odd[] = {
        "7", "{\"list\":7}", "{\"list\":[7]}", "{\"list\":[{\"metrics\":[7,{}]}]}",
        "{\"list\":[{\"name\":\"\",\"failures\":1e300,\"metrics\":{\"a\":{\"samples\":1e300}}}]}"};
    char text[2048], note[640];
    assert_false(sl_plugin_figures_any(none));
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        cJSON *one = cJSON_Parse(odd[i]);
        const cJSON *const plugins[] = {NULL, one};
        rows_of(plugins, text, note);
        cJSON_Delete(one);
    }
}

TEST(json_has_each_runs_as_its_manifest_says_them)
{
    cJSON *one = cJSON_Parse(said);
    const cJSON *const plugins[] = {one, one};
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 8192);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_plugin_figures_json(&json, plugins);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    cJSON *made = cJSON_Parse((const char *)text.data);
    const cJSON *list = cJSON_GetObjectItem(made, "plugins");
    assert_int_equal(cJSON_GetArraySize(list), 2);
    for (int i = 0; i < 2; i++)
        assert_true(cJSON_Compare(cJSON_GetArrayItem(list, i), one, true));
    cJSON_Delete(made);
    sl_buf_fini(&text);
    cJSON_Delete(one);
}
