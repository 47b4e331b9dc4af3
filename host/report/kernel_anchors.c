/* host/report/kernel_anchors.c */
#include "host/report/kernel_anchors.h"

const char sl_kernel_anchor_source[] = "instructions of KleidiAI 495f6524 and XNNPACK 75db3c09, "
                                       "built with clang 19.1.7, counted under "
                                       "QEMU 11.1.3";

#define KAI_GEMM "KleidiAI f32_f32p2vlx1_f32p2vlx1biasf32_sme2_mopa"
#define KAI_LHS "KleidiAI LHS f32 2vl"
#define KAI_RHS "KleidiAI RHS f32 2vl"
#define KAI_GEMV "KleidiAI f32p16vlx1b_1x16vl_sme2_mla"
#define XNN_GEMM "XNNPACK f32 gemm 5x16 asm ld128"
#define XNN_GEMV "XNNPACK f32 gemm 1x16 ld128"
#define KAI_CONV "KleidiAI SME2 f32 implicit GEMM with its gather and pack"
#define KAI_CONV_RHS "KleidiAI RHS f32 for implicit GEMM"
#define XNN_CONV "XNNPACK f32 igemm 6x8 asm ld128"
#define KAI_DW "KleidiAI 3x3_s1_4xc_sme2_mla"
/* The only window that is not depthwise in MobileNet v2, whose packing of it alone this is. */
#define KAI_FIRST "KleidiAI lhs_imatmul_pack_x32p2vlx1_x32p sme, in ExecuTorch's mobilenet_v2"
#define XNN_DW "XNNPACK f32 dwconv 9p16c neon"
#define KAI_QD8_LHS "KleidiAI lhs_quant_pack_qai8dxp_f32"
#define KAI_QD8 "KleidiAI qai8dxp1vlx4_qsi8cxp4vlx4_1vlx4vl_sme2_mopa"
#define KAI_QD8_GEMV "KleidiAI qai8dxp1x4_qsi8cxp4vlx4_1x4vl_sme2_dot"
#define KAI_Q4 "KleidiAI qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa"
#define KAI_Q4G "KleidiAI qsi8d32p1vlx4_qsi4c32p4vlx4_1vlx4vl_sme2_mopa"
#define KAI_Q4_GEMV "KleidiAI qai8dxp1x4_qsi4cxp4vlx4_1x4vl_sme2_sdot"
#define KAI_Q4G_GEMV "KleidiAI qsi8d32p1x4_qsi4c32p4vlx4_1x4vl_sme2_sdot"
#define KAI_QD8_I8MM "KleidiAI qai8dxp4x8_qsi8cxp4x8_16x4_neon_i8mm"
#define KAI_QD8_NEON_GEMV "KleidiAI qai8dxp1x8_qsi8cxp4x8_1x4_neon_dotprod"

const struct sl_kernel_anchor sl_kernel_anchors[] = {
    {"matmul", "sme2", "kernel", 512, 64, 64, 64, 2237, KAI_GEMM},
    {"matmul", "sme2", "kernel", 512, 128, 128, 128, 14933, KAI_GEMM},
    {"matmul", "sme2", "kernel", 512, 256, 256, 256, 108701, KAI_GEMM},
    {"matmul", "sme2", "kernel", 512, 196, 512, 256, 188359, KAI_GEMM},
    {"matmul", "sme2", "kernel", 512, 784, 128, 64, 54427, KAI_GEMM},
    {"matmul", "sme2", "kernel", 512, 49, 960, 160, 65757, KAI_GEMM},
    {"matmul", "sme2", "lhs_pack", 512, 64, 64, 64, 2331, KAI_LHS},
    {"matmul", "sme2", "lhs_pack", 512, 128, 128, 128, 8045, KAI_LHS},
    {"matmul", "sme2", "lhs_pack", 512, 256, 256, 256, 29745, KAI_LHS},
    {"matmul", "sme2", "lhs_pack", 512, 196, 512, 256, 25920, KAI_LHS},
    {"matmul", "sme2", "lhs_pack", 512, 784, 128, 64, 28602, KAI_LHS},
    {"matmul", "sme2", "lhs_pack", 512, 49, 960, 160, 4839, KAI_LHS},
    {"matmul", "sme2", "rhs_pack", 512, 64, 64, 64, 1171, KAI_RHS},
    {"matmul", "sme2", "rhs_pack", 512, 128, 128, 128, 4061, KAI_RHS},
    {"matmul", "sme2", "rhs_pack", 512, 256, 256, 256, 15217, KAI_RHS},
    {"matmul", "sme2", "rhs_pack", 512, 196, 512, 256, 29657, KAI_RHS},
    {"matmul", "sme2", "rhs_pack", 512, 784, 128, 64, 2093, KAI_RHS},
    {"matmul", "sme2", "rhs_pack", 512, 49, 960, 160, 34503, KAI_RHS},
    {"matmul", "sme2", "kernel", 128, 128, 128, 128, 214925, KAI_GEMM},
    {"matmul", "sme2", "kernel", 256, 128, 128, 128, 55709, KAI_GEMM},
    {"matmul", "sme2", "kernel", 512, 1, 1024, 1024, 43261, KAI_GEMV},
    {"matmul", "neon", "kernel", 0, 64, 64, 64, 84019, XNN_GEMM},
    {"matmul", "neon", "kernel", 0, 128, 128, 128, 651118, XNN_GEMM},
    {"matmul", "neon", "kernel", 0, 256, 256, 256, 5131516, XNN_GEMM},
    {"matmul", "neon", "kernel", 0, 196, 512, 256, 7892920, XNN_GEMM},
    {"matmul", "neon", "kernel", 0, 784, 128, 64, 2022631, XNN_GEMM},
    {"matmul", "neon", "kernel", 0, 49, 960, 160, 2331430, XNN_GEMM},
    {"matmul", "neon", "kernel", 0, 1, 1024, 1024, 443993, XNN_GEMV},
    {"conv", "sme2", "whole", 512, 196, 64, 576, 128433, KAI_CONV},
    {"conv", "sme2", "rhs_pack", 512, 196, 64, 576, 9790, KAI_CONV_RHS},
    {"conv", "sme2", "whole", 512, 784, 128, 576, 645875, KAI_CONV},
    {"conv", "sme2", "rhs_pack", 512, 784, 128, 576, 17880, KAI_CONV_RHS},
    {"conv", "sme2", "whole", 512, 12544, 32, 27, 1740872, KAI_FIRST},
    {"conv", "neon", "whole", 0, 196, 64, 576, 2366958, XNN_CONV},
    {"conv", "neon", "whole", 0, 784, 128, 576, 18789330, XNN_CONV},
    {"depthwise", "sme2", "whole", 512, 784, 128, 9, 64950, KAI_DW},
    {"depthwise", "neon", "whole", 0, 784, 128, 9, 671608, XNN_DW},
    {"depthwise", "sme2", "whole", 512, 196, 512, 9, 82749, KAI_DW},
    {"depthwise", "neon", "whole", 0, 196, 512, 9, 638428, XNN_DW},
    {"depthwise", "sme2", "whole", 512, 3136, 64, 9, 120780, KAI_DW},
    {"depthwise", "neon", "whole", 0, 3136, 64, 9, 1431024, XNN_DW},
    {"matmul_q4", "neon", "lhs_pack", 0, 49, 960, 160, 30938, KAI_QD8_LHS},
    {"matmul_q4", "neon", "lhs_pack", 0, 64, 64, 64, 18884, KAI_QD8_LHS},
    {"matmul_q4", "neon", "lhs_pack", 0, 128, 128, 128, 66372, KAI_QD8_LHS},
    {"matmul_q4", "neon", "lhs_pack", 0, 196, 512, 256, 189404, KAI_QD8_LHS},
    {"matmul_q4", "neon", "lhs_pack", 0, 256, 256, 256, 247364, KAI_QD8_LHS},
    {"matmul_q4", "neon", "lhs_pack", 0, 784, 128, 64, 230564, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "kernel", 512, 1, 1024, 1024, 23182, KAI_Q4_GEMV},
    {"matmul_q4", "sme2", "kernel", 512, 49, 960, 160, 50526, KAI_Q4},
    {"matmul_q4", "sme2", "kernel", 512, 64, 64, 64, 2754, KAI_Q4},
    {"matmul_q4", "sme2", "kernel", 512, 128, 128, 128, 13758, KAI_Q4},
    {"matmul_q4", "sme2", "kernel", 512, 196, 512, 256, 125778, KAI_Q4},
    {"matmul_q4", "sme2", "kernel", 512, 256, 256, 256, 79182, KAI_Q4},
    {"matmul_q4", "sme2", "kernel", 512, 784, 128, 64, 65052, KAI_Q4},
    {"matmul_q4", "sme2", "lhs_pack", 128, 128, 128, 128, 97476, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 256, 128, 128, 128, 97476, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 512, 1, 1024, 1024, 5645, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 512, 49, 960, 160, 45785, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 512, 64, 64, 64, 26756, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 512, 128, 128, 128, 97476, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 512, 196, 512, 256, 284072, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 512, 256, 256, 256, 371012, KAI_QD8_LHS},
    {"matmul_q4", "sme2", "lhs_pack", 512, 784, 128, 64, 326996, KAI_QD8_LHS},
    {"matmul_q4_g32", "sme2", "kernel", 512, 1, 1024, 1024, 33142, KAI_Q4G_GEMV},
    {"matmul_q4_g32", "sme2", "kernel", 512, 49, 960, 160, 119788, KAI_Q4G},
    {"matmul_q4_g32", "sme2", "kernel", 512, 64, 64, 64, 4062, KAI_Q4G},
    {"matmul_q4_g32", "sme2", "kernel", 512, 128, 128, 128, 31437, KAI_Q4G},
    {"matmul_q4_g32", "sme2", "kernel", 512, 196, 512, 256, 387047, KAI_Q4G},
    {"matmul_q4_g32", "sme2", "kernel", 512, 256, 256, 256, 249555, KAI_Q4G},
    {"matmul_q4_g32", "sme2", "kernel", 512, 784, 128, 64, 96851, KAI_Q4G},
    {"matmul_qd8", "neon", "kernel", 0, 1, 1024, 1024, 195865, KAI_QD8_NEON_GEMV},
    {"matmul_qd8", "neon", "kernel", 0, 49, 960, 160, 606082, KAI_QD8_I8MM},
    {"matmul_qd8", "neon", "kernel", 0, 64, 64, 64, 27540, KAI_QD8_I8MM},
    {"matmul_qd8", "neon", "kernel", 0, 128, 128, 128, 166776, KAI_QD8_I8MM},
    {"matmul_qd8", "neon", "kernel", 0, 196, 512, 256, 1727779, KAI_QD8_I8MM},
    {"matmul_qd8", "neon", "kernel", 0, 256, 256, 256, 1121472, KAI_QD8_I8MM},
    {"matmul_qd8", "neon", "kernel", 0, 784, 128, 64, 673161, KAI_QD8_I8MM},
    {"matmul_qd8", "neon", "lhs_pack", 0, 1, 1024, 1024, 5645, KAI_QD8_LHS},
    {"matmul_qd8", "neon", "lhs_pack", 0, 49, 960, 160, 30938, KAI_QD8_LHS},
    {"matmul_qd8", "neon", "lhs_pack", 0, 64, 64, 64, 18884, KAI_QD8_LHS},
    {"matmul_qd8", "neon", "lhs_pack", 0, 128, 128, 128, 66372, KAI_QD8_LHS},
    {"matmul_qd8", "neon", "lhs_pack", 0, 196, 512, 256, 189404, KAI_QD8_LHS},
    {"matmul_qd8", "neon", "lhs_pack", 0, 256, 256, 256, 247364, KAI_QD8_LHS},
    {"matmul_qd8", "neon", "lhs_pack", 0, 784, 128, 64, 230564, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "kernel", 128, 128, 128, 128, 127189, KAI_QD8},
    {"matmul_qd8", "sme2", "kernel", 256, 128, 128, 128, 39445, KAI_QD8},
    {"matmul_qd8", "sme2", "kernel", 512, 1, 1024, 1024, 21216, KAI_QD8_GEMV},
    {"matmul_qd8", "sme2", "kernel", 512, 49, 960, 160, 49440, KAI_QD8},
    {"matmul_qd8", "sme2", "kernel", 512, 64, 64, 64, 2829, KAI_QD8},
    {"matmul_qd8", "sme2", "kernel", 512, 128, 128, 128, 13717, KAI_QD8},
    {"matmul_qd8", "sme2", "kernel", 512, 196, 512, 256, 121737, KAI_QD8},
    {"matmul_qd8", "sme2", "kernel", 512, 256, 256, 256, 76821, KAI_QD8},
    {"matmul_qd8", "sme2", "kernel", 512, 784, 128, 64, 66333, KAI_QD8},
    {"matmul_qd8", "sme2", "lhs_pack", 128, 128, 128, 128, 97476, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 256, 128, 128, 128, 97476, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 512, 1, 1024, 1024, 5645, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 512, 49, 960, 160, 45785, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 512, 64, 64, 64, 26756, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 512, 128, 128, 128, 97476, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 512, 196, 512, 256, 284072, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 512, 256, 256, 256, 371012, KAI_QD8_LHS},
    {"matmul_qd8", "sme2", "lhs_pack", 512, 784, 128, 64, 326996, KAI_QD8_LHS},
};
const size_t sl_kernel_anchor_count = sizeof(sl_kernel_anchors) / sizeof(sl_kernel_anchors[0]);

/* A softmax of one long row is three of XNNPACK's kernels; its pooling by nine taps takes nine of a
 * 2x2 window too. */
const struct sl_kernel_op_anchor sl_kernel_op_anchors[] = {
    {"_add_", {"binary", "neon", "whole", 0, 1, 65536, 1, 65542, "XNNPACK f32 vadd neon u8"}},
    {"_clamp_", {"unary", "neon", "whole", 0, 1, 65536, 1, 69640, "XNNPACK f32 vclamp neon u16"}},
    {"_hardswish_",
     {"unary", "neon", "whole", 0, 1, 65536, 1, 118795, "XNNPACK f32 vhswish neon u16"}},
    {"_sigmoid_",
     {"unary", "neon", "whole", 0, 1, 65536, 1, 413737,
      "XNNPACK f32 vsigmoid aarch64 neonfma rr1 p5 div u16"}},
    {"_max_", {"reduce", "neon", "whole", 0, 1, 1, 65536, 40980, "XNNPACK f32 rmax neon u16 acc4"}},
    {"_softmax_",
     {"reduce", "neon", "whole", 0, 1, 1, 65536, 462924,
      "XNNPACK f32 rmax, raddstoreexpminusmax p5 and vmulc, neon"}},
    {"_mean_",
     {"reduce", "neon", "whole", 0, 1, 512, 49, 14978, "XNNPACK f32 rdsum 7p7x neon u16"}},
    {"_max_", {"pool", "neon", "whole", 0, 784, 64, 4, 343410, "XNNPACK f32 maxpool 9p neon u4"}},
    {"_max_", {"pool", "neon", "whole", 0, 784, 64, 9, 349682, "XNNPACK f32 maxpool 9p neon u4"}},
    {"_average_",
     {"pool", "neon", "whole", 0, 784, 64, 9, 410054, "XNNPACK f32 avgpool 9p neon u4"}},
    {"_mopa",
     {"matmul", "sme2", "whole", 512, 1, 1024, 1024, 78673,
      "KleidiAI f32p4vsx1bf32_1x32vs_sme2_mla, on the panels of its products"}},
    {"_x32_",
     {"transpose", "neon", "whole", 0, 256, 256, 1, 79191, "XNNPACK x32 transposec 4x4 tbl128"}},
};
const size_t sl_kernel_op_anchor_count =
    sizeof(sl_kernel_op_anchors) / sizeof(sl_kernel_op_anchors[0]);
