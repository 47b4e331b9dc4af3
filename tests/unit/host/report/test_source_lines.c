/* tests/unit/host/report/test_source_lines.c: operators that came from one line of the model are
 * told together, and those of another program are not told at all. */
#include "host/report/source_lines.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

#include "tests/support/unit.h"

#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "host/report/analysis.h"
#include "host/report/categories_file.h"
#include "host/report/etrecord.h"

static const char attention[] =
    "File \"/src/model.py\", line 40, in forward\n    return self.block(x)\n"
    "File \"/src/model.py\", line 123, in block\n"
    "    y = F.scaled_dot_product_attention(q, k, v)\n"
    "File \"/lib/torch/nn/functional.py\", line 5, in scaled_dot_product_attention\n    return z";
static const char sums[] =
    "File \"/src/model.py\", line 130, in forward\n    return mix(a) + mix(b)\n";

static struct sl_etdump_event event(const char *name, int32_t instruction, uint64_t start,
                                    uint64_t end)
{
    return (struct sl_etdump_event){.name = name,
                                    .name_len = (uint32_t)strlen(name),
                                    .delegate_id_int = -1,
                                    .instruction_id = instruction,
                                    .chain_index = name[0] == 'M' ? -1 : 0,
                                    .start = start,
                                    .end = end};
}

/* Two runs of one; where takes 30, eq 20, add 7 in each. */
static struct {
    struct sl_etdump_event events[4];
    struct sl_etdump_run runs[2];
    struct sl_etdump etdump;
    struct sl_categories categories;
    struct sl_etrecord record;
    struct sl_etrecord_node nodes[3];
    struct sl_analysis analysis;
} all;

static int open_all(void **state)
{
    (void)state;
    static const char *const types[] = {"aten.where.self", "aten.eq.Scalar", "aten.add.Tensor"};
    all.events[0] = event("native_call_where.self_out", 2, 100, 130);
    all.events[1] = event("native_call_eq.Scalar_out", 5, 130, 150);
    all.events[2] = event("native_call_add.out", 7, 150, 157);
    all.events[3] = event("Method::execute", 0, 90, 200);
    for (int i = 0; i < 2; i++)
        all.runs[i] = (struct sl_etdump_run){.name = "Execute",
                                             .name_len = 7,
                                             .bundled_input_index = -1,
                                             .has_events = true,
                                             .event_count = 4,
                                             .events = all.events};
    all.etdump = (struct sl_etdump){.run_count = 2, .runs = all.runs};
    for (int i = 0; i < 3; i++) {
        all.nodes[i] =
            (struct sl_etrecord_node){.handle = 10 + i, .stack = i < 2 ? attention : sums};
        strcpy(all.nodes[i].type, types[i]);
    }
    all.record.handles = cJSON_Parse("{\"forward\":{\"2\":[10],\"5\":11,\"7\":12}}");
    all.record.nodes = all.nodes;
    all.record.node_count = 3;
    assert_non_null(all.record.handles);
    assert_int_equal(sl_categories_load(NULL, &all.categories, NULL), 0);
    const struct sl_analysis_request request = {
        .file = "x", .etdump = &all.etdump, .categories = &all.categories, .only_run = -1};
    assert_int_equal(sl_analysis_make(&request, &all.analysis, NULL), 0);
    all.analysis.record = &all.record;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    sl_analysis_fini(&all.analysis);
    sl_categories_fini(&all.categories);
    cJSON_Delete(all.record.handles);
    return 0;
}

TEST(operators_of_one_line_are_one)
{
    struct sl_source_lines lines;
    assert_int_equal(sl_source_lines_make(&all.analysis, &lines), 0);
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.lines[0].place, "model.py:123");
    assert_string_equal(lines.lines[0].call, "scaled_dot_product_attention");
    assert_int_equal(lines.lines[0].operators, 2);
    assert_true(lines.lines[0].cost == 50); /* of each run */
    assert_string_equal(lines.lines[1].call, "return mix(a) + mix(b)");
    assert_true(lines.lines[1].cost == 7);
    sl_source_lines_fini(&lines);
}

TEST(a_record_of_another_program_tells_nothing)
{
    struct sl_source_lines lines;
    char kept[128];
    strcpy(kept, all.nodes[0].type);
    strcpy(all.nodes[0].type, "aten.wherever.self");
    assert_int_equal(sl_source_lines_make(&all.analysis, &lines), 0);
    assert_int_equal(lines.lines[0].operators, 1);
    sl_source_lines_fini(&lines);
    strcpy(all.nodes[0].type, kept);
    all.analysis.record = NULL;
    assert_int_equal(sl_source_lines_make(&all.analysis, &lines), 0);
    assert_int_equal(lines.count, 0);
    all.analysis.record = &all.record;
}

TEST(each_failed_allocation_is_told)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc != 0; nth++) {
        struct sl_source_lines lines;
        sl_mem_fail_nth(nth);
        rc = sl_source_lines_make(&all.analysis, &lines);
        sl_mem_fail_nth(0);
        assert_true(rc == 0 || rc == -ENOMEM);
        assert_in_range(nth, 1, 50);
        if (rc == 0)
            sl_source_lines_fini(&lines);
    }
}

TEST_GROUP(open_all, close_all);
