/* agent/executorch/variant.c */
#include "agent/executorch/variant.h"

#include <string.h>

#include "agent/executorch/events.h"
#include "agent/executorch/features.h"
#include "agent/executorch/kept_state.h"
#include "agent/executorch/kernel_calls.h"
#include "agent/executorch/method.h"
#include "agent/executorch/pool.h"
#include "agent/executorch/stamps.h"
#include "agent/executorch/steady_heap.h"
#include "agent/trace/recorder.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/pte.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"

enum { BUFFER_ALIGNMENT = 64 };

int sl_variant_prepare(struct sl_method *method, struct sl_recorder *recorder,
                       struct sl_variant **out)
{
    struct sl_variant *v = sl_calloc(1, sizeof(*v));
    if (!v)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    v->method = method;
    v->recorder = recorder;
    sl_buf_init(&v->answer, SIZE_MAX / 2);
    v->events = sl_runtime_events_new(recorder);
    v->outputs = sl_calloc(method->of.outputs, sizeof(*v->outputs));
    if (!v->events || !v->outputs) {
        sl_variant_free(v);
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    }
    *out = v;
    return 0;
}

void sl_variant_free(struct sl_variant *v)
{
    if (!v)
        return;
    sl_executorch_plan_free(v->plan);
    for (size_t i = 0; i < v->method->of.buffers && v->buffers; i++)
        sl_free(v->buffers[i].data);
    sl_kept_state_free(v->kept);
    sl_free(v->buffers);
    sl_free(v->outputs);
    sl_buf_fini(&v->answer);
    sl_runtime_events_free(v->events);
    sl_free(v);
}

static int no_memory(struct sl_diag *diag)
{
    return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL, "there is not enough memory");
}

static int plan_memory(struct sl_variant *v)
{
    size_t count = v->method->of.buffers;
    v->buffers = sl_calloc(count, sizeof(*v->buffers));
    for (size_t i = 0; i < count && v->buffers; i++) {
        struct sl_executorch_span *buffer = &v->buffers[i];
        buffer->size = sl_method_planned_bytes(v->method, i);
        buffer->data = sl_aligned_alloc(BUFFER_ALIGNMENT, buffer->size);
        if (!buffer->data)
            return -1;
        memset(buffer->data, 0, buffer->size);
    }
    return v->buffers ? 0 : -1;
}

/* The execution's, or the loading's, events become records, or go to the process that has them. */
static int give_events(struct sl_variant *v)
{
    return v->packed ? sl_runtime_events_pack(v->events, v->packed)
                     : sl_runtime_events_flush(v->events);
}

static void see_outputs(struct sl_variant *v)
{
    for (size_t i = 0; i < v->method->of.outputs; i++)
        sl_executorch_plan_output(v->plan, i, &v->outputs[i]);
}

static int load_plan(struct sl_variant *v)
{
    const struct sl_model *model = v->method->model;
    int rc = sl_executorch_plan_new(model->program, v->method->of.name, v->buffers,
                                    v->method->of.buffers, model->data, v->events, &v->plan);
    if (rc != 0)
        return rc;
    see_outputs(v);
    return give_events(v);
}

int sl_variant_load_here(struct sl_variant *v, uint32_t isa, struct sl_diag *diag)
{
    int rc = sl_features_use(isa, diag);
    if (rc != 0)
        return rc;
    if (!sl_stamps_open(sl_features_delegate()))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "ExecuTorch",
                           "these libraries have no XNNProfiler to time operators by");
    sl_kernel_calls_open(sl_features_delegate());
    if ((isa & (SL_ISA_SME | SL_ISA_SME2)) == 0)
        sl_runtime_events_forbid_sme(v->events);
    if (plan_memory(v) != 0)
        return no_memory(diag);
    rc = load_plan(v);
    if (rc == 0 && sl_kept_state_new(v->method->model->bytes, v->method->of.name, v->buffers,
                                     v->method->of.buffers, &v->kept) != 0)
        return no_memory(diag);
    return rc;
}

/* A number of another size is not set: what the program was traced with stays. */
static struct sl_plain_value number_of(const struct sl_input *input)
{
    struct sl_plain_value plain = {.kind = input->view.plain.kind};
    const struct sl_buf *bytes = &input->bytes;
    if (plain.kind == SL_PTE_INT && bytes->size == sizeof(plain.int_value))
        memcpy(&plain.int_value, bytes->data, sizeof(plain.int_value));
    else if (plain.kind == SL_PTE_DOUBLE && bytes->size == sizeof(plain.double_value))
        memcpy(&plain.double_value, bytes->data, sizeof(plain.double_value));
    else if (plain.kind == SL_PTE_BOOL && bytes->size == 1)
        plain.int_value = bytes->data[0] != 0;
    else
        plain.kind = SL_PTE_NONE;
    return plain;
}

/* Before every execution: inputs' planned memory is used for other values too. */
static int set_up(struct sl_variant *v)
{
    int rc = 0;
    if (v->method->renewed)
        sl_kept_state_restore(v->kept);
    for (size_t i = 0; i < v->method->of.inputs && rc == 0; i++) {
        struct sl_tensor_view view;
        sl_method_input(v->method, i, &view);
        if (view.scalar_type < 0)
            view.plain = number_of(&v->method->inputs[i]);
        rc = sl_executorch_plan_set_input(v->plan, i, &view);
    }
    return rc;
}

static bool is_counted(const struct sl_variant *v)
{
    return v->recorder && sl_recorder_get_clock(v->recorder).unit == SL_TRACE_MARKS &&
           sl_pool_count() == 1;
}

/* Executes with all that watches it; what the libraries said is in *out_said. 0 or why the watching
 * failed. */
static int execute_watched(struct sl_variant *v, int traced, int *out_said, struct sl_diag *diag)
{
    bool warm_up = traced == SL_VARIANT_WARM_UP, all = warm_up || traced == SL_VARIANT_TRACED;
    int watching = sl_kernel_calls_watch(warm_up);
    sl_stamps_record(all ? v->recorder : NULL);
    sl_runtime_events_keep(v->events, traced);
    sl_steady_heap_use(is_counted(v));
    *out_said = sl_executorch_plan_execute(v->plan);
    sl_steady_heap_use(false);
    sl_stamps_record(NULL);
    if (watching == 0)
        watching = sl_kernel_calls_watch(false);
    return watching == 0 ? 0
                         : sl_diag_set(diag, watching, "ExecuTorch",
                                       "the table of its delegate's calls cannot be written");
}

int sl_variant_execute_here(struct sl_variant *v, int traced, struct sl_diag *diag)
{
    int said = 0, rc = set_up(v);
    if (rc == 0)
        rc = execute_watched(v, traced, &said, diag);
    if (rc != 0)
        return rc;
    rc = give_events(v);
    if (said != 0)
        return said;
    see_outputs(v);
    if (rc == SL_E_STATE)
        return sl_diag_set(diag, rc, "ExecuTorch",
                           "its delegate named more operators than it asked the clock for");
    if (sl_runtime_events_forbidden(v->events))
        return sl_diag_set(diag, SL_E_MISMATCH, "ExecuTorch",
                           "the variant without SME executed %s, which is SME's: this is no "
                           "baseline",
                           sl_runtime_events_forbidden(v->events));
    return rc;
}

int sl_method_output(const struct sl_method *method, size_t i, struct sl_tensor_view *out)
{
    *out = method->last->outputs[i];
    return 0;
}

/* The libraries do not tell how much they pack. */
size_t sl_variant_packed_bytes(const struct sl_variant *v)
{
    (void)v;
    return SIZE_MAX;
}

size_t sl_variant_events(const struct sl_variant *v)
{
    return sl_runtime_events_count(v->events);
}

/* It has memory of its own. */
bool sl_variant_settled(const struct sl_variant *v)
{
    (void)v;
    return true;
}
