/* agent/run/print_value.c */
#include "agent/run/print_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"

enum { ITEMS_PER_LINE = 10, EDGE_ITEMS = 100, ITEM_BYTES = 48 };

/* Six significant digits. A dot follows where the text alone would pass for an integer's, but not
 * where rounding made it look so. */
static void format_double(double value, char out[ITEM_BYTES])
{
    int len = snprintf(out, ITEM_BYTES, "%g", value);
    if (!isfinite(value) || fabs(value) >= 1e6)
        return;
    char whole[ITEM_BYTES];
    snprintf(whole, sizeof(whole), "%" PRId64, (int64_t)value);
    if (value == 0 || strcmp(whole, out) == 0)
        snprintf(out + len, ITEM_BYTES - (size_t)len, ".");
}

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double magnitude = exponent == 0    ? ldexp(fraction, -24)
                       : exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static double bfloat_to_double(uint16_t bits)
{
    uint8_t wide[4] = {0, 0, (uint8_t)bits, (uint8_t)(bits >> 8)};
    return (double)sl_load_f32(wide);
}

/* The element's text; false for a type that is never printed. */
static bool format_item(int type, const uint8_t *at, char out[ITEM_BYTES])
{
    switch (type) {
    case SL_SCALAR_BYTE:
        snprintf(out, ITEM_BYTES, "%u", at[0]);
        return true;
    case SL_SCALAR_CHAR:
        snprintf(out, ITEM_BYTES, "%d", (int8_t)at[0]);
        return true;
    case SL_SCALAR_SHORT:
        snprintf(out, ITEM_BYTES, "%d", (int16_t)sl_load_u16(at));
        return true;
    case SL_SCALAR_INT:
        snprintf(out, ITEM_BYTES, "%" PRId32, (int32_t)sl_load_u32(at));
        return true;
    case SL_SCALAR_LONG:
        snprintf(out, ITEM_BYTES, "%" PRId64, (int64_t)sl_load_u64(at));
        return true;
    case SL_SCALAR_BOOL:
        snprintf(out, ITEM_BYTES, "%s", at[0] ? "True" : "False");
        return true;
    case SL_SCALAR_HALF:
        format_double(half_to_double(sl_load_u16(at)), out);
        return true;
    case SL_SCALAR_BFLOAT16:
        format_double(bfloat_to_double(sl_load_u16(at)), out);
        return true;
    case SL_SCALAR_FLOAT:
        format_double((double)sl_load_f32(at), out);
        return true;
    case SL_SCALAR_DOUBLE:
        format_double(sl_load_f64(at), out);
        return true;
    default:
        return false;
    }
}

/* Writes item i of a list, with the line break and the comma that belong to it. */
static int put_item(struct sl_buf *out, const char *text, bool wraps, size_t printed, bool last)
{
    const char *before = wraps && printed % ITEMS_PER_LINE == 0 ? "\n  " : "";
    const char *after = wraps || !last ? ", " : "";
    return sl_buf_printf(out, "%s%s%s", before, text, after);
}

static int put_sizes(struct sl_buf *out, const struct sl_tensor_view *value)
{
    bool wraps = value->rank > ITEMS_PER_LINE;
    int rc = sl_buf_printf(out, "[");
    for (size_t i = 0; i < value->rank && rc == 0; i++) {
        char text[ITEM_BYTES];
        snprintf(text, sizeof(text), "%" PRId32, value->sizes[i]);
        rc = put_item(out, text, wraps, i, i + 1 == value->rank);
    }
    return rc < 0 ? rc : sl_buf_printf(out, wraps ? "\n]" : "]");
}

static int put_elements(struct sl_buf *out, const struct sl_tensor_view *value)
{
    size_t width = sl_scalar_size(value->scalar_type);
    size_t count = width ? value->nbytes / width : 0, printed = 0;
    bool elides = count > 2 * EDGE_ITEMS, wraps = count > ITEMS_PER_LINE;
    char text[ITEM_BYTES];
    const uint8_t *data = value->data;
    static const uint8_t zero[8];
    if (!format_item(value->scalar_type, zero, text))
        return sl_buf_printf(out, "[<unhandled scalar type %d>]", value->scalar_type);
    int rc = sl_buf_printf(out, "[");
    for (size_t i = 0; i < count && rc == 0; i++, printed++) {
        if (elides && i == EDGE_ITEMS) {
            rc = sl_buf_printf(out, "\n  ...,");
            i = count - EDGE_ITEMS; /* the hundred before ended a line */
        }
        format_item(value->scalar_type, data ? data + i * width : zero, text);
        if (rc == 0)
            rc = put_item(out, text, wraps, printed, i + 1 == count);
    }
    return rc < 0 ? rc : sl_buf_printf(out, wraps ? "\n]" : "]");
}

/* In quotes, with a backslash before those in it and before backslashes. */
static int put_quoted(struct sl_buf *out, const char *text)
{
    int rc = sl_buf_printf(out, "\"");
    for (; *text && rc == 0; text++)
        rc = sl_buf_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    return rc < 0 ? rc : sl_buf_printf(out, "\"");
}

static int put_plain(struct sl_buf *out, const struct sl_plain_value *value)
{
    char text[ITEM_BYTES];
    switch (value->kind) {
    case SL_PTE_NONE:
    case SL_PTE_NULL:
        return sl_buf_printf(out, "None");
    case SL_PTE_INT:
        return sl_buf_printf(out, "%" PRId64, value->int_value);
    case SL_PTE_BOOL:
        return sl_buf_printf(out, value->int_value ? "True" : "False");
    case SL_PTE_DOUBLE:
        format_double(value->double_value, text);
        return sl_buf_printf(out, "%s", text);
    case SL_PTE_STRING:
        return put_quoted(out, value->text);
    default: /* exporters write the items of a list as outputs of their own */
        return sl_buf_printf(out, "<list>");
    }
}

int sl_print_summary(struct sl_buf *out, size_t index, const struct sl_tensor_view *value)
{
    int rc = sl_buf_printf(out, "OutputX %zu: ", index);
    if (rc < 0)
        return rc;
    if (value->scalar_type < 0) {
        rc = put_plain(out, &value->plain);
        return rc < 0 ? rc : sl_buf_printf(out, "\n");
    }
    rc = sl_buf_printf(out, "tensor(sizes=");
    if (rc == 0)
        rc = put_sizes(out, value);
    if (rc == 0)
        rc = sl_buf_printf(out, ", ");
    if (rc == 0)
        rc = put_elements(out, value);
    return rc < 0 ? rc : sl_buf_printf(out, ")\n");
}

static int put_line(struct sl_buf *out, size_t index, size_t i, int type, const uint8_t *at)
{
    switch (type) {
    case SL_SCALAR_INT:
        return sl_buf_printf(out, "Output[%zu][%zu]: (int) %" PRId32 "\n", index, i,
                             (int32_t)sl_load_u32(at));
    case SL_SCALAR_FLOAT:
        return sl_buf_printf(out, "Output[%zu][%zu]: (float) %f\n", index, i,
                             (double)sl_load_f32(at));
    case SL_SCALAR_CHAR:
        return sl_buf_printf(out, "Output[%zu][%zu]: (char) %d\n", index, i, (int8_t)at[0]);
    case SL_SCALAR_BOOL:
        return sl_buf_printf(out, "Output[%zu][%zu]: (bool) %s (0x%x)\n", index, i,
                             at[0] ? "true " : "false", at[0]);
    default:
        return 0;
    }
}

int sl_print_all(struct sl_buf *out, size_t index, const struct sl_tensor_view *value)
{
    static const uint8_t zero[8];
    size_t width = sl_scalar_size(value->scalar_type);
    const uint8_t *data = value->data;
    int rc = 0;
    if (value->scalar_type < 0)
        return sl_buf_printf(out, "Output[%zu]: Not Tensor\n", index);
    for (size_t i = 0; width && i < value->nbytes / width && rc == 0; i++)
        rc = put_line(out, index, i, value->scalar_type, data ? data + i * width : zero);
    return rc;
}
