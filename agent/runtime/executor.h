/* agent/runtime/executor.h: prepares and runs the instructions of a variant. */
#pragma once

#include <stdint.h>

struct sl_diag;
struct sl_instruction;
struct sl_recorder;
struct sl_variant;

/* Makes the instruction fit the shapes and addresses of now. 0 or a code of enum sl_et_error. */
int sl_instruction_prepare(struct sl_variant *variant, struct sl_instruction *instruction,
                           struct sl_diag *diag);

/* The same where it does not fit them already. */
int sl_instruction_ready(struct sl_variant *variant, struct sl_instruction *instruction,
                         struct sl_diag *diag);

/* Runs one; *next, the one after it in its chain, changes where it jumps. */
int sl_instruction_run(struct sl_variant *variant, struct sl_instruction *instruction,
                       struct sl_recorder *recorder, uint32_t *next, struct sl_diag *diag);

struct sl_method;
/* 0, and taken, when every input but None has been set since the last execution, which may have
 * used its memory for something else; else a code. */
int sl_method_take_inputs(struct sl_method *method, struct sl_diag *diag);
