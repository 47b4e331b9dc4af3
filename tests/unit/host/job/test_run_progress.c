/* tests/unit/host/job/test_run_progress.c */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/job/run_progress.h"
#include "tests/support/test.h"

enum { MAX_RECORDS = 64 };

struct stream {
    struct sl_trace_record records[MAX_RECORDS];
    size_t count;
};

static struct sl_trace_record *add(struct stream *stream, uint8_t kind)
{
    struct sl_trace_record *record = &stream->records[stream->count++];
    memset(record, 0, sizeof(*record));
    record->kind = kind;
    return record;
}

static void begin(struct stream *stream, uint32_t unit)
{
    stream->count = 0;
    add(stream, SL_TRACE_HEADER)->header.unit = unit;
    struct sl_trace_record *name = add(stream, SL_TRACE_NAME);
    name->name = 7;
    name->part.total_bytes = 15;
    memcpy(name->part.text, "Method::execute", 15);
}

static void execute(struct stream *stream, uint16_t variant, uint32_t pair, uint64_t start,
                    uint64_t end)
{
    struct sl_trace_record *block = add(stream, SL_TRACE_BLOCK);
    block->variant = variant;
    block->block.pair = pair;
    block->flags = pair == UINT32_MAX ? SL_TRACE_BLOCK_WARMUP : 0;
    struct sl_trace_record *event = add(stream, SL_TRACE_EVENT);
    event->variant = variant;
    event->name = 7;
    event->event.start = start;
    event->event.end = end;
}

static struct sl_job_run_looked looked; /* none, but in one test */

static const char *words(const struct sl_job_run_progress *progress)
{
    static char text[512];
    sl_job_run_progress_json(progress, &looked, text, sizeof(text));
    return text;
}

TEST(pairs_of_nanoseconds_give_the_running_ratio_whatever_the_cuts)
{
    struct stream stream;
    begin(&stream, SL_TRACE_NS);
    execute(&stream, 0, UINT32_MAX, 0, 900); /* warm-up: not counted */
    execute(&stream, 0, 0, 1000, 1300);
    execute(&stream, 1, 0, 2000, 2100);
    execute(&stream, 1, 1, 3000, 3200);
    execute(&stream, 0, 1, 4000, 4300);
    const uint8_t *bytes = (const uint8_t *)stream.records;
    size_t size = stream.count * sizeof(stream.records[0]);
    for (size_t cut = 1; cut <= size; cut += 37) {
        struct sl_job_run_progress progress = {.phase = 4, .pair = 2, .pairs = 5};
        for (size_t at = 0; at < size; at += cut) {
            size_t from = at > 20 ? at - 20 : 0, n = size - at < cut ? size - at : cut;
            sl_job_run_progress_take(&progress, from, bytes + from, at - from + n); /* sent twice */
        }
        assert_string_equal(words(&progress),
                            "{\"phase\":\"measuring\",\"part\":\"measured\",\"pair\":2,\"pairs\":5,"
                            "\"percent\":40.0,\"ratio\":2,\"off_ns\":300,\"on_ns\":150}");
    }
}

TEST(marks_wait_for_what_they_count)
{
    struct stream stream;
    struct sl_job_run_progress progress = {.phase = 4, .pairs = 9, .insns = 77};
    begin(&stream, SL_TRACE_MARKS);
    for (uint32_t pair = 0; pair < 6; pair++) {
        execute(&stream, 0, pair, 10 * pair, 10 * pair + 1);
        execute(&stream, 1, pair, 10 * pair + 2, 10 * pair + 3);
    }
    sl_job_run_progress_take(&progress, 0, (const uint8_t *)stream.records,
                             stream.count * sizeof(stream.records[0]));
    assert_int_equal(progress.pending_count, SL_JOB_RUN_PROGRESS_PENDING);
    assert_int_equal(progress.pending[1].marks[3], 13);
    assert_null(strstr(words(&progress), "ratio"));
    sl_job_run_progress_add(&progress, 600, 200);
    assert_non_null(
        strstr(words(&progress),
               "\"insns\":77,\"percent\":0.0,\"ratio\":3,\"off_insns\":600,\"on_insns\":200}"));
}

TEST(precision_stands_beside_what_the_last_look_saw)
{
    struct sl_job_run_progress progress = {.phase = 4, .pairs = 600};
    looked.precision_percent = 1.5;
    assert_non_null(strstr(words(&progress), "\"precision_percent\":1.5,\"looks\":0}"));
    looked.looks = 2;
    looked.half_width_percent = 2.25;
    assert_non_null(strstr(words(&progress), "\"looks\":2,\"half_width_percent\":2.25}"));
    assert_null(strstr(words(&progress), "\"percent\"")); /* of how many pairs is not known */
    looked = (struct sl_job_run_looked){0};
}

TEST(pairs_read_again_are_told_and_the_agents_word_stays)
{
    struct stream stream;
    struct sl_job_run_progress read = {.phase = 1}, progress = {.phase = 4, .pair = 3, .pairs = 9};
    begin(&stream, SL_TRACE_NS);
    execute(&stream, 0, 0, 1000, 1300);
    execute(&stream, 1, 0, 2000, 2100);
    sl_job_run_progress_take(&read, 0, (const uint8_t *)stream.records,
                             stream.count * sizeof(stream.records[0]));
    sl_job_run_progress_adopt(&progress, &read);
    assert_string_equal(
        words(&progress),
        "{\"phase\":\"measuring\",\"part\":\"measured\",\"pair\":3,\"pairs\":9,\"percent\":33.3,"
        "\"ratio\":3,\"off_ns\":300,\"on_ns\":100}");
}

TEST(what_is_no_trace_and_what_leaves_a_gap_gives_no_ratio)
{
    uint8_t noise[4096];
    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (uint8_t)(i * 167 + (i >> 5));
    struct sl_job_run_progress progress = {.phase = 99, .pair = UINT32_MAX, .pairs = 3};
    sl_job_run_progress_take(&progress, 0, noise, sizeof(noise));
    sl_job_run_progress_take(&progress, 9000, noise, sizeof(noise));
    assert_int_equal(progress.offset, sizeof(noise));
    assert_string_equal(words(&progress),
                        "{\"phase\":\"waiting\",\"part\":\"measured\",\"pair\":0,\"pairs\":3}");
}

TEST(a_counted_run_knows_its_instructions_from_the_warm_up)
{
    struct sl_job_run_progress progress = {.warmup = 1, .insns = 100};
    sl_job_run_progress_step(&progress, 3, 0, 4);
    assert_null(strstr(words(&progress), "expected"));
    progress.insns = 1100; /* the warm-up took 1000 */
    sl_job_run_progress_step(&progress, 4, 0, 4);
    progress.insns = 1600;
    assert_non_null(
        strstr(words(&progress), "\"insns\":1600,\"percent\":12.5,\"expected_insns\":5100}"));
    progress.insns = 2300; /* the pair is more than that, so nobody knows */
    assert_non_null(strstr(words(&progress), "\"percent\":0.0"));
    assert_null(strstr(words(&progress), "expected"));
    progress.insns = 3100;
    sl_job_run_progress_step(&progress, 4, 1, 4); /* a pair takes twice that */
    assert_non_null(strstr(words(&progress), "\"percent\":25.0,\"expected_insns\":9100}"));
    progress.reference = true;
    assert_null(strstr(words(&progress), "percent"));
}
