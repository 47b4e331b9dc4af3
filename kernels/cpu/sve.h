/* kernels/cpu/sve.h: one more bit of a run's mask (isa.h), for what no kernel of ours needs but
 * other runtimes use. */
#pragma once

enum { SL_ISA_SVE = 1u << 7 }; /* and SVE2, outside streaming mode */
