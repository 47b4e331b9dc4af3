/* host/inspect/inspect.h: what a program holds: every operator with type, shape, work and bytes,
 * and (once an agent was asked) the kernels that would run it with SME2 off and on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"
#include "common/format/operands.h"
#include "common/format/pte.h"

struct sl_diag;

enum {
    SL_INSPECT_MAX_NODES = 1 << 16,
    SL_INSPECT_MAX_FROM = 6,
    SL_INSPECT_SHAPE_BYTES = 96,
    SL_INSPECT_KERNEL_BYTES = 112,
};

/* The kind of a node's work, as far as its cost goes. */
enum sl_node_work {
    SL_WORK_OTHER,
    SL_WORK_PRODUCT,   /* m rows by k, k by n; `batch` times */
    SL_WORK_WINDOW,    /* a convolution: m output pixels, n channels, k taps times channels */
    SL_WORK_DEPTHWISE, /* m output pixels, n channels, k taps; pooling too, without MACs */
    SL_WORK_FOLD,      /* m times k numbers to one, for each of n */
    SL_WORK_ELEMENTS,  /* n elements; of a transposition m rows of n */
};

enum sl_engine { SL_ENGINE_NONE, SL_ENGINE_SME2, SL_ENGINE_NEON, SL_ENGINE_PORTABLE };

/* Why SME2 does not serve a node; the words are sl_why_words(). */
enum sl_why {
    SL_WHY_SERVED,
    SL_WHY_UNKNOWN,       /* no agent was asked */
    SL_WHY_MERGED,        /* another operator does its work */
    SL_WHY_MOVES,         /* bytes are moved or numbers computed, nothing for vectors */
    SL_WHY_NOT_DELEGATED, /* outside the delegate, where no kernel of ours has SME2 */
    SL_WHY_TYPE,          /* there is such an SME2 kernel, of another type */
    SL_WHY_SHAPE,         /* there is one of this type, which this shape does not reach */
    SL_WHY_KIND,          /* there is none */
    SL_WHY_REFUSED,       /* the method does not load */
    SL_WHY_END
};

/* The kernels of one variant. All zeros: the node has no operator of its own there. */
struct sl_choice {
    char name[64];                        /* the operator's, as ETDumps have it */
    char kernel[SL_INSPECT_KERNEL_BYTES]; /* the one that counts; "" for none */
    int engine;                           /* enum sl_engine */
    uint32_t operators;
    bool predicted; /* `insns` was computed */
    uint64_t insns;
};

struct sl_inspect_node {
    uint32_t method, chain, instruction;
    int32_t delegate;                   /* -1: an operator outside delegates */
    uint32_t index;                     /* in the delegate; the operator's number outside */
    const char *kind;                   /* "Conv2d", "aten::add.out"; borrowed from the program */
    const char *type;                   /* of what it computes in: "fp32", "Float"; static */
    char shape[SL_INSPECT_SHAPE_BYTES]; /* "1x8x8x3 * 16x3x3x3 -> 1x8x8x16" */
    char out_shape[48];
    int work;                      /* enum sl_node_work */
    uint64_t batch, m, n, k, taps; /* taps: rows of a window, else 1 */
    struct sl_operands operands;   /* biases left out; of a call the first three */
    uint64_t weight_bytes, in_bytes, out_bytes;
    uint32_t from_count, from[SL_INSPECT_MAX_FROM]; /* nodes of this program before it */
    struct sl_choice off, on;
    int why; /* enum sl_why */
};

/* One operator of a plan, in the order of execution; a node may come to several. */
struct sl_inspect_operator {
    uint32_t node;
    char name[64];                        /* as ETDumps have it, without " #N" */
    char kernel[SL_INSPECT_KERNEL_BYTES]; /* the one that counts; "" for none */
};

struct sl_inspect_delegate {
    const char *id;      /* borrowed from the program */
    uint64_t blob_bytes; /* graph without weights */
    uint32_t nodes, values;
};

struct sl_inspect_method {
    const struct sl_pte_plan *plan;
    uint32_t node_first, node_count;
    struct sl_inspect_delegate *delegates; /* plan->delegate_count */
    uint32_t delegate_calls;
    uint32_t planned_tensors, constant_tensors;
    uint64_t planned_tensor_bytes, constant_bytes;
    /* By the agent; all zeros before it was asked. */
    bool asked, loads, has_on; /* has_on: compiled for SME2 too */
    char problem[256];
    uint64_t packed_off_bytes, packed_on_bytes;
    struct sl_inspect_operator *operators[2]; /* owned; with SME2 off, on */
    uint32_t operator_count[2];
};

struct sl_inspect {
    struct sl_pte pte;
    uint64_t file_bytes;
    uint32_t method_count, node_count, node_room;
    struct sl_inspect_method *methods;
    struct sl_inspect_node *nodes;
    uint32_t svl_bits; /* of the CPU the agent ran on; 0: not asked */
};

/* Its nodes; NULL where it has none. */
static inline const struct sl_inspect_node *sl_inspect_nodes(const struct sl_inspect *inspect,
                                                             const struct sl_inspect_method *method)
{
    return method->node_count > 0 ? &inspect->nodes[method->node_first] : NULL;
}

/* Reads a whole program. `file` is borrowed and must outlive the result; end it with
 * sl_inspect_free(). Returns 0, what sl_pte_parse() returns, SL_E_LIMIT for more than
 * SL_INSPECT_MAX_NODES nodes, or -ENOMEM. A delegate that is not XNNPACK's has no nodes; a
 * damaged graph of XNNPACK is an error. */
int sl_inspect_new(struct sl_bytes file, struct sl_inspect **out, struct sl_diag *diag);
void sl_inspect_free(struct sl_inspect *inspect);

/* Puts the file before the place in it where sl_inspect_new() failed. */
void sl_inspect_name_file(const char *path, struct sl_diag *diag);

/* A sentence without its full stop, and a word for tables and JSON. Static. */
const char *sl_why_words(int why);
const char *sl_why_name(int why);

/* value.c. The fully qualified name, or NULL; "Tensor", "Int" ...; "Float 1x3x8x8", "" for what is
 * no tensor. */
const char *sl_inspect_value_name(const struct sl_pte_value *value);
const char *sl_inspect_value_kind(const struct sl_pte_value *value);
void sl_inspect_value_shape(const struct sl_pte_value *value, char *out, size_t size);
