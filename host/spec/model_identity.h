/* host/spec/model_identity.h: what two runs must share to be runs of the same model. */
#pragma once

#include "common/base/digest.h"

/* The program's digest alone, or, where there are external weights or another method than the
 * first, one digest of all that: other weights make another model. `data` and `method` are "" for
 * none. */
void sl_model_identity(const char *program, const char *data, const char *method,
                       char out[SL_SHA256_HEX_SIZE]);
