/* tests/unit/agent/runtime/test_memory.c: what a program takes beyond its data, as the system
 * counts it: the growth of this process's peak between opening the program and the end of an
 * execution. */
#include "tests/support/unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "agent/runtime/method.h"
#include "agent/runtime/variant.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"

#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

enum {
    ALLOWED_BYTES = 2 << 20, /* tables, steps, labels, the parsed program */
    RING_RECORDS = 1 << 13,  /* as a run's: half a mebibyte */
};

/* Reads /proc/self/status: "VmHWM:" is the peak of the resident set since the last reset,
 * "RssFile:" its pages of files, which are code here. */
static size_t status_bytes(const char *name)
{
    char line[256];
    size_t kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtoul(line + strlen(name), NULL, 10);
    if (file)
        fclose(file);
    return kib << 10;
}

/* Pages of code come in and stay; all else is the program's. */
static size_t peak_bytes(void)
{
    return status_bytes("VmHWM:") - status_bytes("RssFile:");
}

static int reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file)
        return -1;
    int put = fputs("5", file);
    return fclose(file) == 0 && put >= 0 ? 0 : -1;
}

/* One method of a program, executed once by each of two variants, recorded as a run does. */
struct work {
    char program[512], data[512]; /* data "": none */
    size_t method;
};

struct taken {
    size_t grown, planned, packed, workspace, ring, methods;
};

static void drain(void *user)
{
    struct sl_trace_record records[64];
    while (sl_ring_pop(user, records, 64) > 0)
        ;
}

static struct sl_variant *compile(struct sl_method *method, uint32_t isa, uint16_t index,
                                  struct sl_recorder *recorder)
{
    struct sl_variant *variant;
    sl_recorder_block(recorder, sl_recorder_name(recorder, "Default"), index, UINT32_MAX, 0, false);
    assert_int_equal(sl_variant_new(method, isa, index, recorder, &variant, NULL), 0);
    return variant;
}

static void execute(struct sl_method *method, struct sl_variant *variant, uint16_t index,
                    struct sl_recorder *recorder)
{
    struct sl_diag diag = {0};
    assert_int_equal(sl_method_fill_inputs(method, NULL), 0);
    sl_recorder_block(recorder, sl_recorder_name(recorder, "Execute"), index, 0, 0, false);
    assert_int_equal(sl_recorder_ready(recorder, sl_variant_events(variant)), 0);
    if (sl_variant_execute(variant, SL_VARIANT_TRACED, &diag) != 0)
        fail_msg("%s %s", diag.what, diag.where);
}

/* Files are mapped: their pages count as code's do. */
static void measure(const struct work *work, struct taken *out)
{
    struct sl_model *model;
    struct sl_method *method;
    struct sl_data *data = NULL;
    struct sl_ring *ring;
    struct sl_recorder *recorder;
    struct sl_variant *variants[2];
    sl_mem_trim();
    assert_int_equal(reset_peak(), 0);
    size_t before = peak_bytes();
    assert_int_equal(sl_ring_new(RING_RECORDS, &ring), 0);
    assert_int_equal(sl_recorder_new(ring, SL_TRACE_NS, 1, &recorder), 0);
    sl_recorder_on_full(recorder, drain, ring);
    if (work->data[0])
        assert_int_equal(sl_data_open(work->data, NULL, &data, NULL), 0);
    assert_int_equal(sl_model_open(work->program, NULL, NULL, &model, NULL), 0);
    sl_model_set_data(model, data);
    assert_int_equal(sl_method_new(model, model->pte.plans[work->method].name, &method, NULL), 0);
    for (uint16_t v = 0; v < 2; v++)
        variants[v] = compile(method, v == 0 ? 0 : sl_isa_detect(), v, recorder);
    for (uint16_t v = 0; v < 2; v++)
        execute(method, variants[v], v, recorder);
    *out = (struct taken){.grown = peak_bytes() - before,
                          .workspace = method->workspace.bytes,
                          .ring = RING_RECORDS * sizeof(struct sl_trace_record),
                          .methods = model->pte.plan_count};
    for (size_t b = 0; b < sl_method_planned_buffers(method); b++)
        out->planned += sl_method_planned_bytes(method, b);
    out->packed =
        sl_variant_packed_bytes(variants[0]); /* shared: one mask where there is no SIMD */
}

/* In a process of its own: what others left behind counts for nobody. */
static void measure_apart(const struct work *work, struct taken *out)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        measure(work, out);
        _exit(write(ends[1], out, sizeof(*out)) != (ssize_t)sizeof(*out));
    }
    assert_int_equal(read(ends[0], out, sizeof(*out)), sizeof(*out));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
}

static unsigned checked, with_data;

static void check(const char *model, const char *file)
{
    struct taken taken = {.methods = 1};
    struct work work = {.data = ""};
    snprintf(work.program, sizeof(work.program), "%s/%s", model, file);
    if (sl_case_has(model, "weights.ptd"))
        snprintf(work.data, sizeof(work.data), "%s/weights.ptd", model);
    for (work.method = 0; work.method < taken.methods; work.method++) {
        measure_apart(&work, &taken);
        size_t allowed =
            taken.planned + taken.packed + taken.workspace + taken.ring + ALLOWED_BYTES;
        if (taken.grown > allowed)
            fail_msg("%s, method %zu, takes %zu bytes, %zu are allowed", work.program, work.method,
                     taken.grown, allowed);
        checked++;
        with_data += work.data[0] != '\0';
    }
}

static void check_program(const char *model)
{
    check(model, "model.pte");
}

static void check_bundle(const char *model)
{
    check(model, "model.bpte");
}

TEST(a_program_takes_its_buffers_its_weights_the_ring_and_two_mebibytes)
{
    if (SANITIZED || sl_isa_detect() != 0 || reset_peak() != 0)
        skip(); /* the emulator's own memory would count, or a sanitizer's */
    assert_true(sl_case_each_model(check_program) > 0);
    assert_true(sl_case_each_model_with("model.bpte", check_bundle) > 0);
    assert_true(with_data >= 2);
    sl_case_each_fixture(check_program);
    sl_case_each_fixture_with("model.bpte", check_bundle);
    printf("%u methods, %u of them with external data\n", checked, with_data);
}
