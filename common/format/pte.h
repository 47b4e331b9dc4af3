/* common/format/pte.h: reader of ExecuTorch program files (.pte, identifier ET12).
 * Source of the format: ExecuTorch 1.5 schema/program.fbs and schema/extended_header.cpp. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/format/tensor_shape.h"

struct sl_diag;
struct sl_arena;

enum { SL_PTE_MAX_OPERATOR_NAME = 99 };

/* The numbers of the schema's KernelTypes. */
enum sl_pte_value_kind {
    SL_PTE_NONE = 0, /* also Null = 1 */
    SL_PTE_NULL = 1,
    SL_PTE_INT = 2,
    SL_PTE_BOOL = 3,
    SL_PTE_DOUBLE = 4,
    SL_PTE_TENSOR = 5,
    SL_PTE_STRING = 6,
    SL_PTE_INT_LIST = 7,              /* items name Int values */
    SL_PTE_DOUBLE_LIST = 8,           /* literal */
    SL_PTE_BOOL_LIST = 9,             /* literal */
    SL_PTE_TENSOR_LIST = 10,          /* items name Tensor values */
    SL_PTE_OPTIONAL_TENSOR_LIST = 11, /* items name Tensor or Null values, or are -1 */
};

enum sl_pte_dynamism { SL_PTE_STATIC = 0, SL_PTE_DYNAMIC_BOUND = 1, SL_PTE_DYNAMIC_UNBOUND = 2 };

struct sl_pte_tensor {
    int scalar_type;      /* enum sl_scalar_type */
    uint32_t rank;        /* at most SL_TENSOR_MAX_RANK */
    const int32_t *sizes; /* logical sizes, none negative; for a dynamic tensor the upper bounds */
    const uint8_t *dim_order; /* permutation of 0..rank-1, outermost in memory first */
    int dynamism;             /* enum sl_pte_dynamism */
    uint32_t data_buffer_idx; /* 0: no constant data */
    bool planned;             /* allocation_info is present: memory_id and memory_offset count */
    uint32_t memory_id;       /* 1-based */
    uint64_t memory_offset;   /* bytes into that planned buffer */
    bool external;            /* data (or initial state) comes from a .ptd, under `name` */
    const char *name;         /* fully qualified name, or NULL */
};

struct sl_pte_value {
    int kind; /* enum sl_pte_value_kind */
    union {
        int64_t int_value;
        bool bool_value;
        double double_value;
        const char *string_value;
        const struct sl_pte_tensor *tensor;
        struct {
            uint32_t count;
            const int64_t *ints;   /* INT_LIST, TENSOR_LIST, OPTIONAL_TENSOR_LIST: value indices */
            const double *doubles; /* DOUBLE_LIST */
            const uint8_t *bools;  /* BOOL_LIST */
        } list;
    };
};

enum sl_pte_instruction_kind {
    SL_PTE_KERNEL_CALL = 1,
    SL_PTE_DELEGATE_CALL = 2,
    SL_PTE_MOVE_CALL = 3,
    SL_PTE_JUMP_FALSE_CALL = 4,
    SL_PTE_FREE_CALL = 5,
};

/* Every index below was checked against the plan's tables. */
struct sl_pte_instruction {
    int kind;             /* enum sl_pte_instruction_kind */
    uint32_t index;       /* KERNEL_CALL: operator; DELEGATE_CALL: delegate; FREE_CALL: value */
    uint32_t arg_count;   /* KERNEL_CALL, DELEGATE_CALL */
    const uint32_t *args; /* value indices */
    /* MOVE_CALL: values; JUMP_FALSE_CALL: condition value, destination instruction (that behind the
     * last one ends the chain) */
    uint32_t from, to;
};

struct sl_pte_chain {
    uint32_t count;
    const struct sl_pte_instruction *instructions;
};

struct sl_pte_operator {
    const char *name; /* namespace and overload joined, e.g. "aten::add.out" */
};

struct sl_pte_compile_spec {
    const char *key;
    struct sl_bytes value;
};

struct sl_pte_delegate {
    const char *id;       /* e.g. "XnnpackBackend" */
    struct sl_bytes blob; /* borrowed from the file's bytes */
    uint64_t blob_offset; /* from the start of the file, for messages */
    uint32_t spec_count;
    const struct sl_pte_compile_spec *specs;
};

struct sl_pte_plan {
    const char *name;
    uint32_t value_count, tensor_count, input_count, output_count, chain_count, operator_count,
        delegate_count;
    const struct sl_pte_value *values;
    const uint32_t *inputs, *outputs; /* value indices */
    const struct sl_pte_chain *chains;
    const struct sl_pte_operator *operators;
    const struct sl_pte_delegate *delegates;
    uint32_t buffer_count;        /* planned buffers; the schema's reserved entry 0 is left out */
    const uint64_t *buffer_bytes; /* planned buffer b belongs to memory_id b + 1 */
};

enum { SL_PTE_NAMED_BUCKETS = 64 };

struct sl_pte_named_data {
    const char *key;
    uint64_t start;       /* its first bytes, zeros behind its end: most keys differ there */
    uint32_t next;        /* entry + 1 whose start falls into the same bucket; 0: none */
    struct sl_bytes data; /* the whole segment */
};

struct sl_pte {
    struct sl_bytes file; /* borrowed; must outlive this */
    uint32_t plan_count;
    const struct sl_pte_plan *plans;
    struct sl_bytes constants; /* constant segment; empty when there is none */
    uint32_t constant_count;   /* of constant_offsets; entry 0 means "no data" */
    const uint64_t *constant_offsets;
    struct sl_bytes mutable_data; /* segment of initial states; empty when there is none */
    uint32_t mutable_count;
    const uint64_t *mutable_offsets;
    uint32_t named_count;
    const struct sl_pte_named_data *named;
    uint32_t named_first[SL_PTE_NAMED_BUCKETS]; /* entry + 1 */
    struct sl_arena *pool;                      /* owns every array above */
};

/* Parses a whole file. Everything a later index or offset relies on is checked here: value,
 * operator and delegate indices, segment ranges, tensor shapes and permutations, IntList and
 * TensorList items, the ranges of planned tensors inside their buffers. Memory is bounded by a
 * small multiple of file.size. On success end `out` with sl_pte_fini(). Returns 0, SL_E_FORMAT,
 * SL_E_TRUNCATED, SL_E_UNSUPPORTED, SL_E_LIMIT or -ENOMEM; `diag` (may be NULL) then says what and
 * at which byte offset. */
int sl_pte_parse(struct sl_bytes file, struct sl_pte *out, struct sl_diag *diag);
void sl_pte_fini(struct sl_pte *pte);

/* The plan by name; NULL or "" is the first. NULL if there is none. */
const struct sl_pte_plan *sl_pte_find_plan(const struct sl_pte *pte, const char *name);

/* Bytes of the constant `data_buffer_idx` (needs `nbytes`), or SL_E_FORMAT when out of range. */
int sl_pte_constant(const struct sl_pte *pte, uint32_t data_buffer_idx, uint64_t nbytes,
                    const uint8_t **out_data);

/* Exact match of the key: 0 or SL_E_NOT_FOUND. */
int sl_pte_find_named(const struct sl_pte *pte, const char *key, struct sl_bytes *out);
