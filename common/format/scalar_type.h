/* common/format/scalar_type.h: the element types of ExecuTorch tensors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Numbers as in ExecuTorch's scalar_type.fbs, which .pte and ETDump share. */
enum sl_scalar_type {
    SL_SCALAR_BYTE = 0,
    SL_SCALAR_CHAR = 1,
    SL_SCALAR_SHORT = 2,
    SL_SCALAR_INT = 3,
    SL_SCALAR_LONG = 4,
    SL_SCALAR_HALF = 5,
    SL_SCALAR_FLOAT = 6,
    SL_SCALAR_DOUBLE = 7,
    SL_SCALAR_COMPLEX32 = 8, /* two halves */
    SL_SCALAR_COMPLEX64 = 9,
    SL_SCALAR_COMPLEX128 = 10,
    SL_SCALAR_BOOL = 11,
    SL_SCALAR_QINT8 = 12,
    SL_SCALAR_QUINT8 = 13,
    SL_SCALAR_QINT32 = 14,
    SL_SCALAR_BFLOAT16 = 15,
    SL_SCALAR_QUINT4X2 = 16,
    SL_SCALAR_QUINT2X4 = 17,
    SL_SCALAR_BITS16 = 22,
    SL_SCALAR_FLOAT8E5M2 = 23,
    SL_SCALAR_FLOAT8E4M3FN = 24,
    SL_SCALAR_FLOAT8E5M2FNUZ = 25,
    SL_SCALAR_FLOAT8E4M3FNUZ = 26,
    SL_SCALAR_UINT16 = 27,
    SL_SCALAR_UINT32 = 28,
    SL_SCALAR_UINT64 = 29,
};

/* Bytes of one element; 0 for a number that is none of the above. */
size_t sl_scalar_size(int scalar_type);

/* ExecuTorch's name, such as "Float"; "?" for a number that is none of the above. Static storage.
 */
const char *sl_scalar_name(int scalar_type);

/* Fills elements of `nbytes` together with ones; false, and nothing written, for a type that is
 * packed or quantised. */
bool sl_scalar_fill_ones(int scalar_type, void *out, size_t nbytes);
