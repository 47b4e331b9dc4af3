/* agent/executorch/kept_state.c */
#include "agent/executorch/kept_state.h"

#include <errno.h>
#include <stdbool.h>

#include "agent/runtime/file_map.h"
#include "agent/runtime/state.h"
#include "common/base/mem.h"
#include "common/format/bundle.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"

/* False where it does not lie in its buffer: the libraries refuse that, or see it otherwise. */
static bool place_of(const struct sl_pte_tensor *tensor, const size_t *sizes, size_t count,
                     struct sl_kept_place *out)
{
    uint64_t bytes = sl_scalar_size(tensor->scalar_type);
    if (tensor->memory_id == 0 || tensor->memory_id > count)
        return false;
    size_t buffer = tensor->memory_id - 1;
    for (uint32_t i = 0; i < tensor->rank && bytes <= sizes[buffer]; i++)
        bytes *= (uint64_t)tensor->sizes[i];
    if (bytes == 0 || bytes > sizes[buffer] || tensor->memory_offset > sizes[buffer] - bytes)
        return false;
    *out = (struct sl_kept_place){buffer, (size_t)tensor->memory_offset, (size_t)bytes};
    return true;
}

static int find_in(const struct sl_pte_plan *plan, const size_t *sizes, size_t count,
                   struct sl_kept_place **out_places, size_t *out_count)
{
    uint8_t *marks = sl_calloc(plan->value_count + (size_t)1, 1);
    struct sl_kept_place *places = sl_calloc(plan->value_count + (size_t)1, sizeof(*places));
    size_t found = 0;
    if (!marks || !places) {
        sl_free(marks);
        sl_free(places);
        return -ENOMEM;
    }
    sl_state_find(plan, marks);
    for (uint32_t i = 0; i < plan->value_count; i++) {
        bool keeps = plan->values[i].kind == SL_PTE_TENSOR && (marks[i] & SL_STATE_KEEPS) != 0;
        found += keeps && place_of(plan->values[i].tensor, sizes, count, &places[found]);
    }
    sl_free(marks);
    *out_places = places;
    *out_count = found;
    return 0;
}

int sl_kept_state_find(const char *path, const char *name, const size_t *sizes, size_t count,
                       struct sl_kept_place **out_places, size_t *out_count)
{
    struct sl_bytes file;
    struct sl_bundle bundle = {.pool = NULL};
    struct sl_pte pte;
    int rc = 0;
    *out_places = NULL;
    *out_count = 0;
    if (sl_file_map(path, &file, NULL) != 0)
        return 0;
    struct sl_bytes program = file;
    if (sl_bundle_is(file) && sl_bundle_parse(file, &bundle, NULL) == 0)
        program = bundle.program;
    if (sl_pte_parse(program, &pte, NULL) == 0) {
        const struct sl_pte_plan *plan = sl_pte_find_plan(&pte, name);
        if (plan)
            rc = find_in(plan, sizes, count, out_places, out_count);
        sl_pte_fini(&pte);
    }
    sl_bundle_fini(&bundle);
    sl_file_unmap(&file);
    return rc;
}
