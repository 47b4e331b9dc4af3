/* tests/support/callers_state.c */
#include "tests/support/callers_state.h"

#include <stdlib.h>

#include "kernels/cpu/isa.h"
#include "tests/support/kernel_case.h"
#include "tests/support/test.h"

enum { SVCR_SM = 1, SVCR_ZA = 2 };

/* The registers that abi_call() sets before a call and finds after it; the assembly knows the
 * offsets. */
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

#if defined(__aarch64__)
/* Calls fn(context) with ZA dormant: alive, to be saved by whoever needs it. */
void abi_call(sl_thunk_fn fn, const void *context, struct frame *frame);

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
static void abi_call(sl_thunk_fn fn, const void *context, struct frame *frame)
{
    (void)frame;
    fn(context);
}
#endif

void sl_case_survives(const char *name, sl_thunk_fn thunk, const void *context)
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

bool sl_case_is_sme2(const char *name, uint32_t needs)
{
    return (needs & SL_ISA_SME2) != 0 && sl_case_may_run(name, needs);
}
