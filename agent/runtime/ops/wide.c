/* agent/runtime/ops/wide.c */
#include "agent/runtime/ops/wide.h"

#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"
#include "common/base/mem.h"
#include "common/format/scalar_type.h"

static struct sl_tensor *real_tensor(const struct sl_op_call *call, uint32_t i)
{
    return sl_method_tensor(call->method, call->args[i]);
}

static bool wants_f32(char letter)
{
    return letter == 't' || letter == 'T' || letter == 'o';
}

static void widen(struct sl_op_call *call, uint32_t i)
{
    const struct sl_tensor *from = real_tensor(call, i), *to = call->wide[i];
    sl_cast_load(SL_CAST_F32, from->scalar_type)(from->data, (ptrdiff_t)from->element_bytes,
                                                 sl_tensor_count(from), to->data);
}

static void narrow(struct sl_op_call *call, uint32_t i)
{
    const struct sl_tensor *from = call->wide[i], *to = real_tensor(call, i);
    sl_cast_store(SL_CAST_F32, to->scalar_type)(from->data, sl_tensor_count(from), to->data,
                                                (ptrdiff_t)to->element_bytes);
}

static void widen_inputs(struct sl_op_call *call)
{
    const char *signature = call->op->signature;
    for (uint32_t i = 0; signature[i]; i++)
        if (call->wide[i] && signature[i] != 'o' && !call->constants[i])
            widen(call, i);
}

static void narrow_outputs(struct sl_op_call *call)
{
    const char *signature = call->op->signature;
    for (uint32_t i = 0; signature[i]; i++)
        if (call->wide[i] && signature[i] == 'o')
            narrow(call, i);
}

static int no_memory(const struct sl_op_call *call, struct sl_diag *diag)
{
    return sl_op_fail(call, diag, SL_ET_MEMORY_ALLOCATION_FAILED,
                      "its operands in single precision go over the memory limit");
}

static size_t room_of(size_t bytes)
{
    return (bytes | 63) +
           1; /* never none; a quarter of the address space at most, so no sum wraps */
}

/* What an operand is given: an output's size may follow from the others'. */
static size_t bytes_of(const struct sl_tensor *wide, char letter)
{
    return letter == 'o' ? wide->max_nbytes : wide->nbytes;
}

/* Room for all operands at once. One block holds all the call's constants, at their bounds: their
 * places never change. */
static int reserve(struct sl_op_call *call, size_t constant_bytes, size_t other_bytes,
                   struct sl_diag *diag)
{
    if (other_bytes != 0 && sl_workspace_reserve(&call->method->workspace, other_bytes) != 0)
        return no_memory(call, diag);
    if (constant_bytes == 0 || call->constant_block)
        return 0;
    call->constant_block = sl_budget_alloc(&call->method->budget, constant_bytes);
    call->constant_bytes = constant_bytes;
    return call->constant_block ? 0 : no_memory(call, diag);
}

/* A constant is widened once, here; anything else has its place in the workspace. */
static int place(struct sl_op_call *call, uint32_t i, size_t *used, struct sl_diag *diag)
{
    const struct sl_tensor *from = real_tensor(call, i);
    struct sl_tensor *to = call->wide[i];
    size_t bytes = bytes_of(to, call->op->signature[i]);
    if (!from->constant) {
        size_t offset = sl_ref_scratch(call, bytes).offset;
        if (sl_workspace_reserve(&call->method->workspace, call->workspace_bytes) != 0)
            return no_memory(call, diag);
        sl_tensor_bind(to, call->method->workspace.base + offset, bytes);
        return 0;
    }
    if (from->nbytes > from->room_bytes)
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "a constant has no memory");
    bool first = !call->constants[i];
    if (first)
        call->constants[i] = (uint8_t *)call->constant_block + *used;
    *used += room_of(to->max_nbytes);
    sl_tensor_bind(to, call->constants[i], bytes);
    if (first)
        widen(call, i);
    return 0;
}

/* The real tensor's shape in f32; outputs get room for their bounds. */
static void imitate(struct sl_tensor *to, const struct sl_tensor *from)
{
    uint8_t *data = to->data;
    *to = *from;
    to->scalar_type = SL_SCALAR_FLOAT;
    to->element_bytes = sizeof(float);
    to->nbytes = from->nbytes * 2;
    to->max_nbytes = from->max_nbytes * 2;
    to->data = data;
}

/* One block holds them all: an allocation for each would cost more than filling it. */
static struct sl_tensor *stand_in(struct sl_op_call *call, uint32_t i)
{
    if (!call->stand_ins)
        call->stand_ins = sl_calloc(strlen(call->op->signature), sizeof(*call->stand_ins));
    return call->stand_ins ? &call->stand_ins[i] : NULL;
}

int sl_wide_open(struct sl_op_call *call, struct sl_diag *diag)
{
    const char *signature = call->op->signature;
    bool any_input = false;
    size_t constant_bytes = 0, other_bytes = 0;
    for (uint32_t i = 0; signature[i]; i++) {
        const struct sl_tensor *from = wants_f32(signature[i]) ? real_tensor(call, i) : NULL;
        if (!from || !sl_cast_is_half(from->scalar_type))
            continue;
        if (i >= SL_OP_MAX_ARGS || from->max_nbytes > SIZE_MAX / 4)
            return no_memory(call, diag);
        if (!call->wide[i])
            call->wide[i] = stand_in(call, i);
        if (!call->wide[i])
            return no_memory(call, diag);
        imitate(call->wide[i], from);
        const struct sl_tensor *to = call->wide[i];
        size_t *sum = from->constant ? &constant_bytes : &other_bytes;
        size_t bytes = from->constant ? room_of(to->max_nbytes)
                                      : (bytes_of(to, signature[i]) + 63) & ~(size_t)63;
        if (__builtin_add_overflow(*sum, bytes, sum))
            return no_memory(call, diag);
    }
    if (!call->stand_ins)
        return 0;
    size_t used = 0;
    int rc = reserve(call, constant_bytes, other_bytes, diag);
    for (uint32_t i = 0; signature[i] && rc == 0; i++) { /* once all have their sizes, places */
        if (i >= SL_OP_MAX_ARGS || !call->wide[i])
            continue;
        rc = place(call, i, &used, diag);
        any_input = any_input || (signature[i] != 'o' && !call->constants[i]);
    }
    if (rc == 0 && any_input)
        sl_op_own(call, "sl_widen_f32_scalar", widen_inputs);
    return rc;
}

int sl_wide_close(struct sl_op_call *call, struct sl_diag *diag)
{
    const char *signature = call->op->signature;
    bool any_output = false;
    if (!call->stand_ins)
        return 0;
    for (uint32_t i = 0; signature[i]; i++) {
        if (i >= SL_OP_MAX_ARGS || !call->wide[i])
            continue;
        struct sl_tensor *real = real_tensor(call, i), *wide = call->wide[i];
        int rc = sl_tensor_resize(real, wide->rank, wide->sizes, diag);
        if (rc != 0)
            return rc;
        if (!real->data || real->nbytes > real->room_bytes)
            return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM,
                              "an argument has no memory for its shape");
        any_output = any_output || signature[i] == 'o';
    }
    if (any_output)
        sl_op_own(call, "sl_narrow_f32_scalar", narrow_outputs);
    return 0;
}

bool sl_wide_any(const struct sl_op_call *call)
{
    return call->stand_ins != NULL;
}

void sl_wide_fini(struct sl_op_call *call)
{
    if (!call->stand_ins)
        return;
    sl_budget_free(&call->method->budget, call->constant_block, call->constant_bytes);
    call->constant_block = NULL;
    memset(call->constants, 0, sizeof(call->constants));
    memset(call->wide, 0, sizeof(call->wide));
    sl_free(call->stand_ins);
    call->stand_ins = NULL;
}
