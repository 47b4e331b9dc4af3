/* tests/fuzz/fuzz_pte.c */
#include "common/base/error.h"
#include "common/format/pte.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag;
    struct sl_pte pte;
    if (sl_pte_parse((struct sl_bytes){data, size}, &pte, &diag) < 0)
        return 0;
    const uint8_t *constant;
    struct sl_bytes named;
    sl_pte_find_plan(&pte, "forward");
    sl_pte_constant(&pte, 1, 16, &constant);
    sl_pte_find_named(&pte, "weight", &named);
    sl_pte_fini(&pte);
    return 0;
}
