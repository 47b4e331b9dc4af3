/* agent/executorch/apart_variant.h: a variant in the process beside this one, where the libraries
 * cannot have both in one. It opens the same files again; what it is asked for and what it answers
 * are made and read in runtime.cpp. */
#pragma once

#include "common/base/buf.h"
#include "common/base/bytes.h"

/* For sl_apart_start(). */
int sl_executorch_answer(struct sl_bytes question, struct sl_buf *reply);
