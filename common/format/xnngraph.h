/* common/format/xnngraph.h: reader of the XNNPACK delegate's blob (XH00 header, XN00/XN01
 * flatbuffer). Source of the format: ExecuTorch 1.5 backends/xnnpack/serialization/schema.fbs and
 * runtime/XNNHeader.cpp. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/bytes.h"

struct sl_diag;
struct sl_arena;

enum { SL_XNN_MAX_RANK = 6, SL_XNN_MAX_EXTERNS = 4096 };
#define SL_XNN_NO_ID UINT32_MAX

enum sl_xnn_datatype {
    SL_XNN_FP32 = 1,
    SL_XNN_FP16 = 2,
    SL_XNN_QINT8 = 3,
    SL_XNN_QUINT8 = 4,
    SL_XNN_QINT32 = 5,
    SL_XNN_QCINT8 = 6,
    SL_XNN_QCINT32 = 7,
    SL_XNN_QCINT4 = 8,
    SL_XNN_QDINT8 = 9,
    SL_XNN_QBINT4 = 10,
    SL_XNN_QPINT8 = 11,
    SL_XNN_INT32 = 12,
    SL_XNN_PFP32 = 13,
    SL_XNN_BF16 = 14,
};

/* Which member of the value's quantisation counts. */
enum sl_xnn_quant {
    SL_XNN_QUANT_NONE = 0,
    SL_XNN_QUANT_PER_CHANNEL = 1,
    SL_XNN_QUANT_PER_TENSOR = 2,
    SL_XNN_QUANT_PER_TOKEN = 3,
    SL_XNN_QUANT_PER_CHANNEL_GROUP = 4,
};

/* The source of constant bytes. */
enum sl_xnn_data_source {
    SL_XNN_DATA_NONE = 0,   /* not a constant */
    SL_XNN_DATA_NAMED = 1,  /* look up `key` in the program's named data */
    SL_XNN_DATA_INLINE = 2, /* `bytes`, inside the blob */
};

struct sl_xnn_data {
    int source;            /* enum sl_xnn_data_source */
    const char *key;       /* NAMED */
    struct sl_bytes bytes; /* INLINE; borrowed from the blob */
};

struct sl_xnn_value {
    uint32_t id;                    /* what nodes refer to */
    int datatype;                   /* enum sl_xnn_datatype */
    uint32_t rank;                  /* at most SL_XNN_MAX_RANK */
    uint32_t dims[SL_XNN_MAX_RANK]; /* physical order, row-major dense; product checked against
                                       overflow */
    uint32_t external_id; /* index in the delegate call's argument list, or SL_XNN_NO_ID */
    bool external_input, external_output;
    struct sl_xnn_data data;
    int dq_datatype; /* legacy: SL_XNN_QINT8 on an external float input, else 0 */
    struct {
        int kind;    /* enum sl_xnn_quant */
        float scale; /* PER_TENSOR */
        int32_t zero_point;
        int32_t channel_dim;  /* PER_CHANNEL, PER_CHANNEL_GROUP */
        uint32_t group_size;  /* PER_CHANNEL_GROUP */
        uint32_t scale_count; /* of the inline vector or of scale_data */
        const float *scales;  /* inline vector, owned by the graph; NULL when scale_data has them */
        struct sl_xnn_data scale_data; /* f32 (PER_CHANNEL) or bf16 (PER_CHANNEL_GROUP) */
        uint32_t nonbatch_dims;        /* PER_TOKEN */
    } quant;
};

/* XNodeUnion of the schema. */
enum sl_xnn_node_type {
    SL_XNN_ADD = 1,
    SL_XNN_FULLY_CONNECTED = 2,
    SL_XNN_SOFTMAX = 3,
    SL_XNN_SIGMOID = 4,
    SL_XNN_STATIC_TRANSPOSE = 5,
    SL_XNN_CLAMP = 6,
    SL_XNN_CONV2D = 7,
    SL_XNN_DIV = 8,
    SL_XNN_STATIC_RESIZE_BILINEAR_2D = 9,
    SL_XNN_STATIC_CONSTANT_PAD = 10,
    SL_XNN_AVG_POOLING_2D = 11,
    SL_XNN_MINIMUM = 12,
    SL_XNN_DEPTHWISE_CONV2D = 13,
    SL_XNN_MAX_POOLING_2D = 14,
    SL_XNN_MULTIPLY = 15,
    SL_XNN_SUBTRACT = 16,
    SL_XNN_FLOOR = 17,
    SL_XNN_CONVERT = 18,
    SL_XNN_GLOBAL_AVG_POOLING_2D = 19,
    SL_XNN_STATIC_RESHAPE = 20,
    SL_XNN_ARG_MAX_POOLING_2D = 21,
    SL_XNN_SQUARE_ROOT = 22,
    SL_XNN_CEILING = 23,
    SL_XNN_HARDSWISH = 24,
    SL_XNN_LEAKY_RELU = 25,
    SL_XNN_MAXIMUM = 26,
    SL_XNN_NEGATE = 27,
    SL_XNN_SQUARE = 28,
    SL_XNN_ELU = 29,
    SL_XNN_ABS = 30,
    SL_XNN_PRELU = 31,
    SL_XNN_CONCATENATE2 = 32,
    SL_XNN_CONCATENATE3 = 33,
    SL_XNN_CONCATENATE4 = 34,
    SL_XNN_STATIC_SLICE = 35,
    SL_XNN_SCALED_DOT_PRODUCT_ATTENTION = 36,
    SL_XNN_BATCH_MATRIX_MULTIPLY = 37,
    SL_XNN_CONCATENATE5 = 38,
    SL_XNN_CONV_TRANSPOSE_2D = 39,
    SL_XNN_RECIPROCAL_SQUARE_ROOT = 40,
    SL_XNN_LOG = 41,
    SL_XNN_GELU = 42,
    SL_XNN_TANH = 43,
    SL_XNN_EXP = 44,
    SL_XNN_SIN = 45,
    SL_XNN_COPY = 46,
    SL_XNN_COS = 47,
    SL_XNN_NODE_TYPE_END = 48,
};

/* Node flags. */
enum {
    SL_XNN_FLAG_TRANSPOSE_WEIGHTS = 0x1,
    SL_XNN_FLAG_TRANSPOSE_A = 0x2,
    SL_XNN_FLAG_SAME_PADDING = 0x4,
    SL_XNN_FLAG_ALIGN_CORNERS = 0x8,
    SL_XNN_FLAG_KEEP_DIMS = 0x40,
};

/* The window of convolutions and poolings, in the schema's order; fields that a node type lacks are
 * 0. */
struct sl_xnn_window {
    uint32_t padding_top, padding_right, padding_bottom, padding_left;
    uint32_t kernel_height, kernel_width;
    uint32_t stride_height, stride_width; /* the convolution's "subsampling" */
    uint32_t dilation_height, dilation_width;
    uint32_t group_input_channels, group_output_channels, groups;
    uint32_t adjustment_height, adjustment_width;
};

struct sl_xnn_node {
    int type;       /* enum sl_xnn_node_type */
    uint32_t index; /* position in the file */
    uint32_t flags;
    uint32_t debug_handle;
    /* Value ids in the order of the schema's id fields: inputs (with filter, bias, slope ...), then
     * outputs. An optional operand that is absent is SL_XNN_NO_ID; every other id resolves. */
    uint32_t input_count, inputs[6];
    uint32_t output_count, outputs[2];
    float output_min, output_max; /* -inf and +inf without OutputMinMax */
    struct sl_xnn_window window;
    uint32_t axis;                     /* CONCATENATE* */
    uint32_t param_count;              /* of params and params2 */
    uint32_t params[SL_XNN_MAX_RANK];  /* TRANSPOSE perm, RESHAPE new shape, SLICE offsets, PAD
                                          before, RESIZE height and width */
    uint32_t params2[SL_XNN_MAX_RANK]; /* SLICE sizes, PAD after */
    float alpha;                       /* LEAKY_RELU slope, ELU alpha, PAD value */
};

struct sl_xnn_graph {
    uint32_t value_count, node_count, extern_count;
    const struct sl_xnn_value *values; /* by rising id */
    const struct sl_xnn_node *nodes;   /* in topological order, as in the file */
    struct sl_arena *pool;             /* owns every array above */
};

/* Parses a blob. Checks every id, rank, parameter count, permutation and constant range; what a
 * node computes is its user's concern. Memory is bounded by a small multiple of blob.size. `blob`
 * is borrowed and must outlive the graph; end it with sl_xnn_graph_fini(). Returns as
 * sl_pte_parse() does; offsets in `diag` count from the start of the blob. */
int sl_xnn_graph_parse(struct sl_bytes blob, struct sl_xnn_graph *out, struct sl_diag *diag);
void sl_xnn_graph_fini(struct sl_xnn_graph *graph);

/* The value by id, or NULL. */
const struct sl_xnn_value *sl_xnn_find_value(const struct sl_xnn_graph *graph, uint32_t id);

/* The datatype as the schema names it, in small letters: "fp16"; "?" if it is none. Static.
 */
const char *sl_xnn_datatype_name(int datatype);

/* Bytes of one element, 0 for sub-byte (int4) and unknown datatypes. */
size_t sl_xnn_datatype_size(int datatype);

/* Bytes of a value's dense data; rows of 4-bit elements are padded to whole bytes. What a named
 * constant must have at least. */
uint64_t sl_xnn_value_bytes(const struct sl_xnn_value *value);

/* The schema's node name, such as "Conv2d"; "?" outside the list. */
const char *sl_xnn_node_name(int type);
