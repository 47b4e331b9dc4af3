/* host/inspect/value.c: values of a program in words. */
#include <stdio.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "host/inspect/inspect.h"

const char *sl_inspect_value_name(const struct sl_pte_value *value)
{
    bool named = value->kind == SL_PTE_TENSOR && value->tensor->name && value->tensor->name[0];
    return named ? value->tensor->name : NULL;
}

const char *sl_inspect_value_kind(const struct sl_pte_value *value)
{
    static const char *const kinds[] = {
        "None",   "Null",    "Int",        "Bool",     "Double",     "Tensor",
        "String", "IntList", "DoubleList", "BoolList", "TensorList", "OptionalTensorList"};
    return value->kind >= 0 && (size_t)value->kind < sizeof(kinds) / sizeof(kinds[0])
               ? kinds[value->kind]
               : "?";
}

void sl_inspect_value_shape(const struct sl_pte_value *value, char *out, size_t size)
{
    out[0] = '\0';
    if (value->kind != SL_PTE_TENSOR)
        return;
    const struct sl_pte_tensor *tensor = value->tensor;
    snprintf(out, size, "%s", sl_scalar_name(tensor->scalar_type));
    for (uint32_t i = 0; i < tensor->rank; i++) {
        size_t len = strlen(out);
        snprintf(out + len, size - len, "%s%d", i == 0 ? " " : "x", tensor->sizes[i]);
    }
    size_t len = strlen(out);
    if (tensor->dynamism != SL_PTE_STATIC)
        snprintf(out + len, size - len, " at most");
}
