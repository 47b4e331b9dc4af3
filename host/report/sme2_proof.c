/* host/report/sme2_proof.c */
#include "host/report/sme2_proof.h"

#include <stdio.h>
#include <string.h>

#include "host/analysis/attribution.h"
#include "host/analysis/kernel_name.h"
#include "host/report/kernel_log.h"

static bool ran_sme2(const struct sl_operator *op)
{
    return op->kernel && strstr(op->kernel, "sme2") != NULL;
}

const char *sl_sme2_evidence(const struct sl_operator *op)
{
    return ran_sme2(op) ? "executed" : "not proven";
}

const char *sl_sme2_evidence_of(const struct sl_operator *op, const struct sl_kernel_log *log,
                                const char **out_kernel)
{
    const struct sl_logged_kernel *logged = NULL;
    *out_kernel = op->kernel;
    if (!op->kernel && log) /* a trace that names another kernel knows better than any log */
        logged = sl_kernel_log_find(log, op);
    if (!logged)
        return sl_sme2_evidence(op);
    *out_kernel = logged->name;
    return "log-available";
}

bool sl_sme2_matters(const struct sl_operator *op)
{
    return ran_sme2(op) || op->category == SL_CATEGORY_CONV || op->category == SL_CATEGORY_GEMM;
}

bool sl_sme2_leftover(const struct sl_operator *op)
{
    static const char *const packed[] = {"PF32", "PF16", "PQS8"};
    struct sl_kernel_name parts;
    char name[192];
    if (op->kernel) {
        sl_kernel_name_parse(op->kernel, strlen(op->kernel), &parts);
        return parts.sme || parts.sme2;
    }
    int len = op->name_len < sizeof(name) ? (int)op->name_len : (int)sizeof(name) - 1;
    snprintf(name, sizeof(name), "%.*s", len, op->name);
    for (size_t i = 0; op->xnnpack && i < sizeof(packed) / sizeof(packed[0]); i++) {
        const char *at = strstr(name, packed[i]);
        if (at && at > name && (at[-1] == ' ' || at[-1] == '(') &&
            strchr(",)", at[strlen(packed[i])]))
            return true;
    }
    return false;
}

size_t sl_sme2_leftovers(const struct sl_attribution *off)
{
    size_t count = 0;
    for (size_t i = 0; i < off->operator_count; i++)
        count += sl_sme2_leftover(&off->operators[i]) ? off->operators[i].instances : 0;
    return count;
}
