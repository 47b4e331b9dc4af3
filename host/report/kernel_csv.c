/* host/report/kernel_csv.c */
#include "host/report/kernel_csv.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/buf.h"
#include "host/analysis/kernel_name.h"
#include "host/report/analysis.h"
#include "host/report/csv.h"

int sl_kernel_csv_head(struct sl_buf *out)
{
    return sl_buf_printf(out, "model_id,kernel_name,category,count,dtype,xnn_op,variant,"
                              "ukernel_shape,arch_chain,has_sme,has_sme2\n");
}

int sl_kernel_csv_row(struct sl_buf *out, const char *model_id, const char *kernel, size_t len,
                      const char *category, uint64_t count)
{
    struct sl_kernel_name parts;
    sl_kernel_name_parse(kernel, len, &parts);
    const char *before[] = {model_id, NULL, category};
    const char *after[] = {parts.types, parts.operation, parts.variant, parts.shape, parts.isa};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < 3; i++)
        rc = before[i] ? sl_csv_field(out, before[i], strlen(before[i]))
                       : sl_csv_field(out, kernel, len);
    if (rc == 0)
        rc = sl_buf_printf(out, "%" PRIu64 ",", count);
    for (size_t i = 0; rc == 0 && i < sizeof(after) / sizeof(after[0]); i++)
        rc = sl_csv_field(out, after[i], strlen(after[i]));
    return rc < 0 ? rc
                  : sl_buf_printf(out, "%s,%s\n", parts.sme ? "True" : "False",
                                  parts.sme2 ? "True" : "False");
}

/* Was an operator before this one of the same kernel? */
static bool seen(const struct sl_attribution *a, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (a->operators[k].kernel && strcmp(a->operators[k].kernel, a->operators[i].kernel) == 0)
            return true;
    }
    return false;
}

int sl_kernel_csv_analysis(struct sl_buf *out, const struct sl_analysis *analysis,
                           const char *model_id)
{
    const struct sl_attribution *a = &analysis->attribution;
    int rc = sl_kernel_csv_head(out);
    for (size_t i = 0; rc == 0 && i < a->operator_count; i++) {
        const struct sl_operator *op = &a->operators[i];
        uint64_t count = 0;
        if (!op->kernel || seen(a, i))
            continue;
        for (size_t k = i; k < a->operator_count; k++) {
            const char *other = a->operators[k].kernel;
            count += other && strcmp(other, op->kernel) == 0 ? a->operators[k].count : 0;
        }
        rc = sl_kernel_csv_row(out, model_id, op->kernel, strlen(op->kernel),
                               sl_category_name(op->category), count);
    }
    return rc;
}
