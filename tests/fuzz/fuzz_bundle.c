/* tests/fuzz/fuzz_bundle.c */
#include "common/base/error.h"
#include "common/format/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every byte that a value says it has. */
static unsigned touch(const struct sl_bundle_value *values, uint32_t count)
{
    unsigned sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; values[i].kind == SL_BUNDLE_TENSOR && k < values[i].tensor.data.size;
             k++)
            sum += values[i].tensor.data.data[k];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sl_diag diag;
    struct sl_bundle bundle;
    struct sl_bytes program;
    if (sl_bundle_program((struct sl_bytes){data, size}, &program, &diag) == 0 &&
        (program.data < data || program.size > size - (size_t)(program.data - data)))
        __builtin_trap();
    if (sl_bundle_parse((struct sl_bytes){data, size}, &bundle, &diag) < 0)
        return 0;
    const struct sl_bundle_case *test = sl_bundle_find(&bundle, "forward", 0);
    volatile unsigned sum =
        test ? touch(test->inputs, test->input_count) + touch(test->outputs, test->output_count)
             : 0;
    (void)sum;
    sl_bundle_fini(&bundle);
    return 0;
}
