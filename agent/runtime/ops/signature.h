/* agent/runtime/ops/signature.h: do a call's arguments fit its operator's signature? */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sl_diag;
struct sl_op_call;

/* Checks the arguments against the signature: kinds, element types, writable outputs; once for as
 * long as no value becomes another. */
int sl_op_check(struct sl_op_call *call, struct sl_diag *diag);

enum { SL_OP_WRITTEN = 1 << 18 };
extern const uint32_t sl_op_meanings[128]; /* signature.c says what a letter stands for */

/* True if the letter stands for an output. */
static inline bool sl_op_is_written(char letter)
{
    return (sl_op_meanings[letter & 127] & SL_OP_WRITTEN) != 0;
}

/* True if the letter stands for f32; half precision is then given as f32. */
bool sl_op_takes_floats(char letter);
