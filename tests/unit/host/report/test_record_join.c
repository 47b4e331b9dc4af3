/* tests/unit/host/report/test_record_join.c: against a record that ExecuTorch's own tools read. */
#include "host/report/record_join.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/etdump.h"
#include "host/report/analysis.h"
#include "host/report/doc.h"
#include "host/report/etrecord.h"
#include "tests/support/unit.h"

/* A run of the record's program: an operator in its shell, a delegate, and what has no operator. */
static const struct sl_etdump_event events[] = {
    {.name = "native_call_add.out", .name_len = 19, .delegate_id_int = -1, .instruction_id = 0},
    {.name = "OPERATOR_CALL", .name_len = 13, .delegate_id_int = -1, .instruction_id = 0},
    {.name = "DELEGATE_CALL", .name_len = 13, .delegate_id_int = -1, .instruction_id = 1},
    {.name = "probe",
     .name_len = 5,
     .kind = SL_ETDUMP_DEBUG,
     .delegate_id_int = -1,
     .instruction_id = 0},
    {.name = "Method::execute", .name_len = 15, .delegate_id_int = -1, .instruction_id = -1},
};

struct joined {
    struct sl_bytes file;
    struct sl_etrecord record;
    struct sl_etdump_run run;
    struct sl_etdump dump;
    struct sl_attribution_run first;
    struct sl_analysis analysis;
};

static int set_up(void **state)
{
    struct joined *j = calloc(1, sizeof(*j));
    j->file = sl_test_file("hand/small.etrecord");
    assert_int_equal(sl_etrecord_parse(j->file, &j->record, NULL), 0);
    j->run = (struct sl_etdump_run){.name = "Execute",
                                    .name_len = 7,
                                    .bundled_input_index = -1,
                                    .has_events = true,
                                    .event_count = sizeof(events) / sizeof(events[0]),
                                    .events = events};
    j->dump = (struct sl_etdump){.run_count = 1, .runs = &j->run};
    j->analysis.etdump = &j->dump;
    j->analysis.attribution.runs = &j->first;
    j->analysis.attribution.run_count = 1;
    *state = j;
    return 0;
}

static int tear_down(void **state)
{
    struct joined *j = *state;
    sl_etrecord_fini(&j->record);
    free((void *)(uintptr_t)j->file.data);
    free(j);
    return 0;
}

static size_t count_of(const struct sl_buf *text, const char *words)
{
    size_t count = 0;
    for (const char *at = (const char *)text->data; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

static void put_json(const struct joined *j, struct sl_buf *out)
{
    struct sl_json json;
    sl_buf_init(out, 1 << 16);
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    assert_int_equal(sl_record_json(&json, &j->analysis, &j->record), 0);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    assert_int_equal(sl_buf_append(out, "", 1), 0);
}

TEST_WITH(each_instruction_names_its_operators_and_their_places, set_up, tear_down)
{
    struct sl_buf out;
    put_json(*state, &out);
    assert_int_equal(count_of(&out, "\"event\""), 2); /* not the shell, nor the whole */
    assert_int_equal(count_of(&out, "native_call_add.out"), 1);
    assert_int_equal(count_of(&out, "aten.add.Tensor"), 1);
    assert_int_equal(count_of(&out, "net.py:12"), 1);
    assert_int_equal(count_of(&out, "XnnpackBackend"), 1);
    assert_int_equal(count_of(&out, "\"node\""), 6); /* one of the operator, five of the delegate */
    sl_buf_fini(&out);
}

TEST_WITH(the_table_has_a_row_for_each_operator, set_up, tear_down)
{
    const struct joined *j = *state;
    struct sl_doc doc;
    struct sl_buf out;
    sl_doc_init(&doc, SL_DOC_PAGE);
    sl_record_doc(&doc, &j->analysis, &j->record);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_doc_md(&out, &doc), 0);
    assert_int_equal(sl_buf_append(&out, "", 1), 0);
    assert_int_equal(count_of(&out, "aten.add.Tensor"), 1);
    assert_int_equal(count_of(&out, "DELEGATE"), 1); /* its other rows have no name again */
    assert_int_equal(count_of(&out, "sym"), 1);
    sl_buf_fini(&out);
    sl_doc_fini(&doc);
}

TEST_WITH(without_runs_there_are_no_instructions, set_up, tear_down)
{
    struct joined *j = *state;
    struct sl_buf out;
    j->analysis.attribution.run_count = 0;
    put_json(j, &out);
    assert_int_equal(count_of(&out, "\"event\""), 0);
    assert_int_equal(count_of(&out, "\"instructions\""), 1);
    sl_buf_fini(&out);
}
