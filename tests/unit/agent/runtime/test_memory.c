/* tests/unit/agent/runtime/test_memory.c: what a program takes beyond its data, as the system
 * counts it: the growth of this process's peak between opening the program and the end of an
 * execution. */
#include "tests/support/unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "agent/runtime/method.h"
#include "agent/runtime/variant.h"
#include "common/base/mem.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"

#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

enum { ALLOWED_BYTES = 2 << 20 }; /* tables, steps, labels, the parsed program */

/* Of /proc/self/status: "VmHWM:", the peak of the resident set from the last reset on, or
 * "RssFile:", its pages of files, which are code here. */
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

struct taken {
    size_t grown, planned, packed, workspace;
};

/* The program lies in memory, so that no pages of a file come in. */
static void measure(const struct sl_buf *program, struct taken *out)
{
    struct sl_model *model;
    struct sl_method *method;
    struct sl_variant *variants[2];
    sl_mem_trim();
    assert_int_equal(reset_peak(), 0);
    size_t before = peak_bytes();
    assert_int_equal(sl_model_open_bytes(program->data, program->size, NULL, NULL, &model, NULL),
                     0);
    assert_int_equal(sl_method_new(model, NULL, &method, NULL), 0);
    for (uint16_t v = 0; v < 2; v++)
        assert_int_equal(
            sl_variant_new(method, v == 0 ? 0 : sl_isa_detect(), v, NULL, &variants[v], NULL), 0);
    for (uint16_t v = 0; v < 2; v++) {
        assert_int_equal(sl_method_fill_inputs(method, NULL), 0);
        assert_int_equal(sl_variant_execute(variants[v], SL_VARIANT_UNTRACED, NULL), 0);
    }
    *out = (struct taken){.grown = peak_bytes() - before, .workspace = method->workspace.bytes};
    for (size_t b = 0; b < sl_method_planned_buffers(method); b++)
        out->planned += sl_method_planned_bytes(method, b);
    out->packed =
        sl_variant_packed_bytes(variants[0]); /* shared: one mask where there is no SIMD */
}

/* In a process of its own: what others left behind counts for nobody. */
static void check(const char *model)
{
    struct sl_buf program;
    struct taken taken;
    int ends[2], status;
    if (sl_case_has(model, "weights.ptd"))
        return;
    sl_case_read(model, "model.pte", &program);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        measure(&program, &taken);
        _exit(write(ends[1], &taken, sizeof(taken)) != (ssize_t)sizeof(taken));
    }
    assert_int_equal(read(ends[0], &taken, sizeof(taken)), sizeof(taken));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
    sl_buf_fini(&program);
    size_t allowed = taken.planned + taken.packed + taken.workspace + ALLOWED_BYTES;
    if (taken.grown > allowed)
        fail_msg("%s takes %zu bytes, %zu are allowed", model, taken.grown, allowed);
}

static void a_program_takes_its_buffers_its_weights_and_two_mebibytes(void **state)
{
    (void)state;
    if (SANITIZED || sl_isa_detect() != 0 || reset_peak() != 0)
        skip(); /* the emulator's own memory would count, or a sanitizer's */
    assert_true(sl_case_each_model(check) > 0);
    sl_case_each_fixture(check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_takes_its_buffers_its_weights_and_two_mebibytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
