/* common/format/bundle.c */
#include "common/format/bundle.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/format/flatbuf.h"
#include "common/format/tensor_shape.h"

/* Slots of the schema's tables. */
enum { BUNDLE_SUITES = 1, BUNDLE_PROGRAM = 2 };
enum { SUITE_METHOD = 0, SUITE_CASES = 1 };
enum { CASE_INPUTS = 0, CASE_OUTPUTS = 1 };
enum { VALUE_KIND = 0, VALUE_CONTENT = 1 };
enum { TENSOR_TYPE = 0, TENSOR_SIZES = 1, TENSOR_DATA = 2, TENSOR_DIM_ORDER = 3 };

enum { BUDGET_PER_BYTE = 16, BUDGET_BYTES = 64 << 10 };

bool sl_bundle_is(struct sl_bytes file)
{
    return file.size >= 8 && memcmp(file.data + 4, "BP08", 4) == 0;
}

static void read_tensor(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                        struct sl_bundle_value *value)
{
    struct sl_tensor_shape shape;
    struct sl_flatbuf_vector data = sl_flatbuf_vector(fb, table, TENSOR_DATA, 1);
    sl_tensor_shape_read(
        fb, table, (struct sl_tensor_slots){TENSOR_TYPE, TENSOR_SIZES, TENSOR_DIM_ORDER}, &shape);
    if (fb->error != 0)
        return;
    if (shape.nbytes != data.count)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at,
                        "a tensor of %" PRIu64 " bytes comes with %" PRIu32, shape.nbytes,
                        data.count);
    value->tensor.scalar_type = shape.scalar_type;
    value->tensor.rank = shape.rank;
    value->tensor.sizes = shape.sizes;
    value->tensor.dim_order = shape.dim_order;
    value->tensor.data = (struct sl_bytes){fb->data + data.at, data.count};
}

static void read_value(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_bundle_value *value)
{
    struct sl_flatbuf_table content =
        sl_flatbuf_child(fb, table, VALUE_CONTENT, "a bundled value's content");
    value->kind = sl_flatbuf_u8(fb, table, VALUE_KIND, 0);
    if (fb->error != 0)
        return;
    bool wide = value->kind == SL_BUNDLE_INT || value->kind == SL_BUNDLE_DOUBLE;
    const uint8_t *number = wide ? sl_flatbuf_field(fb, &content, 0, 8) : NULL;
    if (content.at == 0 || value->kind < SL_BUNDLE_TENSOR || value->kind > SL_BUNDLE_DOUBLE)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a bundled value is of unknown kind %d",
                        value->kind);
    else if (value->kind == SL_BUNDLE_TENSOR)
        read_tensor(fb, &content, value);
    else if (value->kind == SL_BUNDLE_BOOL)
        value->bool_value = sl_flatbuf_u8(fb, &content, 0, 0) != 0;
    else if (value->kind == SL_BUNDLE_INT)
        value->int_value = number ? (int64_t)sl_load_u64(number) : 0;
    else
        value->double_value = number ? sl_load_f64(number) : 0;
}

static const struct sl_bundle_value *read_values(struct sl_flatbuf *fb,
                                                 const struct sl_flatbuf_table *table,
                                                 unsigned slot, uint32_t *out_count)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, slot, 4);
    struct sl_bundle_value *values = sl_flatbuf_alloc(fb, vector.count, sizeof(*values));
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table value = sl_flatbuf_element(fb, &vector, i, "BundledValue");
        read_value(fb, &value, &values[i]);
    }
    *out_count = vector.count;
    return values;
}

static void read_suite(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,
                       struct sl_bundle_suite *suite)
{
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, table, SUITE_CASES, 4);
    struct sl_bundle_case *cases = sl_flatbuf_alloc(fb, vector.count, sizeof(*cases));
    suite->method = sl_flatbuf_text(fb, table, SUITE_METHOD);
    if (fb->error == 0 && !suite->method)
        sl_flatbuf_fail(fb, SL_E_FORMAT, table->at, "a suite of test cases names no method");
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table one = sl_flatbuf_element(fb, &vector, i, "TestCase");
        cases[i].inputs = read_values(fb, &one, CASE_INPUTS, &cases[i].input_count);
        cases[i].outputs = read_values(fb, &one, CASE_OUTPUTS, &cases[i].output_count);
    }
    suite->cases = cases;
    suite->case_count = vector.count;
}

static void read_bundle(struct sl_flatbuf *fb, struct sl_bundle *out)
{
    struct sl_flatbuf_table root = sl_flatbuf_root(fb, 0, "BundledProgram");
    struct sl_flatbuf_vector program = sl_flatbuf_vector(fb, &root, BUNDLE_PROGRAM, 1);
    struct sl_flatbuf_vector vector = sl_flatbuf_vector(fb, &root, BUNDLE_SUITES, 4);
    struct sl_bundle_suite *suites = sl_flatbuf_alloc(fb, vector.count, sizeof(*suites));
    if (fb->error == 0 && (!program.present || program.at % 16 != 0))
        sl_flatbuf_fail(fb, SL_E_FORMAT, root.at,
                        "there is no program in the bundle, or it is not aligned");
    for (uint32_t i = 0; i < vector.count && fb->error == 0; i++) {
        struct sl_flatbuf_table table = sl_flatbuf_element(fb, &vector, i, "TestSuite");
        read_suite(fb, &table, &suites[i]);
    }
    if (fb->error != 0)
        return;
    out->program = (struct sl_bytes){fb->data + program.at, program.count};
    out->suites = suites;
    out->suite_count = vector.count;
}

int sl_bundle_parse(struct sl_bytes file, struct sl_bundle *out, struct sl_diag *diag)
{
    struct sl_flatbuf fb = {.data = file.data, .size = file.size, .diag = diag};
    struct sl_bundle bundle = {0};
    if (!sl_bundle_is(file))
        return sl_flatbuf_fail(&fb, SL_E_FORMAT, 4,
                               "not a bundled program: the identifier is not BP08");
    if (file.size > SL_FLATBUF_MAX_BYTES)
        return sl_flatbuf_fail(&fb, SL_E_LIMIT, 0, "the bundle is larger than 2 GiB");
    bundle.pool = sl_arena_new(file.size * BUDGET_PER_BYTE + BUDGET_BYTES);
    if (!bundle.pool)
        return -ENOMEM;
    fb.pool = bundle.pool;
    read_bundle(&fb, &bundle);
    if (fb.error == 0)
        *out = bundle;
    else
        sl_bundle_fini(&bundle);
    return fb.error;
}

void sl_bundle_fini(struct sl_bundle *bundle)
{
    sl_arena_free(bundle->pool);
    *bundle = (struct sl_bundle){0};
}

const struct sl_bundle_case *sl_bundle_find(const struct sl_bundle *bundle, const char *method,
                                            uint32_t index)
{
    for (uint32_t i = 0; i < bundle->suite_count; i++)
        if (strcmp(bundle->suites[i].method, method) == 0)
            return index < bundle->suites[i].case_count ? &bundle->suites[i].cases[index] : NULL;
    return NULL;
}

int sl_bundle_program(struct sl_bytes file, struct sl_bytes *out, struct sl_diag *diag)
{
    struct sl_bundle bundle;
    *out = file;
    if (!sl_bundle_is(file))
        return 0;
    int rc = sl_bundle_parse(file, &bundle, diag);
    if (rc == 0) {
        *out = bundle.program;
        sl_bundle_fini(&bundle);
    }
    return rc;
}
