/* agent/runtime/method_io.c: a method as its caller sees it: inputs, outputs, planned memory. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "agent/runtime/method.h"
#include "common/format/scalar_type.h"

const char *sl_method_name(const struct sl_method *method)
{
    return method->plan->name;
}

size_t sl_method_planned_buffers(const struct sl_method *method)
{
    return method->plan->buffer_count;
}

size_t sl_method_planned_bytes(const struct sl_method *method, size_t buffer)
{
    return buffer < method->plan->buffer_count ? (size_t)method->plan->buffer_bytes[buffer] : 0;
}

size_t sl_method_input_count(const struct sl_method *method)
{
    return method->plan->input_count;
}

size_t sl_method_output_count(const struct sl_method *method)
{
    return method->plan->output_count;
}

static struct sl_plain_value plain_of(const struct sl_method_value *value)
{
    struct sl_plain_value plain = {.kind = value->kind};
    if (value->kind == SL_PTE_INT)
        plain.int_value = value->int_value;
    else if (value->kind == SL_PTE_BOOL)
        plain.int_value = value->bool_value;
    else if (value->kind == SL_PTE_DOUBLE)
        plain.double_value = value->double_value;
    else if (value->kind == SL_PTE_STRING)
        plain.text = value->string_value;
    return plain;
}

static void view_of(const struct sl_method *method, uint32_t index, struct sl_tensor_view *out)
{
    const struct sl_tensor *tensor = sl_method_tensor(method, index);
    *out = (struct sl_tensor_view){.scalar_type = -1, .plain = plain_of(&method->values[index])};
    if (!tensor)
        return;
    *out = (struct sl_tensor_view){
        .scalar_type = tensor->scalar_type,
        .rank = tensor->rank,
        .sizes = tensor->sizes,
        .dim_order = tensor->dim_order,
        .nbytes = tensor->nbytes,
        .max_nbytes = tensor->max_nbytes,
        .data = tensor->nbytes <= tensor->room_bytes ? tensor->data : NULL,
    };
}

int sl_method_input(const struct sl_method *method, size_t i, struct sl_tensor_view *out)
{
    if (i >= method->plan->input_count)
        return SL_ET_INVALID_ARGUMENT;
    view_of(method, method->plan->inputs[i], out);
    return 0;
}

int sl_method_output(const struct sl_method *method, size_t i, struct sl_tensor_view *out)
{
    if (i >= method->plan->output_count)
        return SL_ET_INVALID_ARGUMENT;
    view_of(method, method->plan->outputs[i], out);
    return 0;
}

/* The tensor of input i that may be written, or an error. */
static int writable_input(const struct sl_method *method, size_t i, struct sl_tensor **out,
                          struct sl_diag *diag)
{
    if (i >= method->plan->input_count)
        return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL, "the method has no input %zu", i);
    struct sl_tensor *tensor = sl_method_tensor(method, method->plan->inputs[i]);
    if (!tensor)
        return sl_diag_set(diag, SL_ET_INVALID_TYPE, NULL, "input %zu is not a tensor", i);
    if (tensor->constant || !tensor->data)
        return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL, "input %zu cannot be written", i);
    *out = tensor;
    return 0;
}

int sl_method_resize_input(struct sl_method *method, size_t i, const int32_t *sizes,
                           struct sl_diag *diag)
{
    struct sl_tensor *tensor = NULL;
    int rc = writable_input(method, i, &tensor, diag);
    return rc != 0 ? rc : sl_tensor_resize(tensor, tensor->rank, sizes, diag);
}

/* As near as ExecuTorch wants the number given to be to the one that was traced. */
static bool near_traced(double given, double traced)
{
    double error = fabs(given - traced);
    if (isnan(given) || isnan(traced))
        return isnan(given) && isnan(traced);
    return given == traced || (isfinite(error) && error <= 1e-4 + fabs(1e-5 * traced));
}

/* A model traced with a number has become a program for that number. */
static int check_traced(size_t i, const struct sl_method_value *value, const void *data,
                        struct sl_diag *diag)
{
    static const char words[] = "input of method should have the same value as the input_evalue";
    int64_t integer = 0, traced = value->kind == SL_PTE_BOOL ? value->bool_value : value->int_value;
    double number = 0;
    if (value->kind == SL_PTE_DOUBLE) {
        memcpy(&number, data, sizeof(number));
        return near_traced(number, value->double_value)
                   ? 0
                   : sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                                 "The %zu-th %s, but get %f and %f", i, words, number,
                                 value->double_value);
    }
    if (value->kind == SL_PTE_BOOL)
        integer = *(const uint8_t *)data != 0;
    else
        memcpy(&integer, data, sizeof(integer));
    return integer == traced ? 0
                             : sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                                           "The %zu-th %s, but got %" PRId64 " and %" PRId64, i,
                                           words, traced, integer);
}

/* An input that is a number is 8 bytes, a truth value 1; None takes a place and nothing else. */
static int set_number(struct sl_method *method, size_t i, const struct sl_method_value *value,
                      const void *data, size_t nbytes, struct sl_diag *diag)
{
    size_t size = value->kind == SL_PTE_INT || value->kind == SL_PTE_DOUBLE ? 8
                  : value->kind == SL_PTE_BOOL                              ? 1
                                                                            : 0;
    if (value->kind > SL_PTE_DOUBLE)
        return sl_diag_set(diag, SL_ET_INVALID_TYPE, NULL,
                           "input %zu is neither a tensor nor a number", i);
    if (size != 0 && nbytes != size)
        return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                           "input %zu is a number of %zu bytes, not %zu", i, size, nbytes);
    int rc = size != 0 ? check_traced(i, value, data, diag) : 0;
    if (rc == 0)
        method->input_set[i] = true;
    return rc;
}

int sl_method_set_input(struct sl_method *method, size_t i, const void *data, size_t nbytes,
                        struct sl_diag *diag)
{
    struct sl_tensor *tensor = NULL;
    const struct sl_method_value *value =
        i < method->plan->input_count ? &method->values[method->plan->inputs[i]] : NULL;
    if (value && value->kind != SL_PTE_TENSOR)
        return set_number(method, i, value, data, nbytes, diag);
    int rc = writable_input(method, i, &tensor, diag);
    if (rc != 0)
        return rc;
    if (nbytes != tensor->nbytes || nbytes > tensor->room_bytes)
        return sl_diag_set(diag, SL_ET_INVALID_ARGUMENT, NULL,
                           "input size (%zu) and tensor size (%zu) mismatch!", nbytes,
                           tensor->nbytes);
    if (nbytes != 0)
        memcpy(tensor->data, data, nbytes);
    method->input_set[i] = true;
    return 0;
}

int sl_method_fill_inputs(struct sl_method *method, struct sl_diag *diag)
{
    for (size_t i = 0; i < method->plan->input_count; i++) {
        struct sl_tensor *tensor = NULL;
        if (!sl_method_tensor(method, method->plan->inputs[i]))
            continue;
        int rc = writable_input(method, i, &tensor, diag);
        if (rc != 0)
            return rc;
        if (tensor->nbytes > tensor->room_bytes)
            return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL, "input %zu has no room", i);
        if (!sl_scalar_fill_ones(tensor->scalar_type, tensor->data, tensor->nbytes))
            return sl_diag_set(diag, SL_ET_INVALID_TYPE, NULL,
                               "input %zu of type %s cannot be filled", i,
                               sl_scalar_name(tensor->scalar_type));
        method->input_set[i] = true;
    }
    return 0;
}
