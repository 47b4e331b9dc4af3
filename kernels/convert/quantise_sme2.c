/* kernels/convert/quantise_sme2.c: rows to int8 in streaming mode, four vectors of floats a turn.
 */
#include <arm_sme.h>
#include <arm_sve.h>

#include "kernels/convert/floats_sme2.h"
#include "kernels/convert/quantise_rows.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"

SL_SME2_INLINE svfloat32x4_t load(const void *row, int type, size_t i, size_t k) __arm_streaming
{
    return type == SL_ROWS_F32 ? sl_load_f32(row, i, k) : sl_load_f16(row, i, k);
}

/* sl_row_params_of() with the same value in every lane, so that nothing leaves the vector unit. */
SL_SME2_INLINE svfloat32_t put_params(float lowest, float highest,
                                      struct sl_row_params *out) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t low = svdup_f32(lowest), high = svdup_f32(highest), one = svdup_f32(1);
    svfloat32_t s = svdiv_f32_x(all, svdup_f32(255), svsub_f32_x(all, high, low));
    s = svsel_f32(svcmpeq_f32(all, low, high), one, s);
    svfloat32_t from_low = svmul_f32_x(all, low, s), from_high = svmul_f32_x(all, high, s);
    svfloat32_t errors =
        svadd_f32_x(all, svsub_n_f32_x(all, from_low, 128), svadd_n_f32_x(all, from_high, 127));
    svfloat32_t z =
        svsel_f32(svcmpgt_n_f32(all, errors, 0), svsub_f32_x(all, svdup_f32(-128), from_low),
                  svsub_f32_x(all, svdup_f32(127), from_high));
    z = svmin_n_f32_x(all, svmax_n_f32_x(all, z, -128), 127);
    svint32_t zero = svcvt_s32_f32_x(all, svrintn_f32_x(all, z)); /* of a NaN: 0 */
    svst1_f32(svptrue_pat_b32(SV_VL1), &out->scale, svdiv_f32_x(all, one, s));
    svst1_s32(svptrue_pat_b32(SV_VL1), &out->zero_point, zero);
    return s;
}

SL_SME2_INLINE void quantise(size_t k, const void *row, int type, int8_t *out,
                             struct sl_row_params *out_params) __arm_streaming
{
    svbool_t all = svptrue_b32();
    svfloat32_t none = svdup_f32(0);
    svfloat32x4_t low = svcreate4_f32(none, none, none, none), high = low;
    size_t quad = 4 * svcntw(), i = 0;
    for (; i < k; i += quad) {
        svfloat32x4_t x = load(row, type, i, k); /* zeros past the end change nothing */
        low = svmin_f32_x4(low, x);
        high = svmax_f32_x4(high, x);
    }
    svfloat32_t least = svmin_f32_x(all, svmin_f32_x(all, svget4_f32(low, 0), svget4_f32(low, 1)),
                                    svmin_f32_x(all, svget4_f32(low, 2), svget4_f32(low, 3)));
    svfloat32_t most = svmax_f32_x(all, svmax_f32_x(all, svget4_f32(high, 0), svget4_f32(high, 1)),
                                   svmax_f32_x(all, svget4_f32(high, 2), svget4_f32(high, 3)));
    svfloat32_t s = put_params(svminv_f32(all, least), svmaxv_f32(all, most), out_params);
    svint32_t zero = svdup_s32(out_params->zero_point);
    for (i = 0; i < k; i += quad) {
        svfloat32x4_t x = load(row, type, i, k);
        x = svcreate4_f32(
            svmul_f32_x(all, svget4_f32(x, 0), s), svmul_f32_x(all, svget4_f32(x, 1), s),
            svmul_f32_x(all, svget4_f32(x, 2), s), svmul_f32_x(all, svget4_f32(x, 3), s));
        svint32x4_t q = svcvt_s32_f32_x4(svrintn_f32_x4(x));
        q = svclamp_single_s32_x4(q, svdup_s32(-512), svdup_s32(512)); /* where s is infinite */
        q = svadd_single_s32_x4(q, zero);
        svst1_s8(sl_some_b8(i, k), out + i, svqcvt_s8_s32_x4(q));
    }
}

void sl_quantise_row_sme2(size_t k, const void *row, int type, int8_t *out,
                          struct sl_row_params *out_params) __arm_streaming __arm_inout("za")
{
    if (type == SL_ROWS_F32)
        quantise(k, row, SL_ROWS_F32, out, out_params);
    else
        quantise(k, row, SL_ROWS_F16, out, out_params);
}

struct call {
    size_t m, k, stride_bytes, out_stride;
    const char *rows;
    int type;
    int8_t *out;
    struct sl_row_params *params;
};

static void body(const void *args) __arm_streaming __arm_inout("za")
{
    const struct call *c = args;
    for (size_t i = 0; i < c->m; i++)
        sl_quantise_row_sme2(c->k, c->rows + i * c->stride_bytes, c->type,
                             c->out + i * c->out_stride, c->params + i);
}

static void run(size_t m, size_t k, const struct sl_rows *rows, int8_t *out, size_t out_stride,
                struct sl_row_params *out_params)
{
    size_t bytes = rows->type == SL_ROWS_F32 ? 4 : 2;
    struct call call = {m,   k,         rows->stride * bytes, out_stride, rows->data, rows->type,
                        out, out_params};
    sl_streaming_run_za(body, &call);
}

const struct sl_quantise sl_quantise_qd8_rows_4vl_sme2 = {
    .name = "sl_quantise_qd8_rows_4vl_sme2",
    .needs = SL_ISA_SME2,
    .run = run,
};
