/* agent/bench/kernels.c */
#include "agent/bench/kernels.h"

#include <string.h>

#include "common/base/error.h"

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
