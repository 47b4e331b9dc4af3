/* kernels/binary/binary.c: which kernel of the list serves a run. */
#include "kernels/binary/binary.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY sl_binary
#define SL_LIST "kernels/binary/binary.inc"
#define SL_ALLOWED SL_POLICY_BINARY
#define SL_WANT , int element, int op
#define SL_SERVES(kernel) (kernel)->element == element && (kernel)->op == op
#include "kernels/cpu/dispatch.inc"
