/* agent/executorch/kept_state.c */
#include "agent/executorch/kept_state.h"

#include <errno.h>
#include <stdbool.h>

#include "agent/executorch/executorch.h"
#include "agent/runtime/state.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"

struct sl_kept_state {
    struct sl_buf places; /* struct sl_executorch_span */
    struct sl_buf begin;  /* the bytes of all */
};

/* False where it does not lie in its buffer: the libraries refuse that, or see it otherwise. */
static bool place_of(const struct sl_pte_tensor *tensor, const struct sl_executorch_span *buffers,
                     size_t count, struct sl_executorch_span *out)
{
    uint64_t bytes = sl_scalar_size(tensor->scalar_type);
    if (tensor->memory_id == 0 || tensor->memory_id > count)
        return false;
    const struct sl_executorch_span *buffer = &buffers[tensor->memory_id - 1];
    for (uint32_t i = 0; i < tensor->rank && bytes <= buffer->size; i++)
        bytes *= (uint64_t)tensor->sizes[i];
    if (bytes == 0 || !sl_range_ok(tensor->memory_offset, bytes, buffer->size))
        return false;
    *out = (struct sl_executorch_span){buffer->data + tensor->memory_offset, (size_t)bytes};
    return true;
}

static int find_in(const struct sl_pte_plan *plan, const struct sl_executorch_span *buffers,
                   size_t count, struct sl_kept_state *state)
{
    uint8_t *marks = sl_calloc(plan->value_count + (size_t)1, 1);
    int rc = marks ? 0 : -ENOMEM;
    if (marks)
        sl_state_find(plan, marks);
    for (uint32_t i = 0; i < plan->value_count && rc == 0; i++) {
        struct sl_executorch_span place;
        if (plan->values[i].kind != SL_PTE_TENSOR || !(marks[i] & SL_STATE_KEEPS) ||
            !place_of(plan->values[i].tensor, buffers, count, &place))
            continue;
        rc = sl_buf_append(&state->places, &place, sizeof(place));
        if (rc == 0)
            rc = sl_buf_append(&state->begin, place.data, place.size);
    }
    sl_free(marks);
    return rc;
}

int sl_kept_state_new(struct sl_bytes program, const char *name,
                      const struct sl_executorch_span *buffers, size_t count,
                      struct sl_kept_state **out)
{
    struct sl_pte pte;
    struct sl_kept_state *state = sl_calloc(1, sizeof(*state));
    if (!state)
        return -ENOMEM;
    sl_buf_init(&state->places, SIZE_MAX / 2);
    sl_buf_init(&state->begin, SIZE_MAX / 2);
    int rc = sl_pte_parse(program, &pte, NULL);
    if (rc == 0) {
        const struct sl_pte_plan *plan = sl_pte_find_plan(&pte, name);
        rc = plan ? find_in(plan, buffers, count, state) : 0;
        sl_pte_fini(&pte);
    } else if (rc != -ENOMEM) {
        rc = 0;
    }
    if (rc == 0)
        *out = state;
    else
        sl_kept_state_free(state);
    return rc;
}

void sl_kept_state_restore(const struct sl_kept_state *state)
{
    const uint8_t *from = state->begin.data;
    for (size_t at = 0; at < state->places.size; at += sizeof(struct sl_executorch_span)) {
        struct sl_executorch_span place;
        memcpy(&place, state->places.data + at, sizeof(place));
        memcpy(place.data, from, place.size);
        from += place.size;
    }
}

void sl_kept_state_free(struct sl_kept_state *state)
{
    if (!state)
        return;
    sl_buf_fini(&state->places);
    sl_buf_fini(&state->begin);
    sl_free(state);
}
