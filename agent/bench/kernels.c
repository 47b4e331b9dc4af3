/* agent/bench/kernels.c */
#include "agent/bench/kernels.h"

#include <string.h>

#include "common/base/error.h"
#include "kernels/binary/binary.h"
#include "kernels/conv/conv.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/layout/layout.h"
#include "kernels/matmul/matmul.h"
#include "kernels/pool/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/unary/unary.h"

/* sl_<family>_at() of every family, with the name and the needs of what it returns. */
#define KERNEL_AT(family)                                                                          \
    static int family##_kernel(size_t i, struct sl_bench_kernel *out)                              \
    {                                                                                              \
        const struct sl_##family *kernel = sl_##family##_at(i);                                    \
        if (!kernel)                                                                               \
            return 0;                                                                              \
        *out = (struct sl_bench_kernel){#family, kernel->name, kernel->needs};                     \
        return 1;                                                                                  \
    }
KERNEL_AT(matmul)
KERNEL_AT(conv)
KERNEL_AT(depthwise)
KERNEL_AT(pool)
KERNEL_AT(unary)
KERNEL_AT(binary)
KERNEL_AT(reduce)
KERNEL_AT(transpose)

int sl_bench_kernel_at(size_t i, struct sl_bench_kernel *out)
{
    static int (*const lists[])(size_t, struct sl_bench_kernel *) = {
        matmul_kernel, conv_kernel,   depthwise_kernel, pool_kernel,
        unary_kernel,  binary_kernel, reduce_kernel,    transpose_kernel};
    for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        size_t at = 0;
        for (; lists[list](at, out); at++) {
            if (at == i)
                return 1;
        }
        i -= at;
    }
    return 0;
}

static int takes(const struct sl_bench_choice *choice, const char *name)
{
    if (choice->name)
        return strcmp(choice->name, name) == 0;
    if (!choice->engine)
        return 1;
    return strstr(name, strcmp(choice->engine, "sme2") == 0   ? "_sme2"
                        : strcmp(choice->engine, "neon") == 0 ? "_neon"
                                                              : "_scalar") != NULL;
}

int sl_bench_consider(struct sl_bench_search *search, const char *name, uint32_t needs, int fits)
{
    if (search->found || !fits || !takes(search->choice, name))
        return 0;
    search->name = name;
    search->found = (needs & ~search->choice->isa) == 0;
    return search->found;
}

int sl_bench_chosen(const struct sl_bench_search *search, const char **out_name)
{
    if (!search->name)
        return SL_E_NOT_FOUND;
    *out_name = search->name;
    return search->found ? 0 : SL_E_UNSUPPORTED;
}
