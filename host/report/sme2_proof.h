/* host/report/sme2_proof.h: which operators of a run are known to have executed SME2 kernels, and
 * which of a run without it used SME all the same. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cJSON;
struct sl_attribution;
struct sl_comparison;
struct sl_kernel_log;
struct sl_operator;

/* "executed": the run's own trace names an SME2 kernel for the operator. "not proven": it names
 * another kernel, or nothing is known. */
const char *sl_sme2_evidence(const struct sl_operator *op);

/* The same with a verbose XNNPACK log of that run, or NULL: "log-available" where no trace says
 * more and the log shows a kernel for such operators, chosen when they were set up. With
 * `names_tell` (sl_sme2_names_tell()) a name that says that operands were packed for SME is
 * "executed" where no trace knows better. The kernel that is the evidence goes to *out_kernel; NULL
 * where nothing names one. */
const char *sl_sme2_evidence_of(const struct sl_operator *op, const struct sl_kernel_log *log,
                                bool names_tell, const char **out_kernel);

/* The same of a run with this policy (the manifest's, any JSON or NULL), which may keep operators
 * on NEON: one that its table names is not "not proven" but SL_SME2_KEPT_OUT, one whose kernel's
 * family it keeps out SL_SME2_FAMILY_OUT. A class of small shapes covers only operators whose
 * shapes in the trace are all small: a large one without its SME2 kernel stays "not proven". */
#define SL_SME2_KEPT_OUT "SME2 could, but NEON is faster here"
#define SL_SME2_FAMILY_OUT "SME2 could, but the policy keeps its family on NEON"
const char *sl_sme2_evidence_by(const struct sl_operator *op, const struct cJSON *policy,
                                const char *evidence);
/* Is it one of these two? */
bool sl_sme2_kept_out(const char *evidence);

/* Do packed names of the candidate tell of SME2? Only beside a baseline that has none: SME1 has
 * such kernels too, and a build whose SME1 is on has them in both arms. */
bool sl_sme2_names_tell(const struct sl_attribution *baseline);

/* Could the operator use SME2? Convolutions and products, and whatever ran a kernel, on SME2 or
 * not, whose work and types we have an SME2 kernel for: one that lost its kernel still counts. */
bool sl_sme2_matters(const struct sl_operator *op);

/* Operators that ran an SME2 kernel on one side alone, of kernels that both sides know. What the
 * candidate's policy keeps on NEON did not lose its kernel, but where the baseline's, which let it
 * run, says the same. */
struct sl_sme2_policies {
    const struct cJSON *before, *now; /* of either manifest; NULL: none */
};
struct sl_sme2_changes {
    size_t lost, gained; /* since the baseline */
    const struct sl_operator *first_lost, *first_gained;
};
void sl_sme2_compare(const struct sl_comparison *comparison,
                     const struct sl_sme2_policies *policies, struct sl_sme2_changes *out);
/* "2 operators lost their SME2 kernel since the baseline (Add (ND) first)"; false: none did. `size`
 * of at least 200. */
bool sl_sme2_lost_text(const struct sl_comparison *comparison,
                       const struct sl_sme2_policies *policies, char *out, size_t size);

/* Does an operator's name say that its operands were packed for SME? Only kernels of SME1 or SME2
 * take PF32, PF16 and PQS8. */
bool sl_sme2_packed(const struct sl_operator *op);

/* Did an operator of a run with SME2 off use SME nevertheless? Its kernel says so; without one, its
 * name: only kernels of SME1 or SME2 take operands packed as PF32, PF16 and PQS8, and a build with
 * SME2 alone switched off still has those of SME1. */
bool sl_sme2_leftover(const struct sl_operator *op);
size_t sl_sme2_leftovers(const struct sl_attribution *off);
