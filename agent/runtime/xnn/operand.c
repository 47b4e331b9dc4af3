/* agent/runtime/xnn/operand.c */
#include "agent/runtime/xnn/operand.h"

#include <math.h>
#include <string.h>

#include "agent/runtime/runtime.h"
#include "agent/runtime/xnn/plan.h"
#include "common/base/error.h"
#include "common/base/mem.h"

static int bad_value(const struct sl_xnn_value *value, struct sl_diag *diag, const char *what)
{
    return sl_diag_set(diag, SL_ET_INVALID_PROGRAM, NULL, "value %u of the delegate: %s", value->id,
                       what);
}

/* Bytes of a constant, at a place fit for elements of `align` bytes. */
static int find_data(const struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                     const struct sl_xnn_data *data, uint64_t needed, size_t align,
                     const void **out, struct sl_diag *diag)
{
    struct sl_bytes bytes = data->bytes;
    if (data->source == SL_XNN_DATA_NAMED &&
        sl_model_find_named(plan->model, data->key, &bytes) != 0) {
        sl_model_log(plan->model, 'E', "XNNCompiler.cpp", 262,
                     "Failed to get constant data for key %s from named_data_map. Error code: %d",
                     data->key, (int)sl_et_code(SL_ET_NOT_FOUND));
        return sl_diag_set(
            diag, SL_ET_NOT_FOUND, NULL, "constant data %.80s is not in the program, %s", data->key,
            plan->model->data ? "nor in its external data file (.ptd)"
                              : "and no external data file (.ptd) is given: say --data_path");
    }
    if (!bytes.data || bytes.size < needed || (uintptr_t)bytes.data % align != 0)
        return bad_value(value, diag, "its data is too short or not aligned");
    *out = bytes.data;
    return 0;
}

static bool scale_ok(float scale)
{
    return isnormal(scale) && scale > 0.0f;
}

/* All of them, as bits: a vector at a time. */
static bool scales_ok(const float *scales, size_t count)
{
    const uint32_t least = 0x00800000, infinity = 0x7f800000;
    uint32_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &scales[i], sizeof(bits));
        bad |= bits - least >= infinity - least;
    }
    return bad == 0;
}

/* The same of bfloat16. */
static bool group_scales_ok(const uint16_t *scales, size_t count)
{
    const uint16_t least = 0x0080, infinity = 0x7f80;
    uint16_t bad = 0;
    for (size_t i = 0; i < count; i++)
        bad |= (uint16_t)(scales[i] - least) >= infinity - least;
    return bad == 0;
}

static int take_channel_scales(const struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                               struct sl_xnn_scaling *quant, struct sl_diag *diag)
{
    const void *scales = value->quant.scales;
    if (!scales) {
        int rc = find_data(plan, value, &value->quant.scale_data,
                           (uint64_t)value->quant.scale_count * sizeof(float), sizeof(float),
                           &scales, diag);
        if (rc != 0)
            return rc;
    }
    quant->scales = scales;
    return scales_ok(quant->scales, quant->scale_count)
               ? 0
               : bad_value(value, diag, "a scale of it is not positive and normal");
}

/* The exporter's inline scales are f32; as bfloat16 they are the nearest that is not smaller. */
static uint16_t group_scale_bits(float scale)
{
    uint32_t bits;
    scale *= 1.00389105f;
    memcpy(&bits, &scale, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static int take_group_scales(struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                             struct sl_xnn_operand *operand, struct sl_diag *diag)
{
    struct sl_xnn_scaling *quant = &operand->quant;
    uint32_t count = value->quant.scale_count;
    if (!value->quant.scales) {
        const void *scales = NULL;
        int rc =
            find_data(plan, value, &value->quant.scale_data, (uint64_t)count * 2, 2, &scales, diag);
        quant->group_scales = scales;
        if (rc != 0)
            return rc;
    } else {
        operand->own_group_scales =
            sl_xnn_plan_table(plan, count, sizeof(*operand->own_group_scales));
        if (!operand->own_group_scales)
            return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, NULL,
                               "its scales go over the memory limit");
        for (uint32_t i = 0; i < count; i++)
            operand->own_group_scales[i] = group_scale_bits(value->quant.scales[i]);
        quant->group_scales = operand->own_group_scales;
    }
    return group_scales_ok(quant->group_scales, count)
               ? 0
               : bad_value(value, diag, "a scale of it is not positive and normal");
}

static int take_scaling(struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                        struct sl_xnn_operand *operand, struct sl_diag *diag)
{
    struct sl_xnn_scaling *quant = &operand->quant;
    *quant = (struct sl_xnn_scaling){
        .scale = value->quant.scale,
        .zero_point = value->quant.zero_point,
        .scale_count = value->quant.scale_count,
        .channel_dim = (uint32_t)value->quant.channel_dim,
        .group_size = value->quant.group_size,
        .nonbatch_dims = value->quant.nonbatch_dims,
    };
    switch (value->quant.kind) {
    case SL_XNN_QUANT_PER_CHANNEL:
        return take_channel_scales(plan, value, quant, diag);
    case SL_XNN_QUANT_PER_CHANNEL_GROUP:
        return take_group_scales(plan, value, operand, diag);
    case SL_XNN_QUANT_PER_TENSOR: {
        int32_t low = value->datatype == SL_XNN_QUINT8 ? 0 : -128, high = low + 255;
        bool wide = value->datatype == SL_XNN_QINT32;
        if (!scale_ok(quant->scale) ||
            (wide ? quant->zero_point != 0 : quant->zero_point < low || quant->zero_point > high))
            return bad_value(value, diag, "its scale or zero point is out of range");
        return 0;
    }
    case SL_XNN_QUANT_PER_TOKEN:
        if (quant->nonbatch_dims == 0 || quant->nonbatch_dims > value->rank)
            return bad_value(value, diag, "the dimensions that share a scaling are out of range");
        return 0;
    default:
        return 0;
    }
}

/* A quantised type wants its kind of scaling. */
static bool scaling_fits(const struct sl_xnn_value *value)
{
    switch (value->datatype) {
    case SL_XNN_QINT8:
    case SL_XNN_QUINT8:
    case SL_XNN_QINT32:
        return value->quant.kind == SL_XNN_QUANT_PER_TENSOR;
    case SL_XNN_QCINT8:
    case SL_XNN_QCINT32:
    case SL_XNN_QCINT4:
        return value->quant.kind == SL_XNN_QUANT_PER_CHANNEL;
    case SL_XNN_QDINT8:
        return value->quant.kind == SL_XNN_QUANT_PER_TOKEN;
    case SL_XNN_QBINT4:
        return value->quant.kind == SL_XNN_QUANT_PER_CHANNEL_GROUP;
    default:
        return true;
    }
}

static int take_constant(const struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                         struct sl_xnn_operand *operand, struct sl_diag *diag)
{
    size_t align = sl_xnn_datatype_size(value->datatype);
    if (value->datatype == SL_XNN_QDINT8)
        return bad_value(value, diag, "it is constant, but quantised at run time");
    return find_data(plan, value, &value->data, sl_xnn_value_bytes(value), align != 0 ? align : 1,
                     &operand->constant, diag);
}

int sl_xnn_build_operand(struct sl_xnn_plan *plan, const struct sl_xnn_value *value,
                         struct sl_diag *diag)
{
    struct sl_xnn_operand *operand = &plan->operands[plan->operand_count++];
    size_t dims[SL_XNN_MAX_RANK];
    bool external = value->external_input || value->external_output;
    bool constant = value->data.source != SL_XNN_DATA_NONE;
    *operand = (struct sl_xnn_operand){
        .external_id = external ? value->external_id : SL_XNN_NO_ID,
        .external_input = value->external_input,
        .external_output = value->external_output,
        .type = value->datatype,
        .producer = SL_XNN_NONE,
    };
    for (uint32_t i = 0; i < value->rank; i++)
        dims[i] = value->dims[i];
    if (!sl_xnn_set_dims(operand, value->rank, dims))
        return bad_value(value, diag, "it is too large");
    if ((operand->external_input && operand->external_output) || (external && constant) ||
        (external && operand->external_id >= SL_XNN_MAX_EXTERNS))
        return bad_value(value, diag, "it is of two kinds at once or has no argument");
    if (!scaling_fits(value))
        return bad_value(value, diag, "its scaling is not one of its type");
    int rc = take_scaling(plan, value, operand, diag);
    return rc == 0 && constant ? take_constant(plan, value, operand, diag) : rc;
}
