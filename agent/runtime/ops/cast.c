/* agent/runtime/ops/cast.c */
#include "agent/runtime/ops/cast.h"

#include "common/format/scalar_type.h"
#include "kernels/cpu/half.h"

/* One pair of loops for each class and element type: GET and PUT turn an element into a number of
 * the class and back. Dense elements have a loop of their own, which vectorises. */
#define CAST(name, element, number, GET, PUT)                                                      \
    static void load_##name(const uint8_t *in, ptrdiff_t stride, size_t count, void *out)          \
    {                                                                                              \
        number *to = out;                                                                          \
        const element *from = (const element *)(const void *)in;                                   \
        if (stride == (ptrdiff_t)sizeof(element))                                                  \
            for (size_t i = 0; i < count; i++)                                                     \
                to[i] = GET(from[i]);                                                              \
        else                                                                                       \
            for (size_t i = 0; i < count; i++, in += stride)                                       \
                to[i] = GET(*(const element *)(const void *)in);                                   \
    }                                                                                              \
    static void store_##name(const void *in, size_t count, uint8_t *out, ptrdiff_t stride)         \
    {                                                                                              \
        const number *from = in;                                                                   \
        element *to = (element *)(void *)out;                                                      \
        if (stride == (ptrdiff_t)sizeof(element))                                                  \
            for (size_t i = 0; i < count; i++)                                                     \
                to[i] = PUT(element, from[i]);                                                     \
        else                                                                                       \
            for (size_t i = 0; i < count; i++, out += stride)                                      \
                *(element *)(void *)out = PUT(element, from[i]);                                   \
    }

#define F32_GET(x) ((float)(x))
/* Narrow integers are what is left of 32 bits. */
#define TO_INT(element, x)                                                                         \
    ((element)(sizeof(element) == 8 ? sl_cast_to_int(x) : (int64_t)sl_cast_to_int32(x)))
#define F32_PUT(element, x) TO_INT(element, (double)(x))
#define F32_KEEP(element, x) ((element)(x))
#define F32_TRUTH(element, x) ((element)((x) != 0.0f))
#define F32_HALF(element, x) sl_half_from_float(x)
#define F32_BFLOAT(element, x) sl_bfloat_from_float(x)
#define F64_GET(x) ((double)(x))
#define F64_PUT(element, x) TO_INT(element, x)
#define F64_TRUTH(element, x) ((element)((x) != 0.0))
#define F64_FROM_HALF(x) ((double)sl_half_to_float(x))
#define F64_FROM_BFLOAT(x) ((double)sl_bfloat_to_float(x))
#define I64_GET(x) ((int64_t)(x))
#define I64_PUT(element, x) ((element)(x))
#define I64_TRUTH(element, x) ((element)((x) != 0))
#define I64_FROM_FLOAT(x) sl_cast_to_int((double)(x))
#define I64_FROM_HALF(x) sl_cast_to_int((double)sl_half_to_float(x))
#define I64_FROM_BFLOAT(x) sl_cast_to_int((double)sl_bfloat_to_float(x))
#define I64_HALF(element, x) sl_half_from_float((float)(x))
#define I64_BFLOAT(element, x) sl_bfloat_from_float((float)(x))

CAST(f32_u8, uint8_t, float, F32_GET, F32_PUT)
CAST(f32_i8, int8_t, float, F32_GET, F32_PUT)
CAST(f32_i16, int16_t, float, F32_GET, F32_PUT)
CAST(f32_i32, int32_t, float, F32_GET, F32_PUT)
CAST(f32_i64, int64_t, float, F32_GET, F32_PUT)
CAST(f32_f16, uint16_t, float, sl_half_to_float, F32_HALF)
CAST(f32_f32, float, float, F32_GET, F32_KEEP)
CAST(f32_f64, double, float, F32_GET, F32_KEEP)
CAST(f32_bool, uint8_t, float, F32_GET, F32_TRUTH)
CAST(f32_bf16, uint16_t, float, sl_bfloat_to_float, F32_BFLOAT)
CAST(i64_u8, uint8_t, int64_t, I64_GET, I64_PUT)
CAST(i64_i8, int8_t, int64_t, I64_GET, I64_PUT)
CAST(i64_i16, int16_t, int64_t, I64_GET, I64_PUT)
CAST(i64_i32, int32_t, int64_t, I64_GET, I64_PUT)
CAST(i64_i64, int64_t, int64_t, I64_GET, I64_PUT)
CAST(i64_f16, uint16_t, int64_t, I64_FROM_HALF, I64_HALF)
CAST(i64_f32, float, int64_t, I64_FROM_FLOAT, I64_PUT)
CAST(i64_f64, double, int64_t, I64_FROM_FLOAT, I64_PUT)
CAST(i64_bool, uint8_t, int64_t, I64_GET, I64_TRUTH)
CAST(i64_bf16, uint16_t, int64_t, I64_FROM_BFLOAT, I64_BFLOAT)

CAST(f64_u8, uint8_t, double, F64_GET, F64_PUT)
CAST(f64_i8, int8_t, double, F64_GET, F64_PUT)
CAST(f64_i16, int16_t, double, F64_GET, F64_PUT)
CAST(f64_i32, int32_t, double, F64_GET, F64_PUT)
CAST(f64_i64, int64_t, double, F64_GET, F64_PUT)
CAST(f64_f16, uint16_t, double, F64_FROM_HALF, I64_HALF)
CAST(f64_f32, float, double, F64_GET, F32_KEEP)
CAST(f64_f64, double, double, F64_GET, F32_KEEP)
CAST(f64_bool, uint8_t, double, F64_GET, F64_TRUTH)
CAST(f64_bf16, uint16_t, double, F64_FROM_BFLOAT, I64_BFLOAT)

static const struct {
    sl_cast_load_fn load[SL_CAST_CLASSES];
    sl_cast_store_fn store[SL_CAST_CLASSES];
} casts[] = {
#define ROW(type)                                                                                  \
    {                                                                                              \
        {load_f32_##type, load_i64_##type, load_f64_##type},                                       \
        {                                                                                          \
            store_f32_##type, store_i64_##type, store_f64_##type                                   \
        }                                                                                          \
    }
    [SL_SCALAR_BYTE] = ROW(u8),       [SL_SCALAR_CHAR] = ROW(i8),    [SL_SCALAR_SHORT] = ROW(i16),
    [SL_SCALAR_INT] = ROW(i32),       [SL_SCALAR_LONG] = ROW(i64),   [SL_SCALAR_HALF] = ROW(f16),
    [SL_SCALAR_FLOAT] = ROW(f32),     [SL_SCALAR_DOUBLE] = ROW(f64), [SL_SCALAR_BOOL] = ROW(bool),
    [SL_SCALAR_BFLOAT16] = ROW(bf16),
#undef ROW
};

static bool is_known(int scalar_type)
{
    return scalar_type >= 0 && (size_t)scalar_type < sizeof(casts) / sizeof(casts[0]);
}

sl_cast_load_fn sl_cast_load(int class, int scalar_type)
{
    return is_known(scalar_type) ? casts[scalar_type].load[class] : NULL;
}

sl_cast_store_fn sl_cast_store(int class, int scalar_type)
{
    return is_known(scalar_type) ? casts[scalar_type].store[class] : NULL;
}

int sl_cast_class(int scalar_type)
{
    return scalar_type == SL_SCALAR_DOUBLE ? SL_CAST_F64
           : sl_cast_is_float(scalar_type) ? SL_CAST_F32
                                           : SL_CAST_I64;
}

bool sl_cast_is_half(int scalar_type)
{
    return scalar_type == SL_SCALAR_HALF || scalar_type == SL_SCALAR_BFLOAT16;
}

bool sl_cast_is_float(int scalar_type)
{
    return sl_cast_is_half(scalar_type) || scalar_type == SL_SCALAR_FLOAT ||
           scalar_type == SL_SCALAR_DOUBLE;
}
