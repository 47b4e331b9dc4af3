/* host/report/sme2_proof.c */
#include "host/report/sme2_proof.h"

#include <string.h>

#include "host/analysis/attribution.h"

static bool ran_sme2(const struct sl_operator *op)
{
    return op->kernel && strstr(op->kernel, "sme2") != NULL;
}

const char *sl_sme2_evidence(const struct sl_operator *op)
{
    return ran_sme2(op) ? "executed" : "not proven";
}

bool sl_sme2_matters(const struct sl_operator *op)
{
    return ran_sme2(op) || op->category == SL_CATEGORY_CONV || op->category == SL_CATEGORY_GEMM;
}
