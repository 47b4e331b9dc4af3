/* tests/unit/common/format/test_etdump_writer.c */
#include <errno.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/etdump.h"
#include "tests/support/unit.h"
#include "tests/support/vector_etdump.h"

static int put_event(struct sl_etdump_writer *writer, uint32_t text, bool delegate, int64_t chain,
                     uint64_t start, uint64_t end)
{
    struct sl_etdump_event event = {.chain_index = chain, .start = start, .end = end};
    return sl_etdump_writer_event(writer, &event, text, delegate);
}

#define NAME(writer, text, out) sl_etdump_writer_name(writer, text, strlen(text), out)
#define TRY(call)                                                                                  \
    if ((rc = (call)) < 0)                                                                         \
    return rc

/* The calls that ETDumpGen got for the test vector. */
static int write_vector(struct sl_etdump_writer *writer, struct sl_buf *out)
{
    uint32_t init, execute, call, add;
    int rc;
    TRY(sl_etdump_writer_block(writer, "Default", 7));
    TRY(NAME(writer, "Method::init", &init));
    TRY(put_event(writer, init, false, -1, 1000, 1100));
    TRY(sl_etdump_writer_block(writer, "Execute", 7));
    TRY(NAME(writer, "Method::execute", &execute));
    TRY(NAME(writer, "DELEGATE_CALL", &call));
    TRY(NAME(writer, "Add (ND) #1", &add));
    TRY(put_event(writer, add, true, 0, 5000, 6000));
    TRY(put_event(writer, call, false, 0, 1300, 1400));
    TRY(put_event(writer, execute, false, -1, 1200, 1500));
    return sl_etdump_writer_finish(writer, out);
}

TEST(vector_comes_out_byte_for_byte)
{
    struct sl_etdump_writer *writer = NULL;
    struct sl_buf out;
    sl_buf_init(&out, 1 << 20);
    assert_int_equal(sl_etdump_writer_new(&writer), 0);
    assert_int_equal(write_vector(writer, &out), 0);
    assert_int_equal(out.size, sizeof(vector_etdump));
    assert_memory_equal(out.data, vector_etdump, sizeof(vector_etdump));
    assert_int_equal(sl_etdump_writer_block(writer, "x", 1), SL_E_STATE);
    assert_int_equal(sl_etdump_writer_finish(writer, &out), SL_E_STATE);
    sl_etdump_writer_free(writer);
    sl_buf_fini(&out);
}

TEST(writer_survives_each_failed_allocation)
{
    int rc = -ENOMEM;
    for (unsigned nth = 1; rc == -ENOMEM; nth++) {
        struct sl_etdump_writer *writer = NULL;
        struct sl_buf out;
        sl_buf_init(&out, 1 << 20);
        sl_mem_fail_nth(nth);
        rc = sl_etdump_writer_new(&writer);
        if (rc == 0)
            rc = write_vector(writer, &out);
        sl_mem_fail_nth(0);
        sl_etdump_writer_free(writer);
        sl_buf_fini(&out);
    }
    assert_int_equal(rc, 0);
}

TEST(event_outside_a_block_is_refused)
{
    struct sl_etdump_writer *writer = NULL;
    uint32_t text = 0;
    assert_int_equal(sl_etdump_writer_new(&writer), 0);
    assert_int_equal(NAME(writer, "x", &text), SL_E_STATE);
    assert_int_equal(put_event(writer, text, false, 0, 1, 2), SL_E_STATE);
    assert_int_equal(sl_etdump_writer_block(writer, "b", 1), 0);
    assert_int_equal(NAME(writer, "x", &text), 0);
    assert_int_equal(put_event(writer, text, false, INT64_MAX, 1, 2), SL_E_LIMIT);
    sl_etdump_writer_free(writer);
}

TEST(output_past_its_limit_is_refused)
{
    struct sl_etdump_writer *writer = NULL;
    struct sl_buf out;
    sl_buf_init(&out, 431);
    assert_int_equal(sl_etdump_writer_new(&writer), 0);
    assert_int_equal(write_vector(writer, &out), SL_E_LIMIT);
    sl_etdump_writer_free(writer);
    sl_buf_fini(&out);
}

TEST(block_without_events_has_no_vector)
{
    struct sl_etdump_writer *writer = NULL;
    struct sl_etdump dump;
    struct sl_buf out;
    sl_buf_init(&out, 1 << 20);
    assert_int_equal(sl_etdump_writer_new(&writer), 0);
    assert_int_equal(sl_etdump_writer_block(writer, "Default", 7), 0);
    assert_int_equal(sl_etdump_writer_finish(writer, &out), 0);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){out.data, out.size}, &dump, NULL), 0);
    assert_int_equal(dump.run_count, 1);
    assert_false(dump.runs[0].has_events);
    sl_etdump_fini(&dump);
    sl_etdump_writer_free(writer);
    sl_buf_fini(&out);
}

TEST(integer_delegate_id_and_metadata_survive)
{
    struct sl_etdump_writer *writer = NULL;
    struct sl_etdump dump;
    struct sl_buf out;
    struct sl_etdump_event event = {
        .instruction_id = -1, .delegate_id_int = 42, .metadata = {(const uint8_t *)"abcde", 5}};
    sl_buf_init(&out, 1 << 20);
    assert_int_equal(sl_etdump_writer_new(&writer), 0);
    assert_int_equal(sl_etdump_writer_block(writer, "Execute", 7), 0);
    assert_int_equal(sl_etdump_writer_event(writer, &event, 0, true), 0);
    assert_int_equal(sl_etdump_writer_finish(writer, &out), 0);
    assert_int_equal(sl_etdump_parse((struct sl_bytes){out.data, out.size}, &dump, NULL), 0);
    struct sl_etdump_event room;
    const struct sl_etdump_event *read = sl_etdump_event_read(&dump.runs[0], 0, &room);
    assert_null(read->name);
    assert_null(read->delegate_id);
    assert_int_equal(read->delegate_id_int, 42);
    assert_int_equal(read->instruction_id, -1);
    assert_int_equal(read->metadata.size, 5);
    assert_memory_equal(read->metadata.data, "abcde", 5);
    sl_etdump_fini(&dump);
    sl_etdump_writer_free(writer);
    sl_buf_fini(&out);
}

/* Creates the names of the run's events that stand at or behind `limit`, the last in the file
 * first: the further back, the earlier the event began. */
static void create_begun(struct sl_etdump_writer *writer, const struct sl_etdump_run *run,
                         const char *limit, uint32_t *texts)
{
    for (;;) {
        struct sl_etdump_event first = {.name = NULL};
        uint32_t at = 0;
        for (uint32_t i = 0; i < run->event_count; i++) {
            struct sl_etdump_event event;
            sl_etdump_event_read(run, i, &event);
            if (event.name && texts[i] == 0 && event.name >= limit &&
                (!first.name || event.name > first.name)) {
                first = event;
                at = i;
            }
        }
        if (!first.name)
            return;
        assert_int_equal(sl_etdump_writer_name(writer, first.name, first.name_len, &texts[at]), 0);
    }
}

/* Writes what `dump` holds again, event by event. */
static void rewrite(const struct sl_etdump *dump, struct sl_buf *out)
{
    struct sl_etdump_writer *writer = NULL;
    assert_int_equal(sl_etdump_writer_new(&writer), 0);
    for (uint32_t r = 0; r < dump->run_count; r++) {
        const struct sl_etdump_run *run = &dump->runs[r];
        uint32_t *texts = calloc(run->event_count + 1, sizeof(*texts));
        assert_non_null(texts);
        assert_int_equal(sl_etdump_writer_block(writer, run->name, run->name_len), 0);
        for (uint32_t i = 0; i < run->event_count; i++) {
            struct sl_etdump_event room;
            const struct sl_etdump_event *event = sl_etdump_event_read(run, i, &room);
            create_begun(writer, run, event->name ? event->name : event->delegate_id, texts);
            if (!event->name)
                assert_int_equal(sl_etdump_writer_name(writer, event->delegate_id,
                                                       event->delegate_id_len, &texts[i]),
                                 0);
            assert_int_equal(sl_etdump_writer_event(writer, event, texts[i], !event->name), 0);
        }
        free(texts);
    }
    assert_int_equal(sl_etdump_writer_finish(writer, out), 0);
    sl_etdump_writer_free(writer);
}

TEST(real_traces_written_again_are_the_same_bytes)
{
    static const char *const files[] = {
        "models/toy_cnn_f32_xnnpack/run.etdump",
        "models/toy_cnn_f32_xnnpack/aarch64-sme2.etdump",
        "models/toy_cnn_f32_xnnpack/aarch64-nosme.etdump",
        "models/toy_cnn_f32_portable/run.etdump",
        "models/toy_cnn_f32_portable/aarch64-sme2.etdump",
        "models/toy_cnn_f32_portable/aarch64-nosme.etdump",
        "models/mobilenet_v2_f32_xnnpack/run.etdump",
        "models/mobilenet_v2_f32_xnnpack/aarch64-sme2.etdump",
        "models/mobilenet_v2_f32_xnnpack/aarch64-nosme.etdump",
        "models/dynamic_shape_f32_xnnpack/run.etdump",
        "models/dynamic_shape_f32_xnnpack/aarch64-sme2.etdump",
        "models/dynamic_shape_f32_xnnpack/aarch64-nosme.etdump",
        "etdump/delegate_ops_f32_xnnpack/run.etdump",
        "etdump/kitchen_shape_portable/run.etdump",
        "etdump/multi_method_encode/run.etdump",
        "etdump/toy_cnn_int8_xnnpack/run.etdump",
        "etdump/transformer_dynq_xnnpack/run.etdump",
        "etdump/unet_int8_xnnpack/run.etdump",
        "etdump/unet_int8_xnnpack/aarch64-sme2.etdump",
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct sl_bytes file = sl_test_file(files[i]);
        struct sl_etdump dump;
        struct sl_buf out;
        sl_buf_init(&out, 1 << 20);
        assert_int_equal(sl_etdump_parse(file, &dump, NULL), 0);
        rewrite(&dump, &out);
        assert_int_equal(out.size, file.size);
        assert_memory_equal(out.data, file.data, file.size);
        sl_etdump_fini(&dump);
        sl_buf_fini(&out);
        free((void *)(uintptr_t)file.data);
    }
}
