/* host/report/sme2_proof.h: which operators of a run are known to have executed SME2 kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_operator;

/* "executed": the run's own trace names an SME2 kernel for the operator. "not proven": it names
 * another kernel, or nothing is known. XNNPACK's "Using ... microkernel" lines, which say only that
 * a kernel is there ("log-available"), are not read by this version. */
const char *sl_sme2_evidence(const struct sl_operator *op);

/* Is the operator of a kind that SME2 is for? Only such are listed: convolutions and products, and
 * whatever ran on SME2 anyway. */
bool sl_sme2_matters(const struct sl_operator *op);
