/* agent/runtime/ops/wide.c */
#include "agent/runtime/ops/wide.h"

#include <string.h>

#include "agent/runtime/ops/cast.h"
#include "agent/runtime/ops/op.h"
#include "agent/runtime/ops/signature.h"
#include "common/format/scalar_type.h"

static struct sl_tensor *real_tensor(const struct sl_op_call *call, uint32_t i)
{
    return sl_method_tensor(call->method, call->args[i]);
}

static void widen(struct sl_op_call *call, uint32_t i)
{
    const struct sl_tensor *from = real_tensor(call, i), *to = call->wide[i];
    sl_cast_load(SL_CAST_F32, from->scalar_type)(from->data, (ptrdiff_t)from->element_bytes,
                                                 sl_tensor_count(from), to->data);
}

static bool is_double(const struct sl_op_call *call, uint32_t i)
{
    return real_tensor(call, i)->scalar_type == SL_SCALAR_DOUBLE;
}

/* The lowest argument of a mask, which then leaves it. */
static uint32_t next_of(uint32_t *mask)
{
    uint32_t i = (uint32_t)__builtin_ctz(*mask);
    *mask &= *mask - 1;
    return i;
}

static uint32_t all_of(const struct sl_op_call *call)
{
    return call->wide_in | call->wide_out | call->wide_constant;
}

static void widen_doubles(struct sl_op_call *call)
{
    for (uint32_t left = call->wide_in; left != 0;) {
        uint32_t i = next_of(&left);
        if (is_double(call, i))
            widen(call, i);
    }
}

static void narrow_doubles(struct sl_op_call *call)
{
    for (uint32_t left = call->wide_out; left != 0;) {
        uint32_t i = next_of(&left);
        const struct sl_tensor *from = call->wide[i], *to = real_tensor(call, i);
        if (is_double(call, i))
            sl_cast_store(SL_CAST_F32, SL_SCALAR_DOUBLE)(from->data, sl_tensor_count(from),
                                                         to->data, sizeof(double));
    }
}

/* Steps that convert the halves of a mask, and one for all its doubles, which no kernel takes. */
static void add_conversions(struct sl_op_call *call, uint32_t mask, bool narrows)
{
    bool doubles = false;
    while (mask != 0) {
        uint32_t i = next_of(&mask);
        const struct sl_tensor *real = real_tensor(call, i), *wide = call->wide[i];
        if (is_double(call, i))
            doubles = true;
        else
            sl_op_convert(call, narrows ? wide : real, narrows ? real : wide);
    }
    if (doubles && narrows)
        sl_op_own(call, "sl_narrow_f32_f64_scalar", narrow_doubles);
    else if (doubles)
        sl_op_own(call, "sl_widen_f32_f64_scalar", widen_doubles);
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

/* A constant is widened once, here. */
static int place_constant(struct sl_op_call *call, uint32_t i, bool first, size_t *used,
                          struct sl_diag *diag)
{
    const struct sl_tensor *from = real_tensor(call, i);
    struct sl_tensor *to = call->wide[i];
    uint8_t *at = (uint8_t *)call->constant_block + *used;
    if (from->nbytes > from->room_bytes)
        return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM, "a constant has no memory");
    *used += room_of(to->max_nbytes);
    to->data = at;
    to->room_bytes = to->nbytes;
    if (first)
        widen(call, i);
    return 0;
}

/* The real tensor's shape in f32; the caller gives it a place. */
static void imitate(struct sl_tensor *to, const struct sl_tensor *from)
{
    *to = *from;
    to->scalar_type = SL_SCALAR_FLOAT;
    to->element_bytes = sizeof(float);
    to->nbytes = from->nbytes / from->element_bytes * sizeof(float);
    to->max_nbytes = from->max_nbytes / from->element_bytes * sizeof(float);
}

/* Packed weights stay as they are where they and the bias are constant: packing converts them. */
static bool is_packed(const struct sl_op_call *call, const struct sl_tensor *weights)
{
    const char *signature = call->op->signature, *bias = strchr(signature, 'W');
    const struct sl_tensor *other = bias ? real_tensor(call, (uint32_t)(bias - signature)) : NULL;
    return weights->constant && sl_cast_is_half(weights->scalar_type) &&
           (!other || other->constant);
}

/* Stand-ins for the arguments of the masks. One block holds them all, for good. */
static int give_stand_ins(struct sl_op_call *call, uint32_t count, struct sl_diag *diag)
{
    if (count > call->stand_in_room) {
        struct sl_tensor *block = sl_budget_pool_alloc(call->pool, count, sizeof(*block));
        if (!block)
            return no_memory(call, diag);
        call->stand_ins = block;
        call->stand_in_room = count;
    }
    struct sl_tensor *next = call->stand_ins;
    for (uint32_t left = all_of(call); left != 0;)
        call->wide[next_of(&left)] = next++;
    return 0;
}

/* The tensor of argument i; NULL where there is none, or where its letter wants another thing. */
static const struct sl_tensor *tensor_at(const struct sl_op_call *call, uint32_t i)
{
    return strchr("aArtTwWoO", call->op->signature[i]) ? real_tensor(call, i) : NULL;
}

/* True if every tensor is f32, Half, BFloat16 or Bool. *out_halves: true if every one is Half. */
static bool all_short_floats(const struct sl_op_call *call, bool *out_halves)
{
    *out_halves = true;
    for (uint32_t i = 0; call->op->signature[i]; i++) {
        const struct sl_tensor *tensor = tensor_at(call, i);
        if (!tensor)
            continue;
        int type = tensor->scalar_type;
        if (type != SL_SCALAR_FLOAT && type != SL_SCALAR_BOOL && !sl_cast_is_half(type))
            return false;
        *out_halves = *out_halves && type == SL_SCALAR_HALF;
    }
    return true;
}

/* Which arguments get stand-ins. */
static int find_halves(struct sl_op_call *call, struct sl_diag *diag)
{
    const char *signature = call->op->signature;
    uint32_t count = 0;
    bool halves, floats = call->op->halves != 0 && all_short_floats(call, &halves);
    call->wide_known = true;
    if (floats && halves && (call->op->halves & SL_OP_AS_THEY_ARE) != 0)
        return 0;
    floats = floats && (call->op->halves & SL_OP_WIDENED) != 0;
    for (uint32_t i = 0; signature[i]; i++) {
        const struct sl_tensor *from =
            floats || sl_op_takes_floats(signature[i]) ? tensor_at(call, i) : NULL;
        if (!from || !sl_cast_is_float(from->scalar_type) || from->scalar_type == SL_SCALAR_FLOAT ||
            (signature[i] == 'w' && is_packed(call, from)))
            continue;
        if (i >= SL_OP_MAX_ARGS || from->max_nbytes > SIZE_MAX / 4)
            return no_memory(call, diag);
        uint32_t *mask = sl_op_is_written(signature[i]) ? &call->wide_out
                         : from->constant               ? &call->wide_constant
                                                        : &call->wide_in;
        *mask |= 1u << i;
        count++;
    }
    return give_stand_ins(call, count, diag);
}

/* Room for all that has its place in the workspace at once, then the places. An output's size may
 * follow from the others': it has room for its bounds. */
static int place_others(struct sl_op_call *call, struct sl_diag *diag)
{
    size_t offsets[SL_OP_MAX_ARGS];
    for (uint32_t left = call->wide_in | call->wide_out; left != 0;) {
        uint32_t i = next_of(&left);
        struct sl_tensor *to = call->wide[i];
        imitate(to, real_tensor(call, i));
        to->room_bytes = (call->wide_out >> i & 1) != 0 ? to->max_nbytes : to->nbytes;
        offsets[i] = sl_ref_scratch(call, to->room_bytes).offset;
    }
    if (sl_workspace_reserve(&call->method->workspace, call->workspace_bytes) != 0)
        return no_memory(call, diag);
    for (uint32_t left = call->wide_in | call->wide_out; left != 0;) {
        uint32_t i = next_of(&left);
        call->wide[i]->data = call->method->workspace.base + offsets[i];
    }
    return 0;
}

/* One block holds all the call's constants, at their bounds: their places never change. */
static int place_constants(struct sl_op_call *call, struct sl_diag *diag)
{
    size_t bytes = 0, used = 0;
    for (uint32_t left = call->wide_constant; left != 0;) {
        uint32_t i = next_of(&left);
        imitate(call->wide[i], real_tensor(call, i));
        if (__builtin_add_overflow(bytes, room_of(call->wide[i]->max_nbytes), &bytes))
            return no_memory(call, diag);
    }
    bool first = !call->constant_block;
    if (first) {
        call->constant_block = sl_budget_alloc(&call->method->budget, bytes);
        call->constant_bytes = bytes;
    }
    int rc = call->constant_block ? 0 : no_memory(call, diag);
    for (uint32_t left = call->wide_constant; left != 0 && rc == 0;)
        rc = place_constant(call, next_of(&left), first, &used, diag);
    return rc;
}

int sl_wide_open(struct sl_op_call *call, struct sl_diag *diag)
{
    int rc = 0;
    if (!call->method->has_halves)
        return 0;
    if (!call->wide_known)
        rc = find_halves(call, diag);
    if (rc != 0 || all_of(call) == 0)
        return rc;
    rc = place_others(call, diag);
    if (rc == 0 && call->wide_constant != 0)
        rc = place_constants(call, diag);
    if (rc == 0)
        add_conversions(call, call->wide_in, false);
    call->main_step = call->step_count;
    return rc;
}

int sl_wide_close(struct sl_op_call *call, struct sl_diag *diag)
{
    for (uint32_t left = all_of(call); left != 0;) {
        uint32_t i = next_of(&left);
        struct sl_tensor *real = real_tensor(call, i), *wide = call->wide[i];
        int rc = (call->wide_out >> i & 1) != 0
                     ? sl_tensor_resize(real, wide->rank, wide->sizes, diag)
                     : 0;
        if (rc != 0)
            return rc;
        if (!real->data || real->nbytes > real->room_bytes)
            return sl_op_fail(call, diag, SL_ET_INVALID_PROGRAM,
                              "an argument has no memory for its shape");
    }
    if (call->step_count == call->main_step)
        call->main_step = 0;
    add_conversions(call, call->wide_out, true);
    return 0;
}

bool sl_wide_any(const struct sl_op_call *call)
{
    return all_of(call) != 0;
}

void sl_wide_fini(struct sl_op_call *call)
{
    sl_budget_free(&call->method->budget, call->constant_block, call->constant_bytes);
    call->constant_block = NULL;
    memset(call->wide, 0, sizeof(call->wide));
    call->wide_in = call->wide_out = call->wide_constant = 0;
    call->wide_known = false;
}
