/* host/report/sme2_proof.c */
#include "host/report/sme2_proof.h"

#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/analysis/attribution.h"
#include "host/analysis/comparison.h"
#include "host/analysis/kernel_name.h"
#include "host/report/kernel_likeness.h"
#include "host/report/kernel_log.h"
#include "host/spec/json_value.h"

/* Our SME2 kernels, one a line: its name, and behind a space the families that a policy knows it
 * by, with commas; put in by the build (host/CMakeLists.txt). */
extern const unsigned char sl_sme2_kernel_names[];

enum { FAMILIES_BYTES = 96 };

static bool ran_sme2(const struct sl_operator *op)
{
    return op->kernel && strstr(op->kernel, "sme2") != NULL;
}

bool sl_sme2_packed(const struct sl_operator *op)
{
    static const char *const packed[] = {"PF32", "PF16", "PQS8"};
    char name[192];
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

const char *sl_sme2_evidence(const struct sl_operator *op)
{
    return ran_sme2(op) ? "executed" : "not proven";
}

const char *sl_sme2_evidence_of(const struct sl_operator *op, const struct sl_kernel_log *log,
                                bool names_tell, const char **out_kernel)
{
    bool named = names_tell && !op->kernel && sl_sme2_packed(op);
    const char *evidence = named ? "executed" : sl_sme2_evidence(op);
    const struct sl_logged_kernel *logged = NULL;
    *out_kernel = op->kernel;
    if (!op->kernel && log) /* a trace that names another kernel knows better than any log */
        logged = sl_kernel_log_find(log, op);
    if (!logged)
        return evidence;
    *out_kernel = logged->name;
    return strcmp(evidence, "executed") == 0 ? evidence : "log-available";
}

/* "Add (ND, F32) #3" is of the operator "Add (ND, F32)". */
static bool is_named(const char *event, const struct sl_operator *op)
{
    size_t len = op->name_len;
    return strncmp(event, op->name, len) == 0 &&
           (event[len] == '\0' || strncmp(event + len, " #", 2) == 0);
}

/* An operator of the table that SME2 could have run. */
static bool keeps_out(const struct cJSON *row, const struct sl_operator *op)
{
    const cJSON *name = sl_value(row, "operator"), *kernel = sl_value(row, "kernel_on");
    return cJSON_IsFalse(sl_value(row, "streams")) && cJSON_IsString(name) &&
           cJSON_IsString(kernel) && strstr(kernel->valuestring, "sme2") &&
           is_named(name->valuestring, op);
}

/* Is every one of the operator's events of that class, or does the name stand for a whole family? A
 * kernel's name does not tell small shapes from others: these come of the operands. */
static bool is_of(const char *family, const struct sl_operator *op)
{
    const char *class = strrchr(family, '_');
    if (class && strcmp(class, "_small") == 0)
        return op->count > 0 && op->small_count == op->count;
    return !class || strcmp(class, "_f16") != 0 || strstr(op->kernel, "_f16_") != NULL;
}

/* Finds an SME2 kernel for the work that the operator's kernel did, on its types, and its families.
 */
static bool has_sme2_kernel(const struct sl_operator *op, char families[FAMILIES_BYTES])
{
    const char *at = (const char *)sl_sme2_kernel_names;
    while (op->kernel && *at) {
        char name[128];
        size_t len = strcspn(at, "\n"), name_len = strcspn(at, " ");
        snprintf(name, sizeof(name), "%.*s", (int)(name_len < sizeof(name) ? name_len : 0), at);
        if (sl_kernel_likeness(op->kernel, name) == SL_KERNEL_SAME_TYPES) {
            snprintf(families, FAMILIES_BYTES, ",%.*s,", (int)(len - name_len - 1),
                     at + name_len + 1);
            return true;
        }
        at += len + (at[len] == '\n');
    }
    return false;
}

static bool keeps_family_out(const struct sl_operator *op, const struct cJSON *policy)
{
    char families[FAMILIES_BYTES], wanted[FAMILIES_BYTES];
    const cJSON *family, *off = cJSON_GetObjectItemCaseSensitive(policy, "streaming_off");
    if (!cJSON_IsArray(off) || !has_sme2_kernel(op, families))
        return false;
    cJSON_ArrayForEach(family, off)
    {
        if (!cJSON_IsString(family))
            continue;
        snprintf(wanted, sizeof(wanted), ",%s,", family->valuestring);
        if (strstr(families, wanted) && is_of(family->valuestring, op))
            return true;
    }
    return false;
}

const char *sl_sme2_evidence_by(const struct sl_operator *op, const struct cJSON *policy,
                                const char *evidence)
{
    const cJSON *row, *table = sl_value(policy, "table");
    if (strcmp(evidence, "not proven") != 0)
        return evidence;
    cJSON_ArrayForEach(row, sl_value(table, "operators"))
    {
        if (keeps_out(row, op))
            return SL_SME2_KEPT_OUT;
    }
    return keeps_family_out(op, policy) ? SL_SME2_FAMILY_OUT : evidence;
}

bool sl_sme2_kept_out(const char *evidence)
{
    return strcmp(evidence, SL_SME2_KEPT_OUT) == 0 || strcmp(evidence, SL_SME2_FAMILY_OUT) == 0;
}

bool sl_sme2_matters(const struct sl_operator *op)
{
    char families[FAMILIES_BYTES];
    return op->category == SL_CATEGORY_CONV || op->category == SL_CATEGORY_GEMM || ran_sme2(op) ||
           has_sme2_kernel(op, families);
}

static bool keeps_on_neon(const struct cJSON *policy, const struct sl_operator *op)
{
    return sl_sme2_kept_out(sl_sme2_evidence_by(op, policy, sl_sme2_evidence(op)));
}

void sl_sme2_compare(const struct sl_comparison *comparison,
                     const struct sl_sme2_policies *policies, struct sl_sme2_changes *out)
{
    *out = (struct sl_sme2_changes){.lost = 0};
    for (size_t i = 0; i < comparison->operator_count; i++) {
        const struct sl_operator *before = comparison->operators[i].baseline;
        const struct sl_operator *now = comparison->operators[i].candidate;
        if (!before || !now || !before->kernel || !now->kernel || ran_sme2(before) == ran_sme2(now))
            continue;
        bool lost = ran_sme2(before);
        if (lost && keeps_on_neon(policies->now, now) && !keeps_on_neon(policies->before, now))
            continue;
        *(lost ? &out->lost : &out->gained) += now->instances;
        if (lost && !out->first_lost)
            out->first_lost = now;
        if (!lost && !out->first_gained)
            out->first_gained = now;
    }
}

bool sl_sme2_lost_text(const struct sl_comparison *comparison,
                       const struct sl_sme2_policies *policies, char *out, size_t size)
{
    struct sl_sme2_changes changes;
    sl_sme2_compare(comparison, policies, &changes);
    const struct sl_operator *first = changes.first_lost;
    if (!first)
        return false;
    snprintf(out, size, "%zu operator%s lost %s SME2 kernel since the baseline (%.*s%s)",
             changes.lost, changes.lost == 1 ? "" : "s", changes.lost == 1 ? "its" : "their",
             (int)(first->name_len < 80 ? first->name_len : 80), first->name,
             changes.lost == 1 ? "" : " first");
    return true;
}

bool sl_sme2_leftover(const struct sl_operator *op)
{
    struct sl_kernel_name parts;
    if (!op->kernel)
        return sl_sme2_packed(op);
    sl_kernel_name_parse(op->kernel, strlen(op->kernel), &parts);
    return parts.sme || parts.sme2;
}

size_t sl_sme2_leftovers(const struct sl_attribution *off)
{
    size_t count = 0;
    for (size_t i = 0; i < off->operator_count; i++)
        count += sl_sme2_leftover(&off->operators[i]) ? off->operators[i].instances : 0;
    return count;
}

bool sl_sme2_names_tell(const struct sl_attribution *baseline)
{
    return sl_sme2_leftovers(baseline) == 0;
}
