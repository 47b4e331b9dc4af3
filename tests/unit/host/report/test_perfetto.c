/* tests/unit/host/report/test_perfetto.c: the packets' outer form; scripts/interop reads them with
 * Perfetto's own classes. */
#include "host/report/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

#include "common/base/buf.h"
#include "common/format/etdump.h"
#include "host/report/analysis.h"
#include "host/report/categories_file.h"

static uint64_t varint(const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        assert_true(*at < end);
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    fail_msg("a varint of more than ten bytes");
    return 0;
}

/* Counts the track events of each type (1 begin, 2 end, 4 counter) and, at 0, other packets. */
static void count_events(const struct sl_buf *trace, unsigned counts[8])
{
    const uint8_t *at = trace->data;
    const uint8_t *end = at + trace->size;
    while (at < end) {
        assert_int_equal(varint(&at, end), 1 << 3 | 2);
        uint64_t size = varint(&at, end);
        const uint8_t *packet_end = at + size;
        uint64_t type = 0;
        assert_true(size <= (uint64_t)(end - at));
        while (at < packet_end) {
            uint64_t key = varint(&at, packet_end);
            uint64_t value = varint(&at, packet_end);
            if ((key & 7) != 2)
                continue;
            if (key >> 3 == 11) { /* a track event, whose type comes first */
                assert_int_equal(at[0], 9 << 3);
                type = at[1];
            }
            at += value;
        }
        counts[type & 7]++;
    }
}

TEST(every_slice_of_a_real_trace_begins_and_ends)
{
    struct sl_bytes file = sl_test_file("models/toy_cnn_f32_xnnpack/run.etdump");
    struct sl_categories categories;
    struct sl_etdump dump;
    struct sl_analysis analysis;
    struct sl_buf trace;
    unsigned counts[8] = {0};
    assert_int_equal(sl_categories_load(NULL, &categories, NULL), 0);
    assert_int_equal(sl_etdump_parse(file, &dump, NULL), 0);
    struct sl_analysis_request request = {
        .file = "run.etdump", .etdump = &dump, .categories = &categories, .only_run = -1};
    assert_int_equal(sl_analysis_make(&request, &analysis, NULL), 0);
    sl_buf_init(&trace, 1 << 22);
    assert_int_equal(sl_perfetto_trace(&trace, &analysis), 0);
    count_events(&trace, counts);
    assert_int_equal(counts[1], counts[2]);
    assert_true(counts[1] > analysis.attribution.run_count * 3);
    assert_int_equal(counts[4], analysis.attribution.run_count * (SL_CATEGORY_COUNT + 1));
    assert_true(counts[0] >= SL_CATEGORY_COUNT + 4);
    const struct sl_analysis_reading hot = {"temperature 0 (cpu)", "millidegrees Celsius", -1500};
    unsigned with[8] = {0};
    analysis.readings = &hot;
    analysis.reading_count = 1;
    trace.size = 0;
    assert_int_equal(sl_perfetto_trace(&trace, &analysis), 0);
    count_events(&trace, with);
    assert_int_equal(with[4], counts[4] + 1);
    assert_int_equal(with[0], counts[0] + 1);
    assert_int_equal(with[1], counts[1]);
    trace.limit = 100;
    trace.size = 0;
    assert_true(sl_perfetto_trace(&trace, &analysis) < 0);
    sl_buf_fini(&trace);
    sl_analysis_fini(&analysis);
    sl_etdump_fini(&dump);
    sl_categories_fini(&categories);
    free((void *)(uintptr_t)file.data);
}
