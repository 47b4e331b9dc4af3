/* host/report/sme2_proof.h: which operators of a run are known to have executed SME2 kernels, and
 * which of a run without it used SME all the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sl_attribution;
struct sl_kernel_log;
struct sl_operator;

/* "executed": the run's own trace names an SME2 kernel for the operator. "not proven": it names
 * another kernel, or nothing is known. */
const char *sl_sme2_evidence(const struct sl_operator *op);

/* The same with a verbose XNNPACK log of that run, or NULL: "log-available" where no trace says
 * more and the log shows a kernel for such operators, chosen when they were set up. The kernel that
 * is the evidence goes to *out_kernel; NULL where nothing names one. */
const char *sl_sme2_evidence_of(const struct sl_operator *op, const struct sl_kernel_log *log,
                                const char **out_kernel);

/* Is the operator of a kind that SME2 is for? Only such are listed: convolutions and products, and
 * whatever ran on SME2 anyway. */
bool sl_sme2_matters(const struct sl_operator *op);

/* Did an operator of a run with SME2 off use SME nevertheless? Its kernel says so; without one, its
 * name: only kernels of SME1 or SME2 take operands packed as PF32, PF16 and PQS8, and a build with
 * SME2 alone switched off still has those of SME1. */
bool sl_sme2_leftover(const struct sl_operator *op);
size_t sl_sme2_leftovers(const struct sl_attribution *off);
