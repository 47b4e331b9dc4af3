/* tests/support/program_case.c */
#include "tests/support/program_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "kernels/cpu/isa.h"
#include "tests/support/test.h"

struct sl_program_case sl_program;

static void take_log(void *user, char level, const char *file, int line, const char *message)
{
    size_t len = strlen(sl_program.log);
    (void)user, (void)level, (void)file, (void)line;
    snprintf(sl_program.log + len, sizeof(sl_program.log) - len, "%s\n", message);
}

void sl_program_begin(void)
{
    memset(&sl_program, 0, sizeof(sl_program));
    sl_program.buffer_bytes = SL_PROGRAM_BYTES;
    sl_program.model.limits = (struct sl_runtime_limits){64 << 20, 1000};
    sl_program.model.log.log = take_log;
}

const uint8_t *sl_program_order_of(uint32_t rank, bool nhwc)
{
    static const uint8_t plain[] = {0, 1, 2, 3, 4, 5}, last[] = {0, 2, 3, 1};
    return nhwc && rank == 4 ? last : plain;
}

uint32_t sl_program_add_typed(int scalar_type, uint32_t rank, const int32_t *sizes, bool planned)
{
    uint32_t i = sl_program.value_count++;
    size_t bytes = sl_scalar_size(scalar_type);
    for (uint32_t d = 0; d < rank; d++) {
        sl_program.sizes[i][d] = sizes[d];
        bytes *= (size_t)sizes[d];
    }
    sl_program.tensors[i] = (struct sl_pte_tensor){.scalar_type = scalar_type,
                                                   .rank = rank,
                                                   .sizes = sl_program.sizes[i],
                                                   .dim_order = sl_program_order_of(rank, false),
                                                   .planned = planned,
                                                   .memory_id = 1,
                                                   .memory_offset = sl_program.planned_bytes};
    sl_program.tensor_count++;
    sl_program.values[i].kind = SL_PTE_TENSOR;
    sl_program.values[i].tensor = &sl_program.tensors[i];
    if (planned)
        sl_program.planned_bytes += (bytes + 63) / 64 * 64;
    assert_true(sl_program.planned_bytes <= SL_PROGRAM_BYTES);
    return i;
}

uint32_t sl_program_add_tensor(uint32_t rank, const int32_t *sizes)
{
    return sl_program_add_typed(SL_SCALAR_FLOAT, rank, sizes, true);
}

float sl_program_sample(size_t i)
{
    return (float)(i * 17 % 31) / 8.0f - 1.75f;
}

uint32_t sl_program_add_constant(uint32_t rank, const int32_t *sizes)
{
    uint32_t i = sl_program_add_typed(SL_SCALAR_FLOAT, rank, sizes, false);
    size_t count = 1, first = sl_program.constant_bytes / sizeof(float);
    for (uint32_t d = 0; d < rank; d++)
        count *= (size_t)sizes[d];
    for (size_t k = 0; k < count; k++)
        sl_program.constants[first + k] = sl_program_sample(k + 5);
    sl_program.tensors[i].data_buffer_idx = i + 1;
    sl_program.constant_offsets[i + 1] = sl_program.constant_bytes;
    sl_program.constant_bytes += (count * sizeof(float) + 15) / 16 * 16;
    return i;
}

const float *sl_program_constant(uint32_t i)
{
    return sl_program.constants + sl_program.constant_offsets[i + 1] / sizeof(float);
}

uint32_t sl_program_add_int(int64_t number)
{
    sl_program.values[sl_program.value_count] =
        (struct sl_pte_value){.kind = SL_PTE_INT, .int_value = number};
    return sl_program.value_count++;
}

uint32_t sl_program_add_double(double number)
{
    sl_program.values[sl_program.value_count] =
        (struct sl_pte_value){.kind = SL_PTE_DOUBLE, .double_value = number};
    return sl_program.value_count++;
}

uint32_t sl_program_add_bool(bool truth)
{
    sl_program.values[sl_program.value_count] =
        (struct sl_pte_value){.kind = SL_PTE_BOOL, .bool_value = truth};
    return sl_program.value_count++;
}

uint32_t sl_program_add_null(void)
{
    sl_program.values[sl_program.value_count].kind = SL_PTE_NULL;
    return sl_program.value_count++;
}

uint32_t sl_program_add_string(const char *word)
{
    sl_program.values[sl_program.value_count].kind = SL_PTE_STRING;
    sl_program.values[sl_program.value_count].string_value = word;
    return sl_program.value_count++;
}

uint32_t sl_program_add_list(uint32_t count, const int32_t *numbers)
{
    int64_t items[8];
    for (uint32_t i = 0; i < count; i++)
        items[i] = sl_program_add_int(numbers[i]);
    uint32_t at = sl_program.value_count++;
    memcpy(sl_program.lists[at], items, count * sizeof(*items));
    sl_program.values[at].kind = SL_PTE_INT_LIST;
    sl_program.values[at].list.count = count;
    sl_program.values[at].list.ints = sl_program.lists[at];
    return at;
}

void sl_program_add_call(const char *name, uint32_t count, const uint32_t *args)
{
    uint32_t i = sl_program.chain.count++, op = sl_program.operator_count++;
    sl_program.operators[op].name = name;
    memcpy(sl_program.args[i], args, count * sizeof(*args));
    sl_program.args[i][count] = args[count - 1];
    sl_program.code[i] = (struct sl_pte_instruction){.kind = SL_PTE_KERNEL_CALL,
                                                     .index = op,
                                                     .arg_count = count + 1,
                                                     .args = sl_program.args[i]};
}

int sl_program_load(uint32_t isa)
{
    return sl_program_load_code(sl_program.code, sl_program.chain.count, isa);
}

int sl_program_load_code(const struct sl_pte_instruction *code, uint32_t count, uint32_t isa)
{
    sl_program.method = NULL;
    sl_program.variant = NULL;
    sl_program.run = (struct sl_pte_chain){count, code};
    sl_program.plan = (struct sl_pte_plan){
        .name = "forward",
        .value_count = sl_program.value_count,
        .tensor_count = sl_program.tensor_count,
        .input_count = sl_program.plan.input_count,
        .output_count = sl_program.plan.output_count,
        .chain_count = 1,
        .operator_count = sl_program.operator_count,
        .values = sl_program.values,
        .inputs = sl_program.inputs,
        .outputs = sl_program.outputs,
        .chains = &sl_program.run,
        .operators = sl_program.operators,
        .buffer_count = 1,
        .buffer_bytes = &sl_program.buffer_bytes,
    };
    sl_program.model.pte.plan_count = 1;
    sl_program.model.pte.plans = &sl_program.plan;
    sl_program.model.pte.constants =
        (struct sl_bytes){(const uint8_t *)sl_program.constants, sizeof(sl_program.constants)};
    sl_program.model.pte.constant_count = SL_PROGRAM_VALUES;
    sl_program.model.pte.constant_offsets = sl_program.constant_offsets;
    int rc = sl_method_new(&sl_program.model, NULL, &sl_program.method, &sl_program.diag);
    if (rc == 0)
        rc = sl_variant_new(sl_program.method, isa, 0, NULL, &sl_program.variant, &sl_program.diag);
    return rc;
}

float *sl_program_floats(uint32_t i)
{
    return (float *)(void *)sl_method_tensor(sl_program.method, i)->data;
}

int sl_program_execute(void)
{
    for (uint32_t i = 0; i < sl_program.value_count; i++) {
        struct sl_tensor *tensor = sl_method_tensor(sl_program.method, i);
        for (size_t k = 0; tensor && tensor->planned && k < tensor->nbytes / sizeof(float); k++)
            sl_program_floats(i)[k] = sl_program_sample(k + i);
    }
    return sl_variant_execute(sl_program.variant, false, &sl_program.diag);
}

void *sl_program_bytes(uint32_t value)
{
    return sl_method_tensor(sl_program.method, value)->data;
}

void sl_program_must_load(void)
{
    if (sl_program_load(sl_isa_detect()) != 0)
        fail_msg("%s (%s)\n%s", sl_program.diag.what, sl_program.diag.where, sl_program.log);
}

void sl_program_must_execute(void)
{
    if (sl_variant_execute(sl_program.variant, false, &sl_program.diag) != 0)
        fail_msg("%s (%s)", sl_program.diag.what, sl_program.diag.where);
}

void sl_program_run(void)
{
    if (sl_program_load(sl_isa_detect()) != 0 || sl_program_execute() != 0)
        fail_msg("%s (%s)\n%s", sl_program.diag.what, sl_program.diag.where, sl_program.log);
}

void sl_program_end(void)
{
    sl_variant_free(sl_program.variant);
    sl_method_free(sl_program.method);
}

void sl_program_check_float(float have, double want)
{
    if (!(fabs((double)have - want) <= 2e-5 * fmax(1.0, fabs(want))))
        fail_msg("%g where %g was expected", (double)have, want);
}

int sl_program_attempt(void)
{
    int rc = sl_program_load(0);
    if (rc == 0)
        rc = sl_program_execute();
    assert_true(rc == 0 || sl_program.diag.what[0] != '\0');
    sl_program_end();
    return rc;
}
