/* agent/runtime/executor.h: prepares and runs the instructions of a variant. */
#pragma once

struct sl_diag;
struct sl_instruction;
struct sl_variant;

/* Makes the instruction fit the shapes and addresses of now. 0 or a code of enum sl_et_error. */
int sl_instruction_prepare(struct sl_variant *variant, struct sl_instruction *instruction,
                           struct sl_diag *diag);
