/* tests/support/run_case.c */
#include "tests/support/run_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/format/sltrace.h"
#include "common/format/sltrace_seal.h"
#include "tests/support/test.h"

enum { EXECUTIONS = 3, PATH_BYTES = 512 };

static const char result[] = "{\"schema\":\"sme2lab.result/1\",\"attempt\":1,"
                             "\"measured\":{\"outcome\":\"done\"},"
                             "\"reference\":{\"outcome\":\"done\"}}";

struct stream {
    struct sl_trace_sealer sealer;
    struct sl_buf out;
    uint32_t names;
    uint64_t events;
};

static void put(struct stream *s, struct sl_trace_record record)
{
    s->events += record.kind == SL_TRACE_EVENT;
    assert_int_equal(sl_trace_sealer_put(&s->sealer, &record, 1, &s->out), 0);
}

static uint32_t put_name(struct stream *s, const char *text)
{
    struct sl_trace_record record = {.kind = SL_TRACE_NAME, .name = ++s->names};
    record.part.total_bytes = (uint16_t)strlen(text);
    memcpy(record.part.text, text, strlen(text));
    put(s, record);
    return s->names;
}

static void put_event(struct stream *s, uint16_t variant, uint32_t name, int kind, uint64_t start,
                      uint64_t end)
{
    struct sl_trace_record record = {.kind = SL_TRACE_EVENT, .variant = variant, .name = name};
    record.event.chain = kind == SL_TRACE_FRAMEWORK ? -1 : 0;
    record.event.start = start;
    record.event.end = end;
    record.event.node = SL_TRACE_NO_NODE;
    record.event.order = kind == SL_TRACE_FRAMEWORK ? 0 : 1;
    record.event.event = (uint32_t)kind;
    put(s, record);
}

/* Off takes 4,000 ns an execution, on 1,000. */
static void put_executions(struct stream *s)
{
    uint32_t execute = put_name(s, "Execute"), method = put_name(s, "Method::execute");
    uint32_t add = put_name(s, "native_call_add.out");
    uint64_t now = 1000;
    for (uint32_t i = 0; i < EXECUTIONS; i++) {
        for (uint16_t variant = 0; variant < 2; variant++) {
            uint64_t cost = variant ? 1000 : 4000;
            struct sl_trace_record block = {.kind = SL_TRACE_BLOCK, .variant = variant};
            block.name = execute;
            block.flags = i == 0 ? SL_TRACE_BLOCK_WARMUP : 0;
            block.block.iteration = i;
            block.block.pair = i == 0 ? UINT32_MAX : i - 1;
            put(s, block);
            put_event(s, variant, add, SL_TRACE_OPERATOR, now + 10, now + cost - 10);
            put_event(s, variant, method, SL_TRACE_FRAMEWORK, now, now + cost);
            now += cost + 500;
        }
    }
}

void sl_run_case_write_trace(const struct sl_run_case *c, bool ended)
{
    struct stream s = {.names = 0};
    struct sl_trace_record header = {.kind = SL_TRACE_HEADER};
    char path[SL_RUNDIR_PATH_BYTES + 16];
    sl_trace_sealer_init(&s.sealer);
    sl_buf_init(&s.out, 1 << 20);
    memcpy(header.header.magic, SL_TRACE_MAGIC, sizeof(header.header.magic));
    header.header.version = SL_TRACE_VERSION;
    header.header.record_bytes = SL_TRACE_RECORD_BYTES;
    header.header.unit = SL_TRACE_NS;
    put(&s, header);
    put_executions(&s);
    struct sl_trace_record end = {.kind = SL_TRACE_END};
    end.end.events = s.events;
    if (ended)
        put(&s, end);
    assert_int_equal(sl_trace_sealer_flush(&s.sealer, &s.out), 0);
    snprintf(path, sizeof(path), "%s.sltrace", c->run.raw_base);
    assert_int_equal(sl_buf_write_file(path, s.out.data, s.out.size), 0);
    sl_buf_fini(&s.out);
}

static void path_of(const struct sl_run_case *c, const char *name, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/%s", c->folder, name);
}

void sl_run_case_write(const struct sl_run_case *c, const char *name, const char *text)
{
    char path[PATH_BYTES];
    path_of(c, name, path);
    assert_int_equal(sl_buf_write_file(path, text, strlen(text)), 0);
}

char *sl_run_case_read(const struct sl_run_case *c, const char *name)
{
    char path[PATH_BYTES];
    struct sl_buf bytes;
    path_of(c, name, path);
    assert_int_equal(sl_buf_read_file(path, 1 << 24, &bytes), 0);
    char *text = calloc(bytes.size + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    sl_buf_fini(&bytes);
    return text;
}

bool sl_run_case_has(const struct sl_run_case *c, const char *name)
{
    char path[PATH_BYTES];
    path_of(c, name, path);
    return access(path, F_OK) == 0;
}

void sl_run_case_remove(const struct sl_run_case *c, const char *name)
{
    char path[PATH_BYTES];
    path_of(c, name, path);
    assert_int_equal(unlink(path), 0);
}

void sl_run_case_replace(const struct sl_run_case *c, const char *name, const char *from,
                         const char *to)
{
    char *text = sl_run_case_read(c, name), *at = strstr(text, from);
    assert_non_null(at);
    size_t room = strlen(text) + strlen(to) + 1;
    char *made = calloc(room, 1);
    assert_non_null(made);
    snprintf(made, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    sl_run_case_write(c, name, made);
    free(made);
    free(text);
}

static void prepare(struct sl_run_case *c)
{
    struct sl_diag diag = {.what = ""};
    c->run = (struct sl_rundir_run){.spec = &c->spec,
                                    .device = &c->device,
                                    .categories = &c->categories,
                                    .command = "a test",
                                    .wall_ns = 1000000};
    snprintf(c->run.out_dir, sizeof(c->run.out_dir), "%s", c->folder);
    assert_int_equal(sl_rundir_prepare(&c->run, &diag), 0);
}

void sl_run_case_again(struct sl_run_case *c)
{
    sl_rundir_run_fini(&c->run);
    prepare(c);
}

int sl_run_case_begin(void **state)
{
    static const char *const variants[] = {"sme2-off", "sme2-on", "portable"};
    static const float output[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct sl_run_case *c = calloc(1, sizeof(*c));
    struct sl_diag diag = {.what = ""};
    char path[SL_RUNDIR_PATH_BYTES];
    assert_non_null(c);
    snprintf(c->folder, sizeof(c->folder), "/tmp/sl-run-case-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    sl_spec_init(&c->spec);
    c->spec.model = SL_TEST_DATA "/models/toy_cnn_f32_xnnpack/model.pte";
    snprintf(c->spec.name, sizeof(c->spec.name), "run");
    c->spec.runs = EXECUTIONS - 1;
    c->spec.warmup = 1;
    c->spec.threads[0] = c->spec.concurrency[0] = 1;
    c->device = (struct sl_device){.kind = SL_DEVICE_LOCAL};
    snprintf(c->device.agent.path, sizeof(c->device.agent.path), "%s", c->spec.model);
    assert_int_equal(sl_categories_load(NULL, &c->categories, &diag), 0);
    prepare(c);
    sl_run_case_write_trace(c, true);
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        sl_rundir_output_path(&c->run, variants[i], 0, path);
        assert_int_equal(sl_buf_write_file(path, output, sizeof(output)), 0);
    }
    sl_run_case_write(c, "model_run_t1_latency.log", "Model executed successfully.\n");
    sl_run_case_write(c, "result.json", result);
    *state = c;
    return 0;
}

int sl_run_case_begin_finished(void **state)
{
    struct sl_diag diag = {.what = ""};
    sl_run_case_begin(state);
    struct sl_run_case *c = *state;
    assert_int_equal(sl_rundir_record(&c->run, &diag), 0);
    assert_int_equal(sl_rundir_finish(&c->run, &diag), 0);
    return 0;
}

int sl_run_case_end(void **state)
{
    struct sl_run_case *c = *state;
    char command[96];
    snprintf(command, sizeof(command), "rm -rf %s", c->folder);
    sl_rundir_run_fini(&c->run);
    sl_spec_fini(&c->spec);
    sl_categories_fini(&c->categories);
    free(c);
    return system(command);
}
