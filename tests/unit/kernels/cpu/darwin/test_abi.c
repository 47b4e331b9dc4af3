/* tests/unit/kernels/cpu/darwin/test_abi.c: the routines of kernels/cpu/abi_sme2_asm_darwin.S,
 * which the emulator can run too. */
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/isa.h"
#include "tests/support/callers_state.h"
#include "tests/support/test.h"

void *__arm_sc_memset(void *to, int byte, size_t bytes);

/* Saves the caller's dormant ZA, destroys it and brings it back. */
void abi_save_and_restore(const void *unused);
__asm__(".arch armv8-a+sme2\n"
        ".text\n"
        ".globl abi_save_and_restore\n"
        "abi_save_and_restore:\n"
        "  stp x29, x30, [sp, #-16]!\n"
        "  bl __arm_tpidr2_save\n"
        "  mrs x0, TPIDR2_EL0\n"
        "  msr TPIDR2_EL0, xzr\n"
        "  zero {za}\n"
        "  bl __arm_tpidr2_restore\n"
        "  msr TPIDR2_EL0, x0\n" /* dormant again: its caller looks whether all is there */
        "  ldp x29, x30, [sp], #16\n"
        "  ret\n");

TEST(za_comes_back_as_it_was_saved)
{
    if (!(sl_isa_detect() & SL_ISA_SME2))
        skip();
    sl_case_survives("save and restore", abi_save_and_restore, NULL);
}

TEST(memset_fills_what_it_is_told_and_no_more)
{
    for (size_t bytes = 0; bytes < 40; bytes++) {
        for (size_t at = 0; at < 9; at++) {
            uint8_t got[64], want[64];
            memset(got, 0x5a, sizeof(got));
            memcpy(want, got, sizeof(want));
            memset(want + at, 0xe7, bytes);
            assert_ptr_equal(__arm_sc_memset(got + at, 0x1e7, bytes), got + at);
            assert_memory_equal(got, want, sizeof(got));
        }
    }
}
