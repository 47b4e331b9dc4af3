/* agent/runtime/ops/deconv.h: transposed convolution. */
#pragma once

#include <stddef.h>

struct sl_diag;
struct sl_op_call;

/* For aten::convolution.out with `transposed` set, its pairs read and at least 1 (stride, dilation)
 * or 0 (padding, `more` output padding), ranks and groups checked. */
int sl_deconv_prepare(struct sl_op_call *call, const size_t *stride, const size_t *padding,
                      const size_t *dilation, const size_t *more, struct sl_diag *diag);
