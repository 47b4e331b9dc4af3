/* tests/unit/kernels/cpu/test_sme2_abi.c: what a caller of an SME2 kernel may rely on: d8-d15 and
 * its own ZA survive, and streaming mode is off afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/binary/binary.h"
#include "kernels/conv/conv.h"
#include "kernels/cpu/isa.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/layout/layout.h"
#include "kernels/matmul/matmul.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"
#include "tests/support/kernel_case.h"

enum { SVCR_SM = 1, SVCR_ZA = 2 };

/* What abi_call() sets before a call and finds after it; offsets are known to the assembly. */
struct frame {
    double d[8];          /* 0: d8-d15, in and out */
    const uint8_t *za_in; /* 64: [SVL][SVL], what ZA holds before */
    uint8_t *za_out;      /* 72: what it holds after, when it is still on */
    struct {              /* 80: the ABI's save block of a dormant ZA */
        uint8_t *buffer;  /* [SVL][SVL] */
        uint16_t slices;  /* SVL in bytes */
        uint8_t reserved[6];
    } save;
    uint64_t svcr, tpidr2; /* 96, 104: after the call */
};
_Static_assert(offsetof(struct frame, save) == 80 && offsetof(struct frame, svcr) == 96, "layout");

typedef void (*thunk_fn)(const void *context);

#if defined(__aarch64__)
/* Calls fn(context) with ZA dormant: alive, to be saved by whoever needs it. */
void abi_call(thunk_fn fn, const void *context, struct frame *frame);

__asm__(".arch armv8-a+sme2\n"
        ".text\n"
        ".globl abi_call\n"
        ".type abi_call, %function\n"
        "abi_call:\n"
        "  stp x29, x30, [sp, #-96]!\n"
        "  stp x19, x20, [sp, #16]\n"
        "  stp d8, d9, [sp, #32]\n"
        "  stp d10, d11, [sp, #48]\n"
        "  stp d12, d13, [sp, #64]\n"
        "  stp d14, d15, [sp, #80]\n"
        "  mov x19, x2\n"
        "  smstart za\n"
        "  rdsvl x20, #1\n"
        "  ldr x9, [x19, #64]\n"
        "  mov w12, wzr\n"
        "1: ldr za[w12, 0], [x9]\n"
        "  add x9, x9, x20\n"
        "  add w12, w12, #1\n"
        "  cmp w12, w20\n"
        "  b.lo 1b\n"
        "  add x9, x19, #80\n"
        "  msr TPIDR2_EL0, x9\n"
        "  ldp d8, d9, [x19]\n"
        "  ldp d10, d11, [x19, #16]\n"
        "  ldp d12, d13, [x19, #32]\n"
        "  ldp d14, d15, [x19, #48]\n"
        "  mov x9, x0\n"
        "  mov x0, x1\n"
        "  blr x9\n"
        "  mrs x9, SVCR\n"
        "  mrs x10, TPIDR2_EL0\n"
        "  smstop sm\n"
        "  stp x9, x10, [x19, #96]\n"
        "  stp d8, d9, [x19]\n"
        "  stp d10, d11, [x19, #16]\n"
        "  stp d12, d13, [x19, #32]\n"
        "  stp d14, d15, [x19, #48]\n"
        "  tbz x9, #1, 3f\n"
        "  ldr x9, [x19, #72]\n"
        "  mov w12, wzr\n"
        "2: str za[w12, 0], [x9]\n"
        "  add x9, x9, x20\n"
        "  add w12, w12, #1\n"
        "  cmp w12, w20\n"
        "  b.lo 2b\n"
        "3: msr TPIDR2_EL0, xzr\n"
        "  smstop za\n"
        "  ldp x19, x20, [sp, #16]\n"
        "  ldp d8, d9, [sp, #32]\n"
        "  ldp d10, d11, [sp, #48]\n"
        "  ldp d12, d13, [sp, #64]\n"
        "  ldp d14, d15, [sp, #80]\n"
        "  ldp x29, x30, [sp], #96\n"
        "  ret\n"
        ".size abi_call, . - abi_call\n");
#else
/* Elsewhere no list has a kernel that needs SME2. */
static void abi_call(thunk_fn fn, const void *context, struct frame *frame)
{
    (void)frame;
    fn(context);
}
#endif

static void survives(const char *name, thunk_fn thunk, const void *context)
{
    size_t svl = sl_isa_svl_bytes(), bytes = svl * svl;
    uint8_t *za = malloc(bytes), *after = calloc(1, bytes), *saved = calloc(1, bytes);
    for (size_t i = 0; i < bytes; i++)
        za[i] = (uint8_t)(i * 7 + i / svl);
    struct frame frame = {.za_in = za, .za_out = after, .save = {saved, (uint16_t)svl, {0}}};
    for (size_t i = 0; i < 8; i++)
        frame.d[i] = 1.5 * (double)(i + 1);
    print_message("caller's state: %s\n", name);
    abi_call(thunk, context, &frame);
    assert_int_equal(frame.svcr & SVCR_SM, 0);
    if (frame.tpidr2 != 0) { /* nobody needed ZA */
        assert_int_equal(frame.svcr & SVCR_ZA, SVCR_ZA);
        assert_memory_equal(after, za, bytes);
    } else { /* saved for the caller, and off */
        assert_int_equal(frame.svcr & SVCR_ZA, 0);
        assert_memory_equal(saved, za, bytes);
    }
    for (size_t i = 0; i < 8; i++)
        assert_true(frame.d[i] == 1.5 * (double)(i + 1));
    free(za);
    free(after);
    free(saved);
}

static bool is_sme2(const char *name, uint32_t needs)
{
    return (needs & SL_ISA_SME2) != 0 && sl_case_may_run(name, needs);
}

/* Enough floats for every operand of every case below. */
static _Alignas(64) float operand[4096], other[4096], result[4096];
static _Alignas(64) float packed[64 * 1024], workspace[64 * 1024];

struct matmul_case {
    const struct sl_matmul *kernel;
    struct sl_matmul_args args;
};

static void run_matmul(const void *context)
{
    const struct matmul_case *c = context;
    c->kernel->run(&c->args);
}

static void pack_matmul(const void *context)
{
    const struct matmul_case *c = context;
    c->kernel->pack_lhs(c->args.m, c->args.k, c->args.lhs, c->args.lhs_stride, workspace);
}

static void run_packed_matmul(const void *context)
{
    const struct matmul_case *c = context;
    c->kernel->run_packed(&c->args);
}

static void matmul_keeps_the_callers_state(void **state)
{
    (void)state;
    const struct sl_matmul *kernel;
    for (size_t i = 0; (kernel = sl_matmul_at(i)) != NULL; i++) {
        if (!is_sme2(kernel->name, kernel->needs))
            continue;
        size_t m = kernel->gemv ? 1 : 37;
        assert_true(kernel->rhs_bytes(41, 19) <= sizeof(packed));
        assert_true(kernel->workspace_bytes(m, 41, 19) <= sizeof(workspace));
        struct matmul_case c = {kernel,
                                {m, 41, 19, operand, 19, packed, result, 41, -1, 1, workspace}};
        kernel->pack_rhs(41, 19, other, false, NULL, packed);
        survives(kernel->name, run_matmul, &c);
        if (kernel->pack_lhs) {
            survives(kernel->name, pack_matmul, &c);
            survives(kernel->name, run_packed_matmul, &c);
        }
    }
}

struct conv_case {
    const struct sl_conv *kernel;
    struct sl_conv_args args;
};

static void run_conv(const void *context)
{
    const struct conv_case *c = context;
    c->kernel->run(&c->args);
}

static void conv_keeps_the_callers_state(void **state)
{
    (void)state;
    struct sl_conv_shape shape = {1, 9, 9, 9, 9, 1, 5, 7, 3, 3, 1, 1, 1, 1, 1, 1};
    const struct sl_conv *kernel;
    for (size_t i = 0; (kernel = sl_conv_at(i)) != NULL; i++) {
        if (!is_sme2(kernel->name, kernel->needs) || (kernel->fits && !kernel->fits(&shape)))
            continue;
        assert_true(kernel->weights_bytes(&shape) <= sizeof(packed));
        assert_true(kernel->workspace_bytes(&shape) <= sizeof(workspace));
        struct conv_case c = {kernel, {shape, operand, packed, result, -1, 1, workspace}};
        kernel->pack_weights(&shape, other, NULL, packed);
        survives(kernel->name, run_conv, &c);
    }
}

struct depthwise_case {
    const struct sl_depthwise *kernel;
    struct sl_depthwise_args args;
};

static void run_depthwise(const void *context)
{
    const struct depthwise_case *c = context;
    c->kernel->run(&c->args);
}

static void depthwise_keeps_the_callers_state(void **state)
{
    (void)state;
    struct sl_depthwise_shape shapes[] = {
        {1, 9, 9, 9, 9, 21, 1, 3, 3, 1, 1, 1, 1, 1, 1},
        {1, 9, 9, 5, 5, 21, 1, 3, 3, 2, 2, 1, 1, 1, 1},
        {1, 9, 9, 9, 9, 21, 1, 5, 5, 1, 1, 1, 1, 2, 2},
    };
    const struct sl_depthwise *kernel;
    for (size_t i = 0; (kernel = sl_depthwise_at(i)) != NULL; i++) {
        for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
            if (!is_sme2(kernel->name, kernel->needs) ||
                (kernel->fits && !kernel->fits(&shapes[s])))
                continue;
            assert_true(kernel->weights_bytes(&shapes[s]) <= sizeof(packed));
            assert_true(kernel->workspace_bytes(&shapes[s]) <= sizeof(workspace));
            struct depthwise_case c = {kernel,
                                       {shapes[s], operand, packed, result, -1, 1, workspace}};
            kernel->pack_weights(&shapes[s], other, NULL, packed);
            survives(kernel->name, run_depthwise, &c);
        }
    }
}

struct transpose_case {
    const struct sl_transpose *kernel;
    struct sl_transpose_args args;
};

static void run_transpose(const void *context)
{
    const struct transpose_case *c = context;
    c->kernel->run(&c->args);
}

static void transpose_keeps_the_callers_state(void **state)
{
    (void)state;
    const struct sl_transpose *kernel;
    for (size_t i = 0; (kernel = sl_transpose_at(i)) != NULL; i++) {
        if (!is_sme2(kernel->name, kernel->needs))
            continue;
        for (size_t rows = 3; rows < 40; rows += 30) {
            const uint32_t *in = (const uint32_t *)(const void *)operand;
            uint32_t *out = (uint32_t *)(void *)result;
            struct transpose_case c = {kernel, {1, rows, 37, in, 0, 37, out, 0, rows}};
            survives(kernel->name, run_transpose, &c);
        }
    }
}

struct element_case { /* one of these families */
    const struct sl_unary *unary;
    const struct sl_binary *binary;
    const struct sl_reduce *reduce;
    const struct sl_pool *pool;
};

static void run_element(const void *context)
{
    const struct element_case *c = context;
    if (c->unary)
        c->unary->run(1000, operand, result, -1, 1);
    if (c->binary)
        c->binary->run(&(struct sl_binary_args){1000, operand, other, 1, 1, result, -1, 1});
    if (c->pool)
        c->pool->run(&(struct sl_pool_args){c->pool->op, 1, 9, 9, 5, 5, 21, 3, 3, 2, 2, 1, 1, 1, 1,
                                            operand, result, -1, 1});
}

static void reduce_outer(const void *context)
{
    const struct element_case *c = context;
    c->reduce->run(&(struct sl_reduce_args){
        .outer = 7, .reduced = 131, .inner = 1, .in = operand, .out = result, .scale = 1});
}

static void reduce_inner(const void *context)
{
    const struct element_case *c = context;
    c->reduce->run(&(struct sl_reduce_args){
        .outer = 2, .reduced = 13, .inner = 70, .in = operand, .out = result, .scale = 1});
}

static void the_other_families_keep_the_callers_state(void **state)
{
    (void)state;
    const struct sl_unary *unary;
    for (size_t i = 0; (unary = sl_unary_at(i)) != NULL; i++)
        if (is_sme2(unary->name, unary->needs))
            survives(unary->name, run_element, &(struct element_case){.unary = unary});
    const struct sl_binary *binary;
    for (size_t i = 0; (binary = sl_binary_at(i)) != NULL; i++)
        if (is_sme2(binary->name, binary->needs))
            survives(binary->name, run_element, &(struct element_case){.binary = binary});
    const struct sl_pool *pool;
    for (size_t i = 0; (pool = sl_pool_at(i)) != NULL; i++)
        if (is_sme2(pool->name, pool->needs))
            survives(pool->name, run_element, &(struct element_case){.pool = pool});
    const struct sl_reduce *reduce;
    for (size_t i = 0; (reduce = sl_reduce_at(i)) != NULL; i++) {
        if (!is_sme2(reduce->name, reduce->needs))
            continue;
        survives(reduce->name, reduce_outer, &(struct element_case){.reduce = reduce});
        if (reduce->op == SL_REDUCE_MEAN)
            survives(reduce->name, reduce_inner, &(struct element_case){.reduce = reduce});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matmul_keeps_the_callers_state),
        cmocka_unit_test(conv_keeps_the_callers_state),
        cmocka_unit_test(depthwise_keeps_the_callers_state),
        cmocka_unit_test(transpose_keeps_the_callers_state),
        cmocka_unit_test(the_other_families_keep_the_callers_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
