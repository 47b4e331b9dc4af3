/* tests/unit/agent/runtime/test_damaged.c: programs that are damaged or want what is not there. */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "kernels/cpu/isa.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

static const struct sl_runtime_limits small = {.bytes = 8 << 20, .instructions = 200};

/* Replaces the `nth` (from 0) place of `from` in the program by as many bytes of `to`. */
static void patch(struct sl_buf *program, const char *from, const char *to, unsigned nth)
{
    size_t len = strlen(from);
    assert_int_equal(len, strlen(to));
    for (size_t i = 0; i + len <= program->size; i++) {
        if (memcmp(program->data + i, from, len) != 0 || nth-- != 0)
            continue;
        memcpy(program->data + i, to, len);
        return;
    }
    fail_msg("no '%s' to patch", from);
}

/* Opens patched bytes; the method must load. */
static void open_patched(struct sl_model_case *c, struct sl_buf *program)
{
    struct sl_diag diag = {0};
    *c = (struct sl_model_case){.program = *program};
    const struct sl_runtime_log log = {sl_case_log, c};
    if (sl_model_open_bytes(program->data, program->size, NULL, &log, &c->model, &diag) != 0 ||
        sl_method_new(c->model, NULL, &c->method, &diag) != 0)
        fail_msg("%s %s", diag.what, diag.where);
}

static void check_refused(const char *model, const char *from, const char *to, unsigned nth,
                          int code, const char *lines, const char *what)
{
    struct sl_model_case c;
    struct sl_buf program;
    struct sl_variant *variant = NULL;
    struct sl_diag diag = {0};
    sl_case_read(model, "model.pte", &program);
    patch(&program, from, to, nth);
    open_patched(&c, &program);
    assert_int_equal(sl_variant_new(c.method, SL_ISA_NONE, 0, NULL, &variant, &diag), code);
    assert_null(variant);
    assert_string_equal(c.log, lines);
    assert_non_null(strstr(diag.what, what));
    sl_case_close(&c);
}

TEST(missing_operator_fails_at_load_in_the_real_words)
{
    check_refused("toy_cnn_f32_portable", "aten::relu", "aten::rely", 0, SL_ET_OPERATOR_MISSING,
                  "E method.cpp: Missing operator: [2] aten::rely.out\n"
                  "E method.cpp: Missing operator: [2] aten::rely.out\n"
                  "E method.cpp: Missing operator: [2] aten::rely.out\n"
                  "E method.cpp: Missing operator: [2] aten::rely.out\n"
                  "E method.cpp: There are 4 instructions don't have corresponding operator "
                  "registered. See logs for details\n",
                  "Missing operator: [2] aten::rely.out");
}

TEST(unknown_backend_fails_at_load_in_the_real_words)
{
    check_refused("toy_cnn_f32_xnnpack", "XnnpackBackend", "YnnpackBackend", 0, SL_ET_NOT_FOUND,
                  "E method.cpp: Backend YnnpackBackend is not registered.\n",
                  "Backend YnnpackBackend is not registered.");
}

TEST(missing_weights_fail_at_load_in_the_real_words)
{
    static const char key[] = "14bfa79fa0bfd6aaef433afbb64d4bd13cf450605e84f23158cea5e62b29b144";
    static const char other[] = "04bfa79fa0bfd6aaef433afbb64d4bd13cf450605e84f23158cea5e62b29b144";
    check_refused("toy_cnn_f32_xnnpack", key, other, 0, SL_ET_NOT_FOUND,
                  "E XNNCompiler.cpp: Failed to get constant data for key "
                  "14bfa79fa0bfd6aaef433afbb64d4bd13cf450605e84f23158cea5e62b29b144 from "
                  "named_data_map. Error code: 32\n"
                  "E XNNPACKBackend.cpp: XNNCompiler::compileModel failed: 0x20\n"
                  "E method.cpp: Init failed for backend XnnpackBackend: 0x20\n",
                  "constant data");
}

TEST(foreign_blob_fails_at_load)
{
    check_refused("toy_cnn_f32_xnnpack", "XN01", "XN07", 0, SL_ET_DELEGATE_INVALID_COMPATIBILITY,
                  "E XNNPACKBackend.cpp: XNNCompiler::compileModel failed: 0x30\n"
                  "E method.cpp: Init failed for backend XnnpackBackend: 0x30\n",
                  "");
}

static void check_unreadable(const void *bytes, size_t size, const char *lines)
{
    struct sl_model_case c = {0};
    const struct sl_runtime_log log = {sl_case_log, &c};
    assert_true(sl_model_open_bytes(bytes, size, NULL, &log, &c.model, NULL) < 0);
    assert_null(c.model);
    assert_string_equal(c.log, lines);
}

TEST(unreadable_files_are_refused_in_the_real_words)
{
    struct sl_model_case c = {0};
    struct sl_buf program;
    const struct sl_runtime_log log = {sl_case_log, &c};
    assert_int_equal(sl_model_open("nofile.pte", NULL, &log, &c.model, NULL), SL_ET_ACCESS_FAILED);
    assert_string_equal(c.log, "E file_data_loader.cpp: Failed to open nofile.pte: No such file or "
                               "directory (2)\n");
    check_unreadable(
        "garbage file", 12,
        "E file_data_loader.cpp: File (memory): offset 0 + size 64 > file_size_ 12, or "
        "overflow detected\n");
    sl_case_read("toy_cnn_f32_xnnpack", "model.pte", &program);
    check_unreadable(program.data, 5000,
                     "E program.cpp: File size is too small. Expected file size from extended "
                     "header is 105768, actual file size from data loader is 5000\n");
    memcpy(program.data + 4, "BP08", 4);
    check_unreadable(program.data, program.size,
                     "E program.cpp: Program identifier 'BP08' != expected 'ET12'\n");
    sl_buf_fini(&program);
}

TEST(program_over_the_memory_limit_is_refused)
{
    static const struct sl_runtime_limits tiny = {.bytes = 100000, .instructions = 200};
    struct sl_model *model = NULL;
    struct sl_method *method = NULL;
    struct sl_buf program;
    sl_case_read("toy_cnn_f32_portable", "model.pte", &program);
    assert_int_equal(sl_model_open_bytes(program.data, program.size, &tiny, NULL, &model, NULL), 0);
    assert_int_equal(sl_method_new(model, NULL, &method, NULL), SL_ET_MEMORY_ALLOCATION_FAILED);
    sl_model_free(model);
    sl_buf_fini(&program);
}

/* Loads and runs whatever the bytes say; nothing but a crash fails. */
static void try_bytes(const struct sl_buf *program)
{
    struct sl_model *model = NULL;
    struct sl_method *method = NULL;
    struct sl_variant *variant = NULL;
    struct sl_diag diag;
    if (sl_model_open_bytes(program->data, program->size, &small, NULL, &model, &diag) != 0)
        return;
    if (sl_method_new(model, NULL, &method, &diag) == 0 &&
        sl_variant_new(method, SL_ISA_NONE, 0, NULL, &variant, &diag) == 0 &&
        sl_method_fill_inputs(method, &diag) == 0)
        sl_variant_execute(variant, false, &diag);
    sl_variant_free(variant);
    sl_method_free(method);
    sl_model_free(model);
}

TEST(damaged_programs_never_crash)
{
    enum { TRIALS = 400 };
    struct sl_buf whole, program;
    uint32_t random = 12345;
    sl_case_read("dynamic_shape_f32_xnnpack", "model.pte", &whole);
    for (int trial = 0; trial < TRIALS; trial++) {
        sl_buf_init(&program, whole.size);
        assert_int_equal(sl_buf_append(&program, whole.data, whole.size), 0);
        for (int k = 0; k < 1 + trial % 3; k++) {
            random = random * 1664525u + 1013904223u;
            size_t at = (random >> 8) % program.size;
            random = random * 1664525u + 1013904223u;
            program.data[at] = trial % 2 ? (uint8_t)(random >> 24)
                                         : (uint8_t)(program.data[at] ^ 1u << (random >> 29));
        }
        try_bytes(&program);
        sl_buf_fini(&program);
    }
    for (size_t size = whole.size; size > 64; size -= 61) {
        whole.size = size;
        try_bytes(&whole);
    }
    sl_buf_fini(&whole);
}

static void loading_survives_each_failed_allocation(const char *model)
{
    struct sl_buf program;
    int rc = -1;
    sl_case_read(model, "model.pte", &program);
    for (unsigned nth = 1; rc != 0; nth++) {
        struct sl_model *loaded = NULL;
        struct sl_method *method = NULL;
        struct sl_variant *variant = NULL;
        sl_mem_fail_nth(nth);
        rc = sl_model_open_bytes(program.data, program.size, NULL, NULL, &loaded, NULL);
        if (rc == 0)
            rc = sl_method_new(loaded, NULL, &method, NULL);
        if (rc == 0)
            rc = sl_variant_new(method, SL_ISA_NONE, 0, NULL, &variant, NULL);
        assert_int_equal(variant == NULL, rc != 0);
        assert_true(nth < 5000);
        sl_variant_free(variant);
        sl_method_free(method);
        sl_model_free(loaded);
    }
    sl_mem_fail_nth(0);
    sl_buf_fini(&program);
}

TEST(loading_delegates_survives_each_failed_allocation)
{
    loading_survives_each_failed_allocation("dynamic_shape_f32_xnnpack");
}

TEST(loading_operators_survives_each_failed_allocation)
{
    loading_survives_each_failed_allocation("toy_cnn_f32_portable");
}
