/* kernels/pack/pack_x16_sme2.c: the packing of a left operand of 16-bit elements. */
#define SL_TYPE f16 /* any type of 16 bits */
#include "kernels/pack/pack_lhs_sme2.inc"
