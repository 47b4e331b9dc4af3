/* tests/unit/host/report/test_inspector_tsv.c: against tables that the Inspector saved, and its
 * rules one by one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "host/report/etrecord.h"
#include "host/report/inspector_tsv.h"

static void check_file(const char *folder)
{
    char name[256];
    struct sl_etdump dump;
    struct sl_buf out;
    snprintf(name, sizeof(name), "%s/run.etdump", folder);
    struct sl_bytes file = sl_test_file(name);
    snprintf(name, sizeof(name), "%s/inspector.tsv", folder);
    struct sl_bytes want = sl_test_file(name);
    assert_int_equal(sl_etdump_parse(file, &dump, NULL), 0);
    sl_buf_init(&out, 1 << 26);
    assert_int_equal(sl_inspector_tsv(&out, &dump, NULL, NULL), 0);
    assert_int_equal(out.size, want.size);
    assert_memory_equal(out.data, want.data, want.size);
    sl_buf_fini(&out);
    sl_etdump_fini(&dump);
    free((void *)(uintptr_t)file.data);
    free((void *)(uintptr_t)want.data);
}

TEST(real_traces_give_the_table_that_the_inspector_saved)
{
    check_file("models/toy_cnn_f32_xnnpack");
    check_file("models/toy_cnn_f32_portable");
    check_file("models/mobilenet_v2_f32_xnnpack");
    check_file("models/dynamic_shape_f32_xnnpack");
}

/* The table of blocks `Execute` of `count` events each, without the header's line. */
static int table_of(const struct sl_etdump_event *events, uint32_t count, uint32_t runs,
                    struct sl_buf *out)
{
    struct sl_etdump_run blocks[4];
    for (uint32_t r = 0; r < runs; r++)
        blocks[r] = (struct sl_etdump_run){.name = "Execute",
                                           .name_len = 7,
                                           .bundled_input_index = -1,
                                           .has_events = true,
                                           .event_count = count,
                                           .events = events + r * count};
    struct sl_etdump dump = {.run_count = runs, .runs = blocks};
    sl_buf_init(out, 1 << 20);
    return sl_inspector_tsv(out, &dump, NULL, NULL);
}

static struct sl_etdump_event event(const char *name, uint64_t start, uint64_t end)
{
    return (struct sl_etdump_event){.name = name,
                                    .name_len = (uint32_t)strlen(name),
                                    .delegate_id_int = -1,
                                    .start = start,
                                    .end = end};
}

static void expect(struct sl_buf *out, const char *rows)
{
    const char *body = strchr((const char *)out->data, '\n');
    assert_non_null(body);
    assert_string_equal(body + 1, rows);
    sl_buf_fini(out);
}

TEST(last_of_equal_events_wins_in_the_place_of_the_first)
{
    struct sl_buf out;
    const struct sl_etdump_event events[] = {event("a", 0, 1000000), event("b", 5, 1000005),
                                             event("a", 7, 3000007)};
    assert_int_equal(table_of(events, 3, 1, &out), 0);
    expect(&out, "0\tExecute\ta\t3.0\t3.0\t3.0\t3.0\t3.0\t3.0\t[]\tFalse\t\t[7]\n"
                 "1\tExecute\tb\t1.0\t1.0\t1.0\t1.0\t1.0\t1.0\t[]\tFalse\t\t[5]\n");
}

TEST(runs_of_other_events_make_other_blocks_and_calls_are_left_out)
{
    struct sl_buf out;
    const struct sl_etdump_event events[] = {event("a", 0, 10), event("OPERATOR_CALL", 0, 20),
                                             event("c", 0, 30), event("OPERATOR_CALL", 0, 40)};
    assert_int_equal(table_of(events, 2, 2, &out), 0);
    expect(&out, "0\tExecute\ta\t1e-05\t1e-05\t1e-05\t1e-05\t1e-05\t1e-05\t[]\tFalse\t\t[0]\n"
                 "1\tExecute\tc\t3e-05\t3e-05\t3e-05\t3e-05\t3e-05\t3e-05\t[]\tFalse\t\t[0]\n");
}

TEST(stamps_of_a_delegate_are_divided_before_they_are_subtracted)
{
    struct sl_buf out;
    struct sl_etdump_event one = event("", 123456789, 123791789);
    one.name = NULL;
    one.delegate_id = "Add (ND) #1";
    one.delegate_id_len = 11;
    assert_int_equal(table_of(&one, 1, 1, &out), 0);
    assert_non_null(strstr((const char *)out.data, "\t0.33499999999999375\t"));
    assert_non_null(strstr((const char *)out.data, "\tTrue\t"));
    sl_buf_fini(&out);
}

TEST(names_that_steer_a_terminal_come_out_harmless)
{
    struct sl_buf out;
    const struct sl_etdump_event events[] = {event("\x1b[31mred\x07\r", 0, 10),
                                             event("\xc2\x9b"
                                                   "2J\xe2\x80\xae\xff",
                                                   0, 10)};
    struct sl_etdump_run run = {.name = "Exe\x1b]0;cute",
                                .name_len = 11,
                                .bundled_input_index = -1,
                                .has_events = true,
                                .event_count = 2,
                                .events = events};
    struct sl_etdump dump = {.run_count = 1, .runs = &run};
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_inspector_tsv(&out, &dump, NULL, NULL), 0);
    for (size_t i = 0; i < out.size; i++)
        assert_true(out.data[i] == '\t' || out.data[i] == '\n' ||
                    (out.data[i] >= ' ' && out.data[i] < 127));
    assert_non_null(strstr((const char *)out.data, "?[31mred?"));
    assert_non_null(strstr((const char *)out.data, "Exe?]0;cute"));
    sl_buf_fini(&out);
}

TEST(backends_and_types_that_steer_a_terminal_come_out_harmless)
{
    struct sl_etrecord record;
    struct sl_bytes file = sl_test_file("hand/small.etrecord");
    uint8_t *copy = sl_test_copy(file.data, file.size);
    struct sl_etdump_event call = event("DELEGATE_CALL", 0, 10);
    struct sl_etdump_run run = {"Execute", 7, -1, true, 1, 0, &call, NULL, NULL, 0};
    struct sl_etdump dump = {.run_count = 1, .runs = &run};
    struct sl_buf out;
    call.instruction_id = 1;
    assert_int_equal(sl_etrecord_parse((struct sl_bytes){copy, file.size}, &record, NULL), 0);
    struct sl_etrecord_match match;
    assert_int_equal(sl_etrecord_find(&record, 1, "DELEGATE_CALL", 13, false, &match), 0);
    memcpy((char *)(uintptr_t)match.backend, "\x1b[2J", 4);
    memcpy((char *)(uintptr_t)match.nodes[0]->type, "\x1b[2J", 4);
    sl_etrecord_match_fini(&match);
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_inspector_tsv(&out, &dump, &record, NULL), 0);
    assert_null(strchr((const char *)out.data, '\x1b'));
    assert_non_null(strstr((const char *)out.data, "['?[2J"));
    assert_non_null(strstr((const char *)out.data, "\t?[2J"));
    sl_buf_fini(&out);
    sl_etrecord_fini(&record);
    free(copy);
    free((void *)(uintptr_t)file.data);
}

TEST(clock_of_32_bits_wraps_one_short_as_in_the_inspector)
{
    struct sl_buf out;
    struct sl_etdump_event one = event("a", UINT32_MAX - 9, 90);
    assert_int_equal(table_of(&one, 1, 1, &out), 0); /* 100 ticks, and it says 99 */
    assert_non_null(strstr((const char *)out.data, "\t9.9e-05\t"));
    sl_buf_fini(&out);
    one.start = UINT64_C(1) << 40;
    assert_int_equal(table_of(&one, 1, 1, &out), SL_E_UNSUPPORTED);
    sl_buf_fini(&out);
}

TEST(debug_event_alone_has_a_row_without_times)
{
    struct sl_buf out;
    struct sl_etdump_event events[] = {event("probe", 0, 0), event("out", 0, 0), event("a", 0, 10)};
    events[0].kind = events[1].kind = SL_ETDUMP_DEBUG;
    events[0].value_offset = events[1].value_offset = 8;
    events[0].instruction_id = 3;
    events[1].instruction_id = 4;
    events[1].program_output = true;
    assert_int_equal(table_of(events, 3, 1, &out), 0);
    expect(&out, "0\tExecute\tprobe\t\t\t\t\t\t\t[]\tFalse\t\t\n"
                 "1\tExecute\ta\t1e-05\t1e-05\t1e-05\t1e-05\t1e-05\t1e-05\t[]\tFalse\t\t[0]\n");
    events[0].kind = SL_ETDUMP_ALLOCATION;
    assert_int_equal(table_of(events, 3, 1, &out), SL_E_UNSUPPORTED);
    sl_buf_fini(&out);
}

TEST(floats_are_printed_as_python_does)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0.0"},
                 {1.0, "1.0"},
                 {0.1, "0.1"},
                 {1e-4, "0.0001"},
                 {1e-5, "1e-05"},
                 {1.5e-7, "1.5e-07"},
                 {123456.0, "123456.0"},
                 {1e16, "1e+16"},
                 {1e15, "1000000000000000.0"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {5e-324, "5e-324"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_buf out;
        sl_buf_init(&out, 64);
        assert_int_equal(sl_python_float(&out, cases[i].value), 0);
        assert_string_equal((const char *)out.data, cases[i].text);
        sl_buf_fini(&out);
    }
}

TEST(record_names_types_and_places_of_each_instruction)
{
    char place[64];
    struct sl_etrecord record;
    struct sl_etrecord_match match;
    struct sl_bytes file = sl_test_file("hand/small.etrecord");
    assert_int_equal(sl_etrecord_parse(file, &record, NULL), 0);
    assert_int_equal(sl_etrecord_find(&record, 0, "native_call_add.out", 19, false, &match), 0);
    assert_int_equal(match.node_count, 1);
    assert_string_equal(match.nodes[0]->type, "aten.add.Tensor");
    assert_null(match.backend);
    sl_etrecord_place(match.nodes[0], place, sizeof(place));
    assert_string_equal(place, "net.py:12");
    sl_etrecord_match_fini(&match);
    assert_int_equal(sl_etrecord_find(&record, 1, "DELEGATE_CALL", 13, false, &match), 0);
    assert_int_equal(match.node_count, 5);
    assert_string_equal(match.backend, "XnnpackBackend");
    assert_string_equal(match.nodes[4]->type, "sym_size.int");
    sl_etrecord_match_fini(&match);
    assert_int_equal(sl_etrecord_find(&record, 1, "Part 7 of it", 12, true, &match), 0);
    assert_int_equal(match.node_count, 1);
    sl_etrecord_match_fini(&match);
    assert_int_equal(sl_etrecord_find(&record, 0, "Method::execute", 15, false, &match), 0);
    assert_int_equal(match.node_count, 0);
    sl_etrecord_match_fini(&match);
    sl_etrecord_fini(&record);
    free((void *)(uintptr_t)file.data);
}

TEST(five_types_and_more_are_printed_short)
{
    struct sl_etrecord record;
    struct sl_bytes file = sl_test_file("hand/small.etrecord");
    struct sl_etdump_event call = event("DELEGATE_CALL", 0, 10);
    struct sl_etdump_run run = {"Execute", 7, -1, true, 1, 0, &call, NULL, NULL, 0};
    struct sl_etdump dump = {.run_count = 1, .runs = &run};
    struct sl_buf out;
    call.instruction_id = 1;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_etrecord_parse(file, &record, NULL), 0);
    assert_int_equal(sl_inspector_tsv(&out, &dump, &record, NULL), 0);
    assert_non_null(strstr((const char *)out.data,
                           "\t['aten.mul.Tensor', 'aten.sub.Tensor' ... 'sym_size.int'] (5 total)"
                           "\tFalse\tXnnpackBackend\t[0]\n"));
    sl_buf_fini(&out);
    sl_etrecord_fini(&record);
    free((void *)(uintptr_t)file.data);
}

TEST(damaged_record_is_refused_in_words)
{
    struct sl_bytes file = sl_test_file("hand/small.etrecord");
    for (size_t i = 0; i < file.size; i += 7) {
        struct sl_etrecord record;
        struct sl_diag diag = {.what = ""};
        uint8_t *copy = sl_test_copy(file.data, file.size);
        copy[i] ^= 0x40;
        if (sl_etrecord_parse((struct sl_bytes){copy, file.size}, &record, &diag) == 0)
            sl_etrecord_fini(&record);
        else
            assert_true(diag.what[0] != '\0');
        free(copy);
    }
    free((void *)(uintptr_t)file.data);
}
