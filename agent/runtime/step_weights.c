/* agent/runtime/step_weights.c: constant operands: their memory, their types. */

#include <string.h>

#include "agent/runtime/budget.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/step.h"
#include "agent/runtime/weights/weight_store.h"
#include "common/base/error.h"
#include "kernels/cpu/half.h"
#include "kernels/cpu/isa.h"

#define MAX_PRODUCT (UINT64_C(1) << 40)

void sl_weights_fini(struct sl_weights *weights)
{
    if (weights->blob)
        sl_weight_store_drop(weights->store, weights->blob);
    else if (weights->packed)
        sl_budget_free(weights->budget, weights->packed, weights->bytes);
    *weights = (struct sl_weights){.store = weights->store};
}

void sl_weights_fail(struct sl_weights *weights)
{
    if (weights->blob)
        weights->blob->failed = true;
    sl_weights_fini(weights);
}

uint64_t sl_weights_form(uint64_t form, const void *numbers, size_t bytes)
{
    const uint8_t *at = numbers;
    while (bytes > 0) {
        uint64_t word = 0;
        size_t part = bytes < sizeof(word) ? bytes : sizeof(word);
        memcpy(&word, at, part);
        form = (form ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        form ^= form >> 32;
        at += part;
        bytes -= part;
    }
    return form;
}

/* Takes the weights from the store, if there is one: others may have packed the same. */
static int take_shared(struct sl_weights *weights, const void *kernel, size_t bytes,
                       const struct sl_constants *c)
{
    const int types[2] = {c->weights_type, c->bias ? c->bias_type : -1};
    const struct sl_weight_key key = {
        .kernel = kernel,
        .weights = c->weights,
        .bias = c->bias,
        .scales = c->scales,
        .form = sl_weights_form(c->form, types, sizeof(types)),
        .bytes = bytes,
    };
    int rc = sl_weight_store_take(weights->store, &key, &weights->blob);
    if (rc >= 0)
        weights->packed = weights->blob->packed;
    return rc;
}

bool sl_product_ok(const size_t *factors, size_t count)
{
    uint64_t product = 1;
    for (size_t i = 0; i < count; i++)
        if (factors[i] > MAX_PRODUCT ||
            __builtin_mul_overflow(product, factors[i] != 0 ? factors[i] : 1, &product) ||
            product > MAX_PRODUCT)
            return false;
    return true;
}

int sl_weights_settle(struct sl_weights *weights, const void *kernel, size_t bytes,
                      const struct sl_constants *constants)
{
    if (!constants->weights || weights->kernel == kernel) {
        weights->kernel = kernel;
        return 0;
    }
    sl_weights_fini(weights);
    int rc = 1;
    if (weights->store)
        rc = take_shared(weights, kernel, bytes, constants);
    else
        weights->packed = sl_budget_alloc(constants->budget, bytes);
    if (!weights->packed)
        return SL_E_LIMIT;
    weights->kernel = kernel;
    weights->bytes = bytes;
    weights->budget = constants->budget;
    return rc;
}

/* Element i of constants of an enum sl_element type. */
static float constant_at(const void *data, int type, size_t i)
{
    if (type == SL_F32)
        return ((const float *)data)[i];
    uint16_t bits = ((const uint16_t *)data)[i];
    return type == SL_F16 ? sl_half_to_float(bits) : sl_bfloat_to_float(bits);
}

/* The conversion that a kernel has, or SL_CONVERT_OP_END. */
static int conversion(int from, int to)
{
    if (to == SL_F32)
        return from == SL_F16 ? SL_CONVERT_F32_F16 : SL_CONVERT_F32_BF16;
    if (from == SL_F32)
        return to == SL_F16 ? SL_CONVERT_F16_F32 : SL_CONVERT_BF16_F32;
    return SL_CONVERT_OP_END;
}

static void convert_constants(uint32_t isa, const void *data, int from, size_t count, void *out,
                              int to)
{
    enum { MANY = 1024 }; /* fewer are done before streaming mode is entered */
    int op = conversion(from, to);
    if (count < MANY)
        isa &= ~(uint32_t)(SL_ISA_SME | SL_ISA_SME2);
    if (op != SL_CONVERT_OP_END) {
        const struct sl_convert_args args = {.count = count, .in = data, .out = out};
        sl_convert_select(isa, op)->run(&args);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        float value = constant_at(data, from, i);
        ((uint16_t *)out)[i] =
            to == SL_F16 ? sl_half_from_float(value) : sl_bfloat_from_float(value);
    }
}

int sl_constants_take(const struct sl_constants *c, int type, size_t weights, size_t biases,
                      struct sl_taken *out)
{
    int bias_type = type == SL_BF16 ? SL_F32 : type;
    bool own_weights = !c->as_is && c->weights_type != type,
         own_bias = c->bias && c->bias_type != bias_type;
    size_t first = own_weights ? (weights * sl_element_bytes(type) + 63) & ~(size_t)63 : 0;
    *out = (struct sl_taken){.weights = c->weights, .bias = c->bias};
    if (!own_weights && !own_bias)
        return 0;
    out->own_bytes = first + (own_bias ? biases * sl_element_bytes(bias_type) : 0);
    out->own = sl_budget_alloc(c->budget, out->own_bytes);
    if (!out->own)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    if (own_weights) {
        convert_constants(c->isa, c->weights, c->weights_type, weights, out->own, type);
        out->weights = out->own;
    }
    if (own_bias) {
        out->bias = (uint8_t *)out->own + first;
        convert_constants(c->isa, c->bias, c->bias_type, biases, (uint8_t *)out->own + first,
                          bias_type);
    }
    return 0;
}

int sl_constants_turn(const struct sl_constants *c, size_t element_bytes, const size_t dims[4],
                      const size_t perm[4], struct sl_taken *taken)
{
    struct sl_step turn;
    size_t bytes = dims[0] * dims[1] * dims[2] * dims[3] * element_bytes;
    taken->turned = sl_budget_alloc(c->budget, bytes);
    taken->turned_bytes = bytes;
    if (!taken->turned)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    sl_step_permute_of(&turn, c->isa, element_bytes, 4, dims, perm);
    sl_step_bind(&turn, &(struct sl_step_operands){.a = taken->weights, .out = taken->turned});
    turn.run(&turn);
    taken->weights = taken->turned;
    return 0;
}

void sl_constants_drop(const struct sl_constants *constants, struct sl_taken *taken)
{
    if (taken->turned)
        sl_budget_free(constants->budget, taken->turned, taken->turned_bytes);
    if (taken->own)
        sl_budget_free(constants->budget, taken->own, taken->own_bytes);
    *taken = (struct sl_taken){0};
}

int sl_weights_take(struct sl_weights *weights, const void *kernel, size_t bytes,
                    const struct sl_constants *of, int element, uint64_t form, size_t count,
                    size_t biases, struct sl_taken *taken)
{
    struct sl_constants constants = *of;
    constants.form = form;
    *taken = (struct sl_taken){0};
    int pack = sl_weights_settle(weights, kernel, bytes, &constants);
    int rc = pack < 0 ? SL_ET_MEMORY_ALLOCATION_FAILED : 0;
    if (pack > 0)
        rc = sl_constants_take(&constants, element, count, biases, taken);
    if (rc != 0)
        sl_weights_fail(weights);
    return rc;
}
