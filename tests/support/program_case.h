/* tests/support/program_case.h: a program of a few instructions, made by hand without a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/runtime/method.h"
#include "common/base/error.h"

enum {
    SL_PROGRAM_VALUES = 40,
    SL_PROGRAM_FLOATS = 2048,
    SL_PROGRAM_ARGS = 17,
    SL_PROGRAM_CODE = 8,
    SL_PROGRAM_BYTES = 1 << 18
};

struct sl_program_case {
    struct sl_pte_value values[SL_PROGRAM_VALUES];
    struct sl_pte_tensor tensors[SL_PROGRAM_VALUES];
    int32_t sizes[SL_PROGRAM_VALUES][SL_TENSOR_MAX_RANK];
    int64_t lists[SL_PROGRAM_VALUES][8];
    uint32_t value_count, tensor_count, args[SL_PROGRAM_CODE][SL_PROGRAM_ARGS], inputs[4],
        outputs[4];
    struct sl_pte_instruction code[SL_PROGRAM_CODE];
    struct sl_pte_operator operators[SL_PROGRAM_CODE];
    uint32_t operator_count;        /* those of the calls, not of jumps beside them */
    struct sl_pte_chain chain, run; /* as added; as loaded */
    struct sl_pte_plan plan;
    uint64_t planned_bytes, buffer_bytes, constant_offsets[SL_PROGRAM_VALUES], constant_bytes;
    _Alignas(16) float constants[8 * SL_PROGRAM_FLOATS];
    struct sl_model model;
    char log[1024];
    struct sl_method *method;
    struct sl_variant *variant;
    struct sl_diag diag;
};

extern struct sl_program_case sl_program; /* the one being tested */

#define SL_SIZES(...) sizeof((int32_t[]){__VA_ARGS__}) / 4, ((const int32_t[]){__VA_ARGS__})
#define SL_ARGS(...) sizeof((uint32_t[]){__VA_ARGS__}) / 4, ((const uint32_t[]){__VA_ARGS__})

/* Starts an empty program. */
void sl_program_begin(void);
/* Memory order: logical, or NHWC for rank 4. */
const uint8_t *sl_program_order_of(uint32_t rank, bool nhwc);
/* Values, by their index. Planned tensors lie one after the other. */
uint32_t sl_program_add_typed(int scalar_type, uint32_t rank, const int32_t *sizes, bool planned);
uint32_t sl_program_add_tensor(uint32_t rank, const int32_t *sizes);
/* The i-th number of all data; a planned tensor of value v starts at number v. */
float sl_program_sample(size_t i);
uint32_t sl_program_add_constant(uint32_t rank, const int32_t *sizes);
const float *sl_program_constant(uint32_t i);
uint32_t sl_program_add_int(int64_t number);
uint32_t sl_program_add_double(double number);
uint32_t sl_program_add_bool(bool truth);
uint32_t sl_program_add_null(void);
uint32_t sl_program_add_string(const char *word); /* borrowed */
uint32_t sl_program_add_list(uint32_t count, const int32_t *numbers);
/* Calls an operator; the return entry repeats the last argument. */
void sl_program_add_call(const char *name, uint32_t count, const uint32_t *args);
/* Makes the method and a variant of it. */
int sl_program_load(uint32_t isa);
/* The same of other instructions than those added. */
int sl_program_load_code(const struct sl_pte_instruction *code, uint32_t count, uint32_t isa);
float *sl_program_floats(uint32_t i);
/* Fills every planned tensor with samples, then executes. */
int sl_program_execute(void);
/* The bytes of a tensor. */
void *sl_program_bytes(uint32_t value);
/* Loads for the CPU, or executes with the data that is there; fails the test when that does. */
void sl_program_must_load(void);
void sl_program_must_execute(void);
/* Loads for the CPU and executes; fails the test when either does. */
void sl_program_run(void);
/* Frees all. */
void sl_program_end(void);
/* Loads the program for no SME2, executes it and ends it: 0, or what failed said, which has words.
 */
int sl_program_attempt(void);
/* Fails unless the two agree to 2e-5. */
void sl_program_check_float(float have, double want);
