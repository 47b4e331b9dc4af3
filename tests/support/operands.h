/* tests/support/operands.h: operands of an operator, written as "1x64 * 10x64 -> 1x10". */
#pragma once

#include <stdlib.h>

#include "common/format/operands.h"

static inline struct sl_operands operands_of(const char *words, const char *kind)
{
    struct sl_operands operands = {.macs = 0};
    struct sl_dims *dims = NULL, beyond = {0};
    for (const char *at = words; *at; at++) {
        if (*at == '-')
            dims = &operands.out;
        if (*at < '0' || *at > '9')
            continue;
        if (!dims || (dims != &operands.out && at[-1] == ' '))
            dims = sl_operands_add(&operands, &beyond);
        char *end;
        sl_dims_add(dims, strtoull(at, &end, 10));
        at = end - 1;
    }
    sl_operands_finish(&operands, kind, false);
    return operands;
}
