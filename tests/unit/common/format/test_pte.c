/* tests/unit/common/format/test_pte.c */
#include "common/format/pte.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/flatbuild.h"
#include "common/format/scalar_type.h"
#include "tests/support/unit.h"

static void release(struct sl_bytes file)
{
    free((void *)(uintptr_t)file.data);
}

TEST(hand_made_program_is_read_whole)
{
    struct sl_bytes file = sl_test_file("hand/add_mul.pte");
    struct sl_pte pte;
    assert_int_equal(sl_pte_parse(file, &pte, NULL), 0);
    const struct sl_pte_plan *plan = sl_pte_find_plan(&pte, NULL);
    assert_ptr_equal(plan, sl_pte_find_plan(&pte, "forward"));
    assert_null(sl_pte_find_plan(&pte, "backward"));
    assert_int_equal(plan->value_count, 4);
    assert_int_equal(plan->input_count, 1);
    assert_int_equal(plan->outputs[0], 3);
    assert_int_equal(plan->buffer_count, 1);
    assert_int_equal(plan->buffer_bytes[0], 48);
    const struct sl_pte_tensor *tensor = plan->values[1].tensor;
    assert_int_equal(plan->values[1].kind, SL_PTE_TENSOR);
    assert_int_equal(tensor->scalar_type, SL_SCALAR_FLOAT);
    assert_int_equal(tensor->rank, 2);
    assert_int_equal(tensor->sizes[1], 4);
    assert_int_equal(tensor->dim_order[1], 1);
    assert_true(tensor->planned);
    assert_int_equal(tensor->memory_id, 1);
    assert_int_equal(tensor->memory_offset, 16);
    assert_int_equal(plan->values[2].tensor->data_buffer_idx, 1);
    const struct sl_pte_chain *chain = &plan->chains[0];
    assert_int_equal(chain->count, 2);
    assert_int_equal(chain->instructions[0].kind, SL_PTE_DELEGATE_CALL);
    assert_int_equal(chain->instructions[1].kind, SL_PTE_KERNEL_CALL);
    assert_int_equal(chain->instructions[1].arg_count, 4);
    assert_int_equal(chain->instructions[1].args[3], 3);
    assert_string_equal(plan->operators[0].name, "aten::mul.out");
    assert_string_equal(plan->delegates[0].id, "XnnpackBackend");
    assert_int_equal(plan->delegates[0].blob_offset, 1280);
    assert_int_equal(plan->delegates[0].blob.size, 592);
    sl_pte_fini(&pte);
    release(file);
}

/* A bundle, or memory of others, may hold a program anywhere. */
TEST(sizes_at_an_odd_address_are_copied)
{
    struct sl_bytes file = sl_test_file("hand/add_mul.pte");
    uint8_t *moved = malloc(file.size + 1);
    memcpy(moved + 1, file.data, file.size);
    struct sl_pte pte;
    assert_int_equal(sl_pte_parse((struct sl_bytes){moved + 1, file.size}, &pte, NULL), 0);
    const struct sl_pte_tensor *tensor = sl_pte_find_plan(&pte, NULL)->values[1].tensor;
    assert_int_equal((uintptr_t)tensor->sizes % sizeof(int32_t), 0);
    assert_int_equal(tensor->sizes[0], 1);
    assert_int_equal(tensor->sizes[1], 4);
    sl_pte_fini(&pte);
    free(moved);
    release(file);
}

TEST(constants_and_named_data_are_found)
{
    struct sl_bytes file = sl_test_file("hand/add_mul.pte"), named;
    struct sl_pte pte;
    const uint8_t *data = NULL;
    assert_int_equal(sl_pte_parse(file, &pte, NULL), 0);
    assert_int_equal(sl_pte_constant(&pte, 1, 16, &data), 0);
    assert_true(sl_load_f32(data) == 0.5f);
    assert_int_equal(sl_pte_constant(&pte, 0, 16, &data), SL_E_FORMAT);
    assert_int_equal(sl_pte_constant(&pte, 2, 16, &data), SL_E_FORMAT);
    assert_int_equal(sl_pte_constant(&pte, 1, 17, &data), SL_E_FORMAT);
    assert_int_equal(pte.named_count, 1);
    assert_int_equal(sl_pte_find_named(&pte, pte.named[0].key, &named), 0);
    assert_int_equal(named.size, 16);
    assert_true(sl_load_f32(named.data + 12) == 4.0f);
    assert_int_equal(sl_pte_find_named(&pte, "none", &named), SL_E_NOT_FOUND);
    sl_pte_fini(&pte);
    release(file);
}

TEST(exported_programs_are_read)
{
    static const struct {
        const char *file;
        uint32_t values, instructions, operators, delegates, named;
    } cases[] = {
        {"models/toy_cnn_f32_xnnpack/model.pte", 6, 1, 0, 1, 10},
        {"models/toy_cnn_f32_portable/model.pte", 165, 17, 7, 0, 0},
        {"models/mobilenet_v2_f32_xnnpack/model.pte", 61, 3, 1, 2, 106},
        {"models/dynamic_shape_f32_xnnpack/model.pte", 21, 4, 2, 2, 8},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_bytes file = sl_test_file(cases[i].file);
        struct sl_pte pte;
        assert_int_equal(sl_pte_parse(file, &pte, NULL), 0);
        assert_int_equal(pte.plan_count, 1);
        assert_string_equal(pte.plans[0].name, "forward");
        assert_int_equal(pte.plans[0].value_count, cases[i].values);
        assert_int_equal(pte.plans[0].chains[0].count, cases[i].instructions);
        assert_int_equal(pte.plans[0].operator_count, cases[i].operators);
        assert_int_equal(pte.plans[0].delegate_count, cases[i].delegates);
        assert_int_equal(pte.named_count, cases[i].named);
        sl_pte_fini(&pte);
        release(file);
    }
}

TEST(file_cut_anywhere_is_truncated)
{
    struct sl_bytes file = sl_test_file("hand/add_mul.pte");
    struct sl_pte pte;
    struct sl_diag diag = {0};
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *copy = sl_test_copy(file.data, size);
        int rc = sl_pte_parse((struct sl_bytes){copy, size}, &pte, &diag);
        /* Cut inside the header's magic it looks like a file without header. */
        assert_int_equal(rc, size >= 8 && size < 12 ? SL_E_FORMAT : SL_E_TRUNCATED);
        assert_true(strncmp(diag.where, "byte ", 5) == 0 && diag.what[0] != '\0');
        free(copy);
    }
    release(file);
}

static void flip_bits(const char *name, size_t step)
{
    struct sl_bytes file = sl_test_file(name);
    uint8_t *copy = sl_test_copy(file.data, file.size);
    unsigned refused = 0;
    for (size_t bit = 0; bit < 8 * file.size; bit += step) {
        struct sl_pte pte;
        struct sl_diag diag = {0};
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int rc = sl_pte_parse((struct sl_bytes){copy, file.size}, &pte, &diag);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (rc == 0) {
            sl_pte_fini(&pte);
            continue;
        }
        refused++;
        assert_true(diag.what[0] != '\0' && strncmp(diag.where, "byte ", 5) == 0);
    }
    assert_in_range(refused, 100, 8 * file.size);
    free(copy);
    release(file);
}

TEST(each_bit_flip_gives_an_error_or_a_program)
{
    flip_bits("hand/add_mul.pte", 1);
    flip_bits("models/dynamic_shape_f32_xnnpack/model.pte", 7);
}

TEST(parse_survives_each_failed_allocation)
{
    struct sl_bytes file = sl_test_file("models/toy_cnn_f32_portable/model.pte");
    int rc = -ENOMEM;
    unsigned nth = 1;
    for (; rc == -ENOMEM; nth++) {
        struct sl_pte pte = {0};
        sl_mem_fail_nth(nth);
        rc = sl_pte_parse(file, &pte, NULL);
        sl_mem_fail_nth(0);
        if (rc == 0)
            sl_pte_fini(&pte);
    }
    assert_int_equal(rc, 0);
    assert_true(nth > 4);
    release(file);
}

/* Bytes of the hand-made program that are changed, and what must come of it. */
TEST(damage_is_named)
{
    static const struct {
        size_t at, len;
        const char *bytes;
        int code;
        const char *words;
    } cases[] = {
        {4, 4, "ET11", SL_E_UNSUPPORTED, "version 11"},
        {4, 4, "BP08", SL_E_UNSUPPORTED, "bundled"},
        {4, 4, "PK\3\4", SL_E_FORMAT, "not an ExecuTorch program"},
        {12, 4, "\4\0\0\0", SL_E_FORMAT, "too short"},
        {12, 4, "\0\0\1\0", SL_E_TRUNCATED, "ends in its header"},
        {16, 4, "\0\0\1\0", SL_E_TRUNCATED, "the file only 1936"},
        {32, 4, "\0\0\1\0", SL_E_TRUNCATED, "segments reach past"},
        {8, 4, "none", SL_E_FORMAT, "no header"},
        {0x1b0, 4, "\xff\xff\xff\xff", SL_E_FORMAT, ""},
    };
    struct sl_bytes file = sl_test_file("hand/add_mul.pte");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_pte pte;
        struct sl_diag diag = {0};
        uint8_t *copy = sl_test_copy(file.data, file.size);
        memcpy(copy + cases[i].at, cases[i].bytes, cases[i].len);
        int rc = sl_pte_parse((struct sl_bytes){copy, file.size}, &pte, &diag);
        assert_int_equal(rc, cases[i].code);
        if (!strstr(diag.what, cases[i].words))
            assert_string_equal(diag.what, cases[i].words);
        free(copy);
    }
    release(file);
}

/* A program of all kinds of values and instructions, and single faults in it. */
enum fault {
    NO_FAULT,
    BAD_DIM_ORDER,
    RANKS_DIFFER,
    NEGATIVE_SIZE,
    HUGE_TENSOR,
    LARGE_EXTERNAL,
    UNKNOWN_TYPE,
    UNKNOWN_DYNAMISM,
    STORAGE_OFFSET,
    OUTSIDE_BUFFER,
    NO_SUCH_BUFFER,
    UNNAMED_EXTERNAL,
    NO_SUCH_CONSTANT,
    LIST_OF_WRONG_KIND,
    LIST_PAST_END,
    UNKNOWN_KIND,
    VALUE_WITHOUT_CONTENT,
    TEXT_WITHOUT_TEXT,
    NO_SUCH_INPUT,
    NO_SUCH_OPERATOR,
    NO_SUCH_DELEGATE,
    NO_SUCH_DESTINATION,
    UNKNOWN_INSTRUCTION,
    LONG_OPERATOR,
    NO_DELEGATE_DATA,
    NO_CHAINS,
    FAULT_COUNT
};

struct maker {
    struct sl_flatbuild build;
    enum fault fault;
};

/* A vector of `count` little-endian numbers of `size` bytes. */
static uint32_t numbers(struct maker *m, const void *items, uint32_t count, uint32_t size)
{
    uint32_t ref = sl_flatbuild_bytes(&m->build, items, (size_t)count * size);
    sl_store_u32(m->build.data + m->build.capacity - m->build.size, count);
    return ref;
}

/* A table of one reference (slot 0), or with none. */
static uint32_t holder(struct maker *m, uint32_t ref)
{
    struct sl_flatbuild_table table;
    sl_flatbuild_begin_table(&table);
    if (ref)
        sl_flatbuild_add_ref(&table, 0, ref);
    return sl_flatbuild_end_table(&m->build, &table);
}

/* A table of two numbers, as small instructions and scalars are. */
static uint32_t pair(struct maker *m, int32_t first, int32_t second)
{
    struct sl_flatbuild_table table;
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_i32(&table, 0, first, 0);
    sl_flatbuild_add_i32(&table, 1, second, 0);
    return sl_flatbuild_end_table(&m->build, &table);
}

/* A union's holder: EValue or Instruction. */
static uint32_t variant(struct maker *m, int32_t kind, uint32_t content)
{
    struct sl_flatbuild_table table;
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_i32(&table, 0, kind, 0);
    if (content)
        sl_flatbuild_add_ref(&table, 1, content);
    return sl_flatbuild_end_table(&m->build, &table);
}

static uint32_t make_extra(struct maker *m)
{
    struct sl_flatbuild_table extra;
    uint32_t name = sl_flatbuild_string(&m->build, "weight", 6);
    sl_flatbuild_begin_table(&extra);
    if (m->fault != UNNAMED_EXTERNAL)
        sl_flatbuild_add_ref(&extra, 1, name);
    sl_flatbuild_add_i32(&extra, 2, 1, 0);
    return sl_flatbuild_end_table(&m->build, &extra);
}

/* f32[2,3,4,5], channels last; planned at byte 32 of buffer 1, or external. */
static uint32_t make_tensor(struct maker *m, bool external)
{
    int32_t sizes[] = {2, 3, 4, m->fault == NEGATIVE_SIZE ? -5 : 5};
    uint8_t order[] = {0, 2, 3, m->fault == BAD_DIM_ORDER ? 3 : 1};
    struct sl_flatbuild_table place, tensor;
    if (m->fault == HUGE_TENSOR)
        sizes[0] = sizes[1] = sizes[2] = sizes[3] = INT32_MAX;
    if (m->fault == LARGE_EXTERNAL && external) /* fits 64 bits, but no memory */
        sizes[0] = sizes[1] = sizes[2] = 65537;
    uint32_t sizes_ref = numbers(m, sizes, m->fault == RANKS_DIFFER ? 3 : 4, 4);
    uint32_t order_ref = numbers(m, order, 4, 1);
    sl_flatbuild_begin_table(&place);
    sl_flatbuild_add_i32(&place, 0, m->fault == NO_SUCH_BUFFER ? 3 : 1, 0);
    sl_flatbuild_add_i32(&place, 1, m->fault == OUTSIDE_BUFFER ? 48 : 32, 0);
    uint32_t place_ref = sl_flatbuild_end_table(&m->build, &place);
    uint32_t extra_ref = make_extra(m);
    sl_flatbuild_begin_table(&tensor);
    sl_flatbuild_add_i32(&tensor, 0, m->fault == UNKNOWN_TYPE ? 99 : SL_SCALAR_FLOAT, 0);
    sl_flatbuild_add_i32(&tensor, 1, m->fault == STORAGE_OFFSET, 0);
    sl_flatbuild_add_ref(&tensor, 2, sizes_ref);
    sl_flatbuild_add_ref(&tensor, 3, order_ref);
    sl_flatbuild_add_i32(&tensor, 5, m->fault == NO_SUCH_CONSTANT ? 9 : 0, 0);
    if (!external)
        sl_flatbuild_add_ref(&tensor, 6, place_ref);
    sl_flatbuild_add_i32(&tensor, 8, m->fault == UNKNOWN_DYNAMISM ? 3 : 1, 0);
    if (external)
        sl_flatbuild_add_ref(&tensor, 9, extra_ref);
    return sl_flatbuild_end_table(&m->build, &tensor);
}

static uint32_t make_values(struct maker *m, uint32_t *refs)
{
    static const double doubles[] = {0.5, -2};
    static const uint8_t bools[] = {1, 0, 7};
    int64_t ints[] = {1, m->fault == LIST_OF_WRONG_KIND ? 0 : 1};
    int32_t tensors[] = {4, m->fault == LIST_PAST_END ? 99 : 11}, optional[] = {4, -1, 0};
    struct sl_flatbuild_table wide;
    uint32_t n = 0;
    refs[n++] = variant(m, SL_PTE_NULL, 0);
    sl_flatbuild_begin_table(&wide);
    sl_flatbuild_add_u64(&wide, 0, (uint64_t)-7, 0);
    refs[n++] = variant(m, SL_PTE_INT, sl_flatbuild_end_table(&m->build, &wide));
    refs[n++] = variant(m, SL_PTE_BOOL, m->fault == VALUE_WITHOUT_CONTENT ? 0 : pair(m, 1, 0));
    sl_flatbuild_begin_table(&wide);
    sl_flatbuild_add_u64(&wide, 0, 0x4004000000000000u, 0); /* 2.5 */
    refs[n++] = variant(m, SL_PTE_DOUBLE, sl_flatbuild_end_table(&m->build, &wide));
    refs[n++] = variant(m, SL_PTE_TENSOR, make_tensor(m, false));
    uint32_t text = m->fault == TEXT_WITHOUT_TEXT ? 0 : sl_flatbuild_string(&m->build, "none", 4);
    refs[n++] = variant(m, m->fault == UNKNOWN_KIND ? 12 : SL_PTE_STRING, holder(m, text));
    refs[n++] = variant(m, SL_PTE_INT_LIST, holder(m, numbers(m, ints, 2, 8)));
    refs[n++] = variant(m, SL_PTE_DOUBLE_LIST, holder(m, numbers(m, doubles, 2, 8)));
    refs[n++] = variant(m, SL_PTE_BOOL_LIST, holder(m, numbers(m, bools, 3, 1)));
    refs[n++] = variant(m, SL_PTE_TENSOR_LIST, holder(m, numbers(m, tensors, 2, 4)));
    refs[n++] = variant(m, SL_PTE_OPTIONAL_TENSOR_LIST, holder(m, numbers(m, optional, 3, 4)));
    refs[n++] = variant(m, SL_PTE_TENSOR, make_tensor(m, true));
    return n;
}

static uint32_t make_call(struct maker *m, int32_t index, const int32_t *args, uint32_t count)
{
    struct sl_flatbuild_table table;
    uint32_t list = numbers(m, args, count, 4);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_i32(&table, 0, index, 0);
    sl_flatbuild_add_ref(&table, 1, list);
    return sl_flatbuild_end_table(&m->build, &table);
}

static uint32_t make_chain(struct maker *m)
{
    static const int32_t args[] = {4, 11, 4};
    struct sl_flatbuild_table chain;
    uint32_t refs[5];
    refs[0] = variant(m, SL_PTE_KERNEL_CALL, make_call(m, m->fault == NO_SUCH_OPERATOR, args, 3));
    refs[1] = variant(m, SL_PTE_DELEGATE_CALL, make_call(m, m->fault == NO_SUCH_DELEGATE, args, 2));
    refs[2] = variant(m, m->fault == UNKNOWN_INSTRUCTION ? 6 : SL_PTE_MOVE_CALL, pair(m, 4, 11));
    refs[3] =
        variant(m, SL_PTE_JUMP_FALSE_CALL, pair(m, 2, m->fault == NO_SUCH_DESTINATION ? 6 : 5));
    refs[4] = variant(m, SL_PTE_FREE_CALL, pair(m, 11, 0));
    uint32_t list = sl_flatbuild_refs(&m->build, refs, 5);
    sl_flatbuild_begin_table(&chain);
    sl_flatbuild_add_ref(&chain, 2, list);
    return sl_flatbuild_end_table(&m->build, &chain);
}

static uint32_t make_operators(struct maker *m)
{
    struct sl_flatbuild_table table;
    char name[100];
    memset(name, 'x', sizeof(name));
    uint32_t text = m->fault == LONG_OPERATOR ? sl_flatbuild_string(&m->build, name, 96)
                                              : sl_flatbuild_string(&m->build, "aten::add", 9);
    uint32_t overload = sl_flatbuild_string(&m->build, "out", 3);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_ref(&table, 0, text);
    sl_flatbuild_add_ref(&table, 1, overload);
    uint32_t ref = sl_flatbuild_end_table(&m->build, &table);
    return sl_flatbuild_refs(&m->build, &ref, 1);
}

/* One delegate whose data lies in the program, with one compile spec. */
static uint32_t make_delegates(struct maker *m)
{
    struct sl_flatbuild_table table;
    uint32_t id = sl_flatbuild_string(&m->build, "Backend", 7);
    uint32_t key = sl_flatbuild_string(&m->build, "level", 5);
    uint32_t value = sl_flatbuild_bytes(&m->build, "\3", 1);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_ref(&table, 0, key);
    sl_flatbuild_add_ref(&table, 1, value);
    uint32_t spec = sl_flatbuild_end_table(&m->build, &table);
    uint32_t specs = sl_flatbuild_refs(&m->build, &spec, 1);
    uint32_t processed = pair(m, 0, m->fault == NO_DELEGATE_DATA);
    sl_flatbuild_begin_table(&table);
    sl_flatbuild_add_ref(&table, 0, id);
    sl_flatbuild_add_ref(&table, 1, processed);
    sl_flatbuild_add_ref(&table, 2, specs);
    uint32_t ref = sl_flatbuild_end_table(&m->build, &table);
    return sl_flatbuild_refs(&m->build, &ref, 1);
}

static uint32_t make_plan(struct maker *m)
{
    int32_t inputs[] = {m->fault == NO_SUCH_INPUT ? -1 : 4};
    static const int64_t buffers[] = {0, 512};
    struct sl_flatbuild_table plan;
    uint32_t values[16];
    uint32_t value_list = make_values(m, values);
    value_list = sl_flatbuild_refs(&m->build, values, value_list);
    uint32_t name = sl_flatbuild_string(&m->build, "forward", 7);
    uint32_t io = numbers(m, inputs, 1, 4);
    uint32_t chain = make_chain(m);
    uint32_t chains = sl_flatbuild_refs(&m->build, &chain, m->fault == NO_CHAINS ? 0 : 1);
    uint32_t operators = make_operators(m), delegates = make_delegates(m);
    uint32_t sizes = numbers(m, buffers, 2, 8);
    sl_flatbuild_begin_table(&plan);
    sl_flatbuild_add_ref(&plan, 0, name);
    sl_flatbuild_add_ref(&plan, 2, value_list);
    sl_flatbuild_add_ref(&plan, 3, io);
    sl_flatbuild_add_ref(&plan, 4, io);
    sl_flatbuild_add_ref(&plan, 5, chains);
    sl_flatbuild_add_ref(&plan, 6, operators);
    sl_flatbuild_add_ref(&plan, 7, delegates);
    sl_flatbuild_add_ref(&plan, 8, sizes);
    return sl_flatbuild_end_table(&m->build, &plan);
}

/* The file without the size in front of it, which an ETDump would have. */
static void make_program(enum fault fault, struct sl_buf *out)
{
    struct maker m = {.fault = fault};
    struct sl_flatbuild_table program;
    sl_flatbuild_init(&m.build);
    sl_buf_init(out, 1 << 16);
    uint32_t plan = make_plan(&m);
    uint32_t plans = sl_flatbuild_refs(&m.build, &plan, 1);
    uint32_t blob = holder(&m, sl_flatbuild_bytes(&m.build, "blob", 4));
    uint32_t blobs = sl_flatbuild_refs(&m.build, &blob, 1);
    sl_flatbuild_begin_table(&program);
    sl_flatbuild_add_ref(&program, 1, plans);
    sl_flatbuild_add_ref(&program, 3, blobs);
    uint32_t root = sl_flatbuild_end_table(&m.build, &program);
    assert_int_equal(sl_flatbuild_finish(&m.build, root, "ET12", out), 0);
    sl_flatbuild_fini(&m.build);
}

static int parse_made(enum fault fault, struct sl_pte *out, struct sl_buf *file,
                      struct sl_diag *diag)
{
    make_program(fault, file);
    return sl_pte_parse((struct sl_bytes){file->data + 4, file->size - 4}, out, diag);
}

TEST(every_kind_of_value_is_read)
{
    struct sl_pte pte;
    struct sl_buf file;
    assert_int_equal(parse_made(NO_FAULT, &pte, &file, NULL), 0);
    const struct sl_pte_value *values = pte.plans[0].values;
    assert_int_equal(pte.plans[0].value_count, 12);
    assert_int_equal(values[0].kind, SL_PTE_NULL);
    assert_int_equal(values[1].int_value, -7);
    assert_true(values[2].bool_value);
    assert_true(values[3].double_value == 2.5);
    assert_int_equal(values[4].tensor->dynamism, SL_PTE_DYNAMIC_BOUND);
    assert_int_equal(values[4].tensor->dim_order[3], 1);
    assert_string_equal(values[5].string_value, "none");
    assert_int_equal(values[6].list.ints[1], 1);
    assert_true(values[7].list.doubles[1] == -2);
    assert_int_equal(values[8].list.count, 3);
    assert_int_equal(values[8].list.bools[2], 1);
    assert_int_equal(values[9].list.ints[1], 11);
    assert_int_equal(values[10].list.ints[1], -1);
    assert_true(values[11].tensor->external);
    assert_false(values[11].tensor->planned);
    assert_string_equal(values[11].tensor->name, "weight");
    sl_pte_fini(&pte);
    sl_buf_fini(&file);
}

TEST(every_kind_of_instruction_is_read)
{
    struct sl_pte pte;
    struct sl_buf file;
    assert_int_equal(parse_made(NO_FAULT, &pte, &file, NULL), 0);
    const struct sl_pte_plan *plan = &pte.plans[0];
    const struct sl_pte_instruction *code = plan->chains[0].instructions;
    assert_int_equal(plan->chains[0].count, 5);
    assert_string_equal(plan->operators[0].name, "aten::add.out");
    assert_int_equal(code[0].args[1], 11);
    assert_int_equal(code[1].kind, SL_PTE_DELEGATE_CALL);
    assert_int_equal(code[2].from, 4);
    assert_int_equal(code[2].to, 11);
    assert_int_equal(code[3].from, 2);
    assert_int_equal(code[3].to, 5);
    assert_int_equal(code[4].index, 11);
    assert_int_equal(plan->delegates[0].blob.size, 4);
    assert_memory_equal(plan->delegates[0].blob.data, "blob", 4);
    assert_memory_equal(file.data + 4 + plan->delegates[0].blob_offset, "blob", 4);
    assert_string_equal(plan->delegates[0].specs[0].key, "level");
    assert_int_equal(plan->delegates[0].specs[0].value.data[0], 3);
    sl_pte_fini(&pte);
    sl_buf_fini(&file);
}

TEST(each_fault_in_a_program_is_refused)
{
    for (int fault = NO_FAULT + 1; fault < FAULT_COUNT; fault++) {
        struct sl_pte pte;
        struct sl_buf file;
        struct sl_diag diag = {0};
        int rc = parse_made((enum fault)fault, &pte, &file, &diag);
        if (rc != (fault == STORAGE_OFFSET ? SL_E_UNSUPPORTED : SL_E_FORMAT))
            fail_msg("fault %d gives %d", fault, rc);
        assert_true(diag.what[0] != '\0' && strncmp(diag.where, "byte ", 5) == 0);
        sl_buf_fini(&file);
    }
}
