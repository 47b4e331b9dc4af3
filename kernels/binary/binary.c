/* kernels/binary/binary.c: which kernel of the list serves a run. */
#include "kernels/binary/binary.h"

#include "kernels/cpu/policy.h"

#define SL_FAMILY SL_OF(sl_binary, )
#define SL_LIST "kernels/binary/binary.inc"
#define SL_ALLOWED SL_POLICY_BINARY
#define SL_WANT , int op
#define SL_SERVES(kernel) (kernel)->op == op
#define SL_TEMPLATE "kernels/cpu/dispatch.inc"
#include "kernels/cpu/floats.inc"
