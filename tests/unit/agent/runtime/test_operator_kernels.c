/* tests/unit/agent/runtime/test_operator_kernels.c: which kernel serves each operator that computes
 * element by element, reduces or copies, by type: the list agent/runtime/ops/kernels.tsv. With
 * SME2LAB_UPDATE set the list is written in place of being compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/runtime/variant.h"
#include "common/base/buf.h"
#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

#define LIST SL_TEST_DATA "/../../agent/runtime/ops/kernels.tsv"

static const char rests[] = "the exact rest takes as many steps as exponents differ";
static const char library[] = "the C library's function of two numbers";
static const char chain[] = "each result waits for the one before it";
static const char places[] = "the first place is looked for, parts of 64 at once";
static const char strides[] = "elements lie more than four apart";
static const char sorts[] = "sorts";

/* How an operator is called, a word an argument: a letter is a tensor of `shapes`, n nothing, t and
 * f truths, L a list of x and x, M one of two h; '@'
 * begins a list of numbers, a quote a word. */
struct row {
    const char *name, *arguments;
    const char *why; /* it is scalar; NULL: it is not */
};

static const struct row rows[] = {
    {"aten::relu.out", "x y", NULL},
    {"aten::hardtanh.out", "x -1 1 y", NULL},
    {"aten::clamp.out", "x -1 1 y", NULL},
    {"aten::add.out", "x x 1 y", NULL},
    {"aten::sub.out", "x x 1 y", NULL},
    {"aten::mul.out", "x x y", NULL},
    {"aten::div.out", "x x y", NULL},
    {"aten::maximum.out", "x x y", NULL},
    {"aten::minimum.out", "x x y", NULL},
    {"aten::add.Scalar_out", "x 2 1 y", NULL},
    {"aten::sub.Scalar_out", "x 2 1 y", NULL},
    {"aten::mul.Scalar_out", "x 2 y", NULL},
    {"aten::div.Scalar_out", "x 2 y", NULL},
    {"aten::isnan.out", "x P", NULL},
    {"aten::isinf.out", "x P", NULL},
    {"aten::logical_not.out", "x P", NULL},
    {"aten::logical_and.out", "x x P", NULL},
    {"aten::logical_or.out", "x x P", NULL},
    {"aten::logical_xor.out", "x x P", NULL},
    {"aten::eq.Tensor_out", "x x P", NULL},
    {"aten::ne.Tensor_out", "x x P", NULL},
    {"aten::lt.Tensor_out", "x x P", NULL},
    {"aten::le.Tensor_out", "x x P", NULL},
    {"aten::gt.Tensor_out", "x x P", NULL},
    {"aten::ge.Tensor_out", "x x P", NULL},
    {"aten::eq.Scalar_out", "x 1 P", NULL},
    {"aten::ne.Scalar_out", "x 1 P", NULL},
    {"aten::lt.Scalar_out", "x 1 P", NULL},
    {"aten::le.Scalar_out", "x 1 P", NULL},
    {"aten::gt.Scalar_out", "x 1 P", NULL},
    {"aten::ge.Scalar_out", "x 1 P", NULL},
    {"aten::where.self_out", "p x x y", NULL},
    {"aten::masked_fill.Scalar_out", "x p 1 y", NULL},
    {"aten::remainder.Tensor_out", "x x y", rests},
    {"aten::remainder.Scalar_out", "x 2 y", rests},
    {"aten::fmod.Tensor_out", "x x y", rests},
    {"aten::fmod.Scalar_out", "x 2 y", rests},
    {"aten::div.out_mode", "x x 'floor y", rests},
    {"aten::div.Scalar_mode_out", "x 2 'floor y", rests},
    {"aten::clamp.Tensor_out", "x x x y", NULL},
    {"aten::pow.Tensor_Scalar_out", "x 2 y", NULL},
    {"aten::pow.Tensor_Scalar_out", "x 7 y", NULL},
    {"aten::pow.Tensor_Scalar_out", "x -3 y", NULL},
    {"aten::pow.Tensor_Scalar_out", "x 17 y", library},
    {"aten::pow.Tensor_Tensor_out", "x x y", library},
    {"aten::pow.Scalar_out", "2 x y", library},
    {"aten::atan2.out", "x x y", library},
    {"aten::leaky_relu.out", "x 2 y", NULL},
    {"aten::elu.out", "x 1 1 1 y", NULL},
    {"aten::gelu.out", "x 'none y", NULL},
    {"aten::gelu.out", "x 'tanh y", NULL},
    {"aten::mean.out", "x @-1 t n k", NULL},
    {"aten::mean.dtype_out", "x n s", NULL},
    {"aten::sum.IntList_out", "x @-1 t n k", NULL},
    {"aten::amax.out", "x @-1 t k", NULL},
    {"aten::amin.out", "x @-1 t k", NULL},
    {"aten::max.unary_out", "x s", NULL},
    {"aten::min.unary_out", "x s", NULL},
    {"aten::_softmax.out", "x -1 f y", NULL},
    {"aten::_log_softmax.out", "x -1 f y", NULL},
    {"aten::native_layer_norm.out", "x @40 n n 1 y k k", NULL},
    {"aten::any.out", "x -1 t Q", NULL},
    {"aten::any.dims_out", "x @0,1 t R", NULL},
    {"aten::any.all_out", "x S", NULL},
    {"aten::all.out", "x -1 t Q", NULL},
    {"aten::all.dims_out", "x @0,2 t V", NULL},
    {"aten::all.all_out", "x S", NULL},
    {"aten::prod.int_out", "x -1 t n k", chain},
    {"aten::prod.out", "x n s", chain},
    {"aten::max.dim_max", "x -1 t k J", places},
    {"aten::min.dim_min", "x -1 t k J", places},
    {"aten::argmax.out", "x -1 t J", places},
    {"aten::argmin.out", "x -1 t J", places},
    {"aten::var.correction_out", "x @-1 1 t k", NULL},
    {"aten::var.out", "x @-1 t t k", NULL},
    {"aten::cumsum.out", "x -1 n y", chain},
    {"aten::topk.values", "x 1 -1 t t k J", sorts},
    {"aten::permute_copy.out", "x @0,2,1 z", NULL},
    {"aten::transpose_copy.int_out", "x 1 2 z", NULL},
    {"aten::view_copy.out", "x @24,40 v", NULL},
    {"aten::select_copy.int_out", "x 0 1 m", NULL},
    {"aten::slice_copy.Tensor_out", "x 0 0 2 1 h", NULL},
    {"aten::slice_copy.Tensor_out", "x 2 0 40 2 e", NULL},
    {"aten::slice_copy.Tensor_out", "x 2 0 40 8 g", strides},
    {"aten::expand_copy.out", "k @4,6,40 f y", NULL},
    {"aten::flip.out", "x @-1 y", NULL},
    {"aten::repeat.out", "x @2,1,1 c", NULL},
    {"aten::clone.out", "x n y", NULL},
    {"aten::_to_copy.out", "x f n Y", NULL},
    {"dim_order_ops::_to_dim_order_copy.out", "x f n Y", NULL},
    {"aten::copy.out", "x x f y", NULL},
    {"aten::cat.out", "L 0 c", NULL},
    {"aten::stack.out", "L 0 b", NULL},
    {"aten::split_with_sizes_copy.out", "x @2,2 0 M", NULL},
    {"aten::split_copy.Tensor_out", "x 2 0 M", NULL},
    {"aten::constant_pad_nd.out", "x @1,1 0 w", NULL},
};

/* Tensors: x and y as they are called with, k a number for each line, s one in all; h half of x, e
 * every other element, g every eighth, m one of its matrices, z its matrices transposed, v its
 * lines, c two of it joined, b stacked, w with padded lines; Y as x of another width, p and P of
 * Bools, J of places.
 */
static const struct {
    char letter;
    uint32_t rank;
    int32_t sizes[4];
} shapes[] = {
    {'x', 3, {4, 6, 40}}, {'y', 3, {4, 6, 40}}, {'k', 3, {4, 6, 1}},  {'s', 0, {0}},
    {'h', 3, {2, 6, 40}}, {'g', 3, {4, 6, 5}},  {'e', 3, {4, 6, 20}}, {'m', 2, {6, 40}},
    {'z', 3, {4, 40, 6}}, {'v', 2, {24, 40}},   {'c', 3, {8, 6, 40}}, {'b', 4, {2, 4, 6, 40}},
    {'w', 3, {4, 6, 42}}, {'Q', 3, {4, 6, 1}},  {'R', 3, {1, 1, 40}}, {'S', 0, {0}},
    {'V', 3, {1, 6, 1}},  {'Y', 3, {4, 6, 40}}, {'p', 3, {4, 6, 40}}, {'P', 3, {4, 6, 40}},
    {'J', 3, {4, 6, 1}},
};

static uint32_t add_tensor(char letter, int type)
{
    if (letter == 'Y')
        type = type == SL_SCALAR_FLOAT ? SL_SCALAR_HALF : SL_SCALAR_FLOAT;
    type = strchr("pPQRSV", letter) ? SL_SCALAR_BOOL : letter == 'J' ? SL_SCALAR_LONG : type;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (shapes[i].letter == letter)
            return sl_program_add_typed(type, shapes[i].rank, shapes[i].sizes, true);
    fail_msg("no tensor is called %c", letter);
    return 0;
}

static uint32_t add_list_of_tensors(char letter, int type)
{
    int64_t items[2] = {add_tensor(letter, type), add_tensor(letter, type)};
    uint32_t at = sl_program_add_null();
    memcpy(sl_program.lists[at], items, sizeof(items));
    sl_program.values[at].kind = SL_PTE_TENSOR_LIST;
    sl_program.values[at].list.count = 2;
    sl_program.values[at].list.ints = sl_program.lists[at];
    return at;
}

static uint32_t add_numbers(char *word)
{
    int32_t numbers[8];
    uint32_t count = 0;
    for (char *at = word; *at != 0 && count < 8; at += *at == ',')
        numbers[count++] = (int32_t)strtol(at, &at, 10);
    return sl_program_add_list(count, numbers);
}

static uint32_t add_argument(char *word, int type)
{
    switch (word[0]) {
    case '@':
        return add_numbers(word + 1);
    case '\'':
        return sl_program_add_string(word + 1);
    case 'n':
        return sl_program_add_null();
    case 't':
    case 'f':
        return sl_program_add_bool(word[0] == 't');
    case 'L':
        return add_list_of_tensors('x', type);
    case 'M':
        return add_list_of_tensors('h', type);
    default:
        return word[0] == '-' || (word[0] >= '0' && word[0] <= '9')
                   ? sl_program_add_int(strtol(word, NULL, 10))
                   : add_tensor(word[0], type);
    }
}

/* The kernel that the trace names where the call is made so. */
static const char *kernel_of(const struct row *row, int type, uint32_t isa)
{
    char words[64], *rest = words;
    uint32_t args[SL_PROGRAM_ARGS], count = 0;
    snprintf(words, sizeof(words), "%s", row->arguments);
    sl_program_begin();
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
        args[count++] = add_argument(word, type);
    sl_program_add_call(row->name, count, args);
    if (sl_program_load(isa) != 0 || sl_program_execute() != 0)
        fail_msg("%s %s: %s\n%s", row->name, row->arguments, sl_program.diag.what, sl_program.log);
    const struct sl_op_call *call = sl_program.variant->calls;
    const char *kernel = call->steps[call->main_step].kernel;
    sl_program_end();
    return kernel;
}

static void write_row(struct sl_buf *out, const struct row *row)
{
    static const struct {
        int type;
        const char *name;
    } types[] = {{SL_SCALAR_FLOAT, "f32"}, {SL_SCALAR_HALF, "f16"}, {SL_SCALAR_BFLOAT16, "bf16"}};
    for (size_t i = 0; i < 3; i++) {
        uint32_t isa = sl_isa_detect();
        const char *sme2 = kernel_of(row, types[i].type, isa);
        const char *neon = kernel_of(row, types[i].type, isa & ~(uint32_t)SL_ISA_SME2);
        bool scalar = strstr(sme2, "_scalar") || strstr(neon, "_scalar");
        if (scalar != (row->why != NULL))
            fail_msg("%s %s of %s runs %s, %s: %s", row->name, row->arguments, types[i].name, sme2,
                     neon, scalar ? "say why" : "no reason is needed");
        char line[400];
        snprintf(line, sizeof(line), "%s\t%s\t%s\t%s\t%s\t%s\n", row->name, row->arguments,
                 types[i].name, sme2, neon, row->why ? row->why : "");
        assert_int_equal(sl_buf_append(out, line, strlen(line)), 0);
    }
}

static bool has_row(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

/* Operators of integers alone, and those that are another's twins. */
static bool is_left_out(const char *name)
{
    static const char *const left_out[] = {
        "aten::bitwise_",           "aten::t_copy.",
        "aten::squeeze_copy",       "aten::unsqueeze_copy",
        "aten::detach_copy",        "aten::alias_copy",
        "aten::lift_fresh_copy",    "aten::as_strided_copy",
        "aten::unbind_copy",        "aten::copy_",
        "executorch_prim::",        "dim_order_ops::_clone",
        "aten::_native_batch_norm",
    };
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
        if (strncmp(name, left_out[i], strlen(left_out[i])) == 0)
            return true;
    return false;
}

/* Functions of one argument are called alike. */
static const char *twin_of(const struct sl_op *op)
{
    bool one = strcmp(op->signature, "aO") == 0 || strcmp(op->signature, "rO") == 0;
    return one && !has_row(op->name) ? "x y" : NULL;
}

static const struct sl_op *const families[] = {sl_ops_elementwise, sl_ops_map,  sl_ops_reduce,
                                               sl_ops_fold,        sl_ops_scan, sl_ops_copy,
                                               sl_ops_move,        sl_ops_join};

static void write_list(struct sl_buf *out)
{
    static const char head[] = "operator\targuments\ttype\tSME2\tNEON\twhy scalar\n";
    assert_int_equal(sl_buf_append(out, head, strlen(head)), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        write_row(out, &rows[i]);
    for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
        for (const struct sl_op *op = families[f]; op->name; op++) {
            const struct row twin = {op->name, twin_of(op), NULL};
            if (is_left_out(op->name))
                continue;
            if (twin.arguments)
                write_row(out, &twin);
            else if (!has_row(op->name))
                fail_msg("%s has no row", op->name);
        }
}

TEST(every_operator_runs_the_kernel_that_the_list_names)
{
    struct sl_buf list;
    sl_buf_init(&list, 1 << 20);
    if ((sl_isa_detect() & SL_ISA_SME2) == 0)
        skip(); /* its own kernels are not all there */
    write_list(&list);
    FILE *file = fopen(LIST, getenv("SME2LAB_UPDATE") ? "w" : "r");
    assert_non_null(file);
    if (getenv("SME2LAB_UPDATE")) {
        assert_int_equal(fwrite(list.data, 1, list.size, file), list.size);
    } else {
        char *kept = calloc(list.size + 2, 1);
        size_t bytes = fread(kept, 1, list.size + 1, file);
        if (bytes != list.size || memcmp(kept, list.data, bytes) != 0)
            fail_msg(LIST " is not what runs: write it by SME2LAB_UPDATE=1 and this test");
        free(kept);
    }
    assert_int_equal(fclose(file), 0);
    sl_buf_fini(&list);
}
