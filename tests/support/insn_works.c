/* tests/support/insn_works.c: for each hexadecimal word of standard input its class and units. */
#include <inttypes.h>
#include <stdio.h>

#include "host/analysis/insn_work.h"

int main(void)
{
    uint32_t word;
    while (scanf("%" SCNx32, &word) == 1) {
        struct sl_insn_work insn = sl_insn_work(word);
        printf("%08" PRIx32 " %s %u\n", word, sl_work_name(insn.work), insn.units);
    }
    return 0;
}
