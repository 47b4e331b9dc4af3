/* common/format/scalar_type.c */
#include "common/format/scalar_type.h"

#include <stdint.h>

#include "common/base/bytes.h"

struct scalar {
    const char *name; /* NULL: no such number */
    size_t size;
    uint64_t one; /* its first bytes, little-endian; 0: what is packed or quantised has none */
};

static const struct scalar scalars[] = {
    [SL_SCALAR_BYTE] = {"Byte", 1, 1},
    [SL_SCALAR_CHAR] = {"Char", 1, 1},
    [SL_SCALAR_SHORT] = {"Short", 2, 1},
    [SL_SCALAR_INT] = {"Int", 4, 1},
    [SL_SCALAR_LONG] = {"Long", 8, 1},
    [SL_SCALAR_HALF] = {"Half", 2, 0x3c00},
    [SL_SCALAR_FLOAT] = {"Float", 4, 0x3f800000},
    [SL_SCALAR_DOUBLE] = {"Double", 8, 0x3ff0000000000000},
    [SL_SCALAR_COMPLEX32] = {"ComplexHalf", 4, 0x3c00},
    [SL_SCALAR_COMPLEX64] = {"ComplexFloat", 8, 0x3f800000},
    [SL_SCALAR_COMPLEX128] = {"ComplexDouble", 16, 0x3ff0000000000000},
    [SL_SCALAR_BOOL] = {"Bool", 1, 1},
    [SL_SCALAR_QINT8] = {"QInt8", 1, 0},
    [SL_SCALAR_QUINT8] = {"QUInt8", 1, 0},
    [SL_SCALAR_QINT32] = {"QInt32", 4, 0},
    [SL_SCALAR_BFLOAT16] = {"BFloat16", 2, 0x3f80},
    [SL_SCALAR_QUINT4X2] = {"QUInt4x2", 1, 0},
    [SL_SCALAR_QUINT2X4] = {"QUInt2x4", 1, 0},
    [SL_SCALAR_BITS16] = {"Bits16", 2, 0},
    [SL_SCALAR_FLOAT8E5M2] = {"Float8_e5m2", 1, 0},
    [SL_SCALAR_FLOAT8E4M3FN] = {"Float8_e4m3fn", 1, 0},
    [SL_SCALAR_FLOAT8E5M2FNUZ] = {"Float8_e5m2fnuz", 1, 0},
    [SL_SCALAR_FLOAT8E4M3FNUZ] = {"Float8_e4m3fnuz", 1, 0},
    [SL_SCALAR_UINT16] = {"UInt16", 2, 1},
    [SL_SCALAR_UINT32] = {"UInt32", 4, 1},
    [SL_SCALAR_UINT64] = {"UInt64", 8, 1},
};

static const struct scalar *find(int scalar_type)
{
    const int count = (int)(sizeof(scalars) / sizeof(scalars[0]));
    if (scalar_type < 0 || scalar_type >= count || !scalars[scalar_type].name)
        return NULL;
    return &scalars[scalar_type];
}

size_t sl_scalar_size(int scalar_type)
{
    const struct scalar *scalar = find(scalar_type);
    return scalar ? scalar->size : 0;
}

const char *sl_scalar_name(int scalar_type)
{
    const struct scalar *scalar = find(scalar_type);
    return scalar ? scalar->name : "?";
}

bool sl_scalar_fill_ones(int scalar_type, void *out, size_t nbytes)
{
    const struct scalar *scalar = find(scalar_type);
    uint8_t one[16] = {0}, *at = out;
    if (!scalar || scalar->one == 0)
        return false;
    sl_store_u64(one, scalar->one);
    for (size_t done = 0, part = 0; done < nbytes; done += part) {
        const size_t most = done > 0 ? done : scalar->size;
        part = most < nbytes - done ? most : nbytes - done;
        memcpy(at + done, done > 0 ? at : one, part);
    }
    return true;
}
