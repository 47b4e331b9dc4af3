/* tests/unit/common/format/test_etdump.c */
#include "common/format/etdump.h"

#include <errno.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/flatbuild.h"
#include "tests/support/unit.h"
#include "tests/support/vector_etdump.h"

static int text_is(const char *text, uint32_t len, const char *expected)
{
    return text && len == strlen(expected) && memcmp(text, expected, len) == 0;
}

TEST(vector_is_read_whole)
{
    struct sl_etdump dump;
    struct sl_bytes file = {vector_etdump, sizeof(vector_etdump)};
    assert_int_equal(sl_etdump_parse(file, &dump, NULL), 0);
    assert_true(dump.size_prefixed);
    assert_int_equal(dump.version, 0);
    assert_int_equal(dump.run_count, 2);
    assert_true(text_is(dump.runs[0].name, dump.runs[0].name_len, "Default"));
    assert_true(text_is(dump.runs[1].name, dump.runs[1].name_len, "Execute"));
    assert_int_equal(dump.runs[0].event_count, 1);
    assert_int_equal(dump.runs[1].event_count, 3);
    assert_int_equal(dump.runs[1].bundled_input_index, -1);
    struct sl_etdump_event room;
    const struct sl_etdump_event *event = sl_etdump_event_read(&dump.runs[0], 0, &room);
    assert_true(text_is(event->name, event->name_len, "Method::init"));
    assert_int_equal(event->chain_index, -1);
    assert_int_equal(event->instruction_id, 0);
    assert_int_equal(event->start, 1000);
    assert_int_equal(event->end, 1100);
    assert_false(event->has_metadata);
    event = sl_etdump_event_read(&dump.runs[1], 0, &room);
    assert_int_equal(event->kind, SL_ETDUMP_PROFILE);
    assert_null(event->name);
    assert_true(text_is(event->delegate_id, event->delegate_id_len, "Add (ND) #1"));
    assert_int_equal(event->delegate_id_int, -1);
    assert_int_equal(event->chain_index, 0);
    assert_true(event->has_metadata);
    assert_int_equal(event->metadata.size, 0);
    assert_int_equal(event->start, 5000);
    assert_int_equal(event->end, 6000);
    sl_etdump_fini(&dump);
}

TEST(file_without_size_prefix_is_read)
{
    struct sl_etdump dump;
    uint8_t *copy = sl_test_copy(vector_etdump + 4, sizeof(vector_etdump) - 4);
    struct sl_bytes file = {copy, sizeof(vector_etdump) - 4};
    assert_int_equal(sl_etdump_parse(file, &dump, NULL), 0);
    assert_false(dump.size_prefixed);
    assert_int_equal(dump.run_count, 2);
    sl_etdump_fini(&dump);
    free(copy);
}

TEST(cut_file_is_truncated)
{
    struct sl_etdump dump;
    struct sl_diag diag = {0};
    for (size_t size = 0; size < sizeof(vector_etdump); size++) {
        uint8_t *copy = sl_test_copy(vector_etdump, size);
        int rc = sl_etdump_parse((struct sl_bytes){copy, size}, &dump, &diag);
        assert_int_equal(rc, size >= 8 && size < 12 ? SL_E_FORMAT : SL_E_TRUNCATED);
        assert_true(strncmp(diag.where, "byte ", 5) == 0);
        free(copy);
    }
}

/* Cut behind its root table, a file still gives the events at its front; the rest is counted. */
TEST(cut_file_is_salvaged_and_the_loss_is_told)
{
    unsigned readable = 0;
    for (size_t size = 0; size < sizeof(vector_etdump); size++) {
        struct sl_etdump dump;
        struct sl_etdump_loss loss;
        struct sl_diag diag = {0};
        uint8_t *copy = sl_test_copy(vector_etdump, size);
        if (sl_etdump_salvage((struct sl_bytes){copy, size}, &dump, &loss, &diag) == 0) {
            uint32_t events = 0;
            assert_true(loss.missing_bytes == sizeof(vector_etdump) - size);
            assert_true(loss.first[0] != '\0');
            for (uint32_t r = 0; r < dump.run_count; r++) {
                for (uint32_t i = 0; i < dump.runs[r].event_count; i++, events++) {
                    struct sl_etdump_event event;
                    sl_etdump_event_read(&dump.runs[r], i, &event);
                    assert_true(event.end > event.start && event.end <= 6000);
                }
            }
            assert_true(events + loss.events <= 4);
            readable += events > 0 && events < 4;
            sl_etdump_fini(&dump);
        }
        free(copy);
    }
    assert_in_range(readable, 20, sizeof(vector_etdump));
}

TEST(whole_file_is_salvaged_without_loss)
{
    struct sl_etdump dump;
    struct sl_etdump_loss loss = {.runs = 9};
    struct sl_bytes file = {vector_etdump, sizeof(vector_etdump)};
    assert_int_equal(sl_etdump_salvage(file, &dump, &loss, NULL), 0);
    assert_string_equal(loss.first, "");
    assert_int_equal(loss.runs + loss.events, 0);
    assert_int_equal(dump.runs[1].event_count, 3);
    sl_etdump_fini(&dump);
}

TEST(foreign_file_is_refused_with_a_place)
{
    struct sl_etdump dump;
    struct sl_diag diag = {0};
    struct sl_bytes file = {(const uint8_t *)"this is no ETDump at all", 24};
    assert_int_equal(sl_etdump_parse(file, &dump, &diag), SL_E_FORMAT);
    assert_string_equal(diag.what, "not an ETDump: there is no identifier ED00");
    assert_string_equal(diag.where, "byte 8");
}

TEST(each_bit_flip_gives_an_error_or_a_trace)
{
    unsigned refused = 0;
    uint8_t *copy = sl_test_copy(vector_etdump, sizeof(vector_etdump));
    for (size_t bit = 0; bit < 8 * sizeof(vector_etdump); bit++) {
        struct sl_etdump dump;
        struct sl_diag diag = {0};
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int rc = sl_etdump_parse((struct sl_bytes){copy, sizeof(vector_etdump)}, &dump, &diag);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (rc == 0) {
            sl_etdump_fini(&dump);
            continue;
        }
        refused++;
        assert_true(diag.what[0] != '\0' && strncmp(diag.where, "byte ", 5) == 0);
    }
    assert_in_range(refused, 100, 8 * sizeof(vector_etdump));
    free(copy);
}

TEST(parse_survives_each_failed_allocation)
{
    struct sl_bytes file = {vector_etdump, sizeof(vector_etdump)};
    int rc = -ENOMEM;
    unsigned nth = 1;
    for (; rc == -ENOMEM; nth++) {
        struct sl_etdump dump = {0};
        sl_mem_fail_nth(nth);
        rc = sl_etdump_parse(file, &dump, NULL);
        sl_mem_fail_nth(0);
        if (rc == 0)
            sl_etdump_fini(&dump);
    }
    assert_int_equal(rc, 0);
    assert_true(nth > 2);
}

/* Runs that all share one vector of events ask for far more events than the file has bytes. */
TEST(file_of_aliases_is_refused_not_expanded)
{
    enum { RUNS = 2000, EVENTS = 20000, RUNS_AT = 28, RUN_AT = RUNS_AT + 4 + 4 * RUNS };
    enum { EVENTS_AT = RUN_AT + 24, EVENT_AT = EVENTS_AT + 4 + 4 * EVENTS, SIZE = EVENT_AT + 32 };
    struct sl_etdump dump;
    struct sl_diag diag = {0};
    static const uint8_t head[RUNS_AT] = {
        12,   0,    0,    0,    'E', 'D', '0', '0', 0, 0, 0, 0, /* root at 12 */
        0xf8, 0xff, 0xff, 0xff, 12,  0,   0,   0,               /* 12 ETDump: runs at 28 */
        8,    0,    8,    0,    0,   0,   4,   0,               /* 20 its vtable */
    };
    static const uint8_t run[] = {0xf8, 0xff, 0xff, 0xff, 20, 0, 0, 0, /* RunData: its events */
                                  12,   0,    8,    0,    0,  0, 0, 0, 0, 0, 4, 0};
    static const uint8_t event[] = {0xf8, 0xff, 0xff, 0xff, 16, 0, 0, 0, /* Event: its profile */
                                    6,    0,    8,    0,    4,  0, 0, 0, 0, 0,
                                    0,    0,    0,    0,    0,  0, 4, 0, 4, 0}; /* an empty table */
    uint8_t *file = calloc(SIZE, 1);
    assert_non_null(file);
    memcpy(file, head, sizeof(head));
    memcpy(file + RUN_AT, run, sizeof(run));
    memcpy(file + EVENT_AT, event, sizeof(event));
    sl_store_u32(file + EVENT_AT + 20, UINT32_MAX - 3); /* its vtable lies 4 behind */
    sl_store_u32(file + RUNS_AT, RUNS);
    sl_store_u32(file + EVENTS_AT, EVENTS);
    for (uint32_t i = 0; i < RUNS; i++)
        sl_store_u32(file + RUNS_AT + 4 + 4 * i, RUN_AT - RUNS_AT - 4 - 4 * i);
    for (uint32_t i = 0; i < EVENTS; i++)
        sl_store_u32(file + EVENTS_AT + 4 + 4 * i, EVENT_AT - EVENTS_AT - 4 - 4 * i);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){file, SIZE}, &dump, &diag), SL_E_LIMIT);
    free(file);
}

/* The table Event whose field `slot` is `content`. */
static uint32_t build_event(struct sl_flatbuild *build, unsigned slot,
                            struct sl_flatbuild_table *content)
{
    struct sl_flatbuild_table event;
    uint32_t ref = sl_flatbuild_end_table(build, content);
    sl_flatbuild_begin_table(&event);
    sl_flatbuild_add_ref(&event, slot, ref);
    return sl_flatbuild_end_table(build, &event);
}

/* A trace with each kind of event and a run without any. */
static void build_kinds(struct sl_buf *out)
{
    struct sl_flatbuild build;
    struct sl_flatbuild_table table, value;
    uint32_t events[3], runs[2];
    sl_flatbuild_init(&build);
    sl_buf_init(out, 4096);
    sl_flatbuild_begin_table(&table); /* AllocationEvent */
    sl_flatbuild_add_i32(&table, 0, 2, 0);
    sl_flatbuild_add_u64(&table, 1, 4096, 0);
    events[0] = build_event(&build, 1, &table);
    sl_flatbuild_begin_table(&value);
    uint32_t entry = sl_flatbuild_end_table(&build, &value);
    sl_flatbuild_begin_table(&table); /* DebugEvent */
    sl_flatbuild_add_u64(&table, 0, UINT64_MAX, 0);
    sl_flatbuild_add_ref(&table, 2, entry);
    sl_flatbuild_add_i32(&table, 3, 5, -1);
    events[1] = build_event(&build, 2, &table);
    uint32_t metadata = sl_flatbuild_bytes(&build, "abc", 3);
    sl_flatbuild_begin_table(&table); /* ProfileEvent */
    sl_flatbuild_add_i32(&table, 3, 9, -1);
    sl_flatbuild_add_ref(&table, 5, metadata);
    events[2] = build_event(&build, 0, &table);
    uint32_t list = sl_flatbuild_refs(&build, events, 3);
    sl_flatbuild_begin_table(&table); /* RunData */
    sl_flatbuild_add_i32(&table, 1, 3, -1);
    sl_flatbuild_add_ref(&table, 3, list);
    runs[0] = sl_flatbuild_end_table(&build, &table);
    sl_flatbuild_begin_table(&table);
    runs[1] = sl_flatbuild_end_table(&build, &table);
    list = sl_flatbuild_refs(&build, runs, 2);
    sl_flatbuild_begin_table(&table); /* ETDump */
    sl_flatbuild_add_i32(&table, 0, 7, 0);
    sl_flatbuild_add_ref(&table, 1, list);
    assert_int_equal(
        sl_flatbuild_finish(&build, sl_flatbuild_end_table(&build, &table), "ED00", out), 0);
    sl_flatbuild_fini(&build);
}

TEST(other_kinds_of_event_are_kept)
{
    struct sl_etdump dump;
    struct sl_buf file;
    build_kinds(&file);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){file.data, file.size}, &dump, NULL), 0);
    assert_int_equal(dump.version, 7);
    assert_int_equal(dump.run_count, 2);
    assert_false(dump.runs[1].has_events);
    assert_int_equal(dump.runs[0].bundled_input_index, 3);
    assert_int_equal(dump.runs[0].event_count, 3);
    struct sl_etdump_event event[3];
    for (uint32_t i = 0; i < 3; i++)
        assert_ptr_equal(sl_etdump_event_read(&dump.runs[0], i, &event[i]), &event[i]);
    assert_int_equal(event[0].kind, SL_ETDUMP_ALLOCATION);
    assert_int_equal(event[0].allocator_id, 2);
    assert_int_equal(event[0].allocation_size, 4096);
    assert_int_equal(event[1].kind, SL_ETDUMP_DEBUG);
    assert_int_equal(event[1].chain_index, -1);
    assert_int_equal(event[1].delegate_id_int, 5);
    assert_true(event[1].value_offset != 0);
    assert_int_equal(event[2].kind, SL_ETDUMP_PROFILE);
    assert_int_equal(event[2].delegate_id_int, 9);
    assert_int_equal(event[2].metadata.size, 3);
    assert_memory_equal(event[2].metadata.data, "abc", 3);
    sl_etdump_fini(&dump);
    sl_buf_fini(&file);
}

/* One row of the Inspector's data frame: the event and its start times, one for each run. */
static void find_starts(const struct sl_etdump *dump, const char *block, const char *name,
                        const char *starts)
{
    char expected[4096] = "[", digits[32];
    for (uint32_t r = 0; r < dump->run_count; r++) {
        const struct sl_etdump_run *run = &dump->runs[r];
        if (!text_is(run->name, run->name_len, block))
            continue;
        int64_t found = -1;
        for (uint32_t e = 0; e < run->event_count; e++) {
            struct sl_etdump_event room;
            const struct sl_etdump_event *event = sl_etdump_event_read(run, e, &room);
            int same = event->delegate_id
                           ? text_is(event->delegate_id, event->delegate_id_len, name)
                           : text_is(event->name, event->name_len, name);
            snprintf(digits, sizeof(digits), "%llu", (unsigned long long)event->start);
            if (same && (found < 0 || strstr(starts, digits)))
                found = (int64_t)event->start;
        }
        snprintf(digits, sizeof(digits), "%s%lld", expected[1] ? ", " : "", (long long)found);
        strcat(expected, digits);
    }
    strcat(expected, "]");
    if (strlen(expected) < strlen(starts) || !strstr(expected, starts))
        assert_string_equal(expected, starts);
}

/* The next field of a CSV row, unquoted in place. NULL after the last. */
static char *next_field(char **at)
{
    char *field = *at;
    if (!field)
        return NULL;
    if (*field != '"') {
        char *comma = strchr(field, ',');
        *at = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        return field;
    }
    char *to = ++field, *from = field;
    for (; *from != '\0'; from++) {
        if (*from == '"' && from[1] != '"')
            break;
        from += *from == '"';
        *to++ = *from;
    }
    *at = *from != '\0' && from[1] == ',' ? from + 2 : NULL;
    *to = '\0';
    return field;
}

/* Row for row the Inspector of ExecuTorch saw these events with these starts. */
static void compare_with_inspector(const char *folder)
{
    char name[256];
    snprintf(name, sizeof(name), "%s/run.etdump", folder);
    struct sl_bytes file = sl_test_file(name);
    snprintf(name, sizeof(name), "%s/inspector.csv", folder);
    struct sl_bytes csv = sl_test_file(name);
    char *text = calloc(csv.size + 1, 1);
    assert_non_null(text);
    memcpy(text, csv.data, csv.size);
    struct sl_etdump dump;
    assert_int_equal(sl_etdump_parse(file, &dump, NULL), 0);
    unsigned rows = 0;
    char *rest = NULL;
    for (char *row = strtok_r(text, "\r\n", &rest); row; row = strtok_r(NULL, "\r\n", &rest)) {
        char *block = NULL, *event = NULL, *last = NULL, *at = row, *field;
        for (unsigned column = 0; (field = next_field(&at)); column++) {
            block = column == 0 ? field : block;
            event = column == 1 ? field : event;
            last = field;
        }
        if (rows++ > 0)
            find_starts(&dump, block, event, last);
    }
    assert_in_range(rows, 3, 100000);
    sl_etdump_fini(&dump);
    free(text);
    free((void *)(uintptr_t)csv.data);
    free((void *)(uintptr_t)file.data);
}

TEST(real_traces_give_what_the_inspector_reads)
{
    compare_with_inspector("models/toy_cnn_f32_xnnpack");
    compare_with_inspector("models/toy_cnn_f32_portable");
    compare_with_inspector("models/mobilenet_v2_f32_xnnpack");
    compare_with_inspector("models/dynamic_shape_f32_xnnpack");
    compare_with_inspector("etdump/transformer_dynq_xnnpack");
    compare_with_inspector("etdump/unet_int8_xnnpack");
    compare_with_inspector("etdump/kitchen_shape_portable");
}
