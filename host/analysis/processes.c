/* host/analysis/processes.c */
#include "host/analysis/processes.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "common/base/mem.h"
#include "host/analysis/bootstrap.h"
#include "host/analysis/statistics.h"

int sl_processes_of(const double *values, const uint32_t *processes, size_t n, double confidence,
                    struct sl_processes *out)
{
    double medians[SL_PROCESSES_MAX];
    struct sl_processes made = {.count = 0};
    double *scratch = sl_malloc(n, sizeof(*scratch));
    double squares = 0;
    if (!scratch)
        return -ENOMEM;
    for (size_t first = 0, end; first < n; first = end) {
        bool last = made.count + 1 == SL_PROCESSES_MAX;
        for (end = first; end < n && (last || processes[end] == processes[first]); end++)
            scratch[end - first] = values[end];
        medians[made.count] = sl_median_in_place(scratch, end - first);
        made.center += medians[made.count++];
    }
    sl_free(scratch);
    double count = (double)made.count;
    made.center = made.count > 0 ? made.center / count : NAN;
    for (size_t i = 0; i < made.count; i++)
        squares += (medians[i] - made.center) * (medians[i] - made.center);
    double half = made.count > 1 ? sl_student_width(confidence, count - 1) *
                                       sqrt(squares / (count - 1) / count)
                                 : NAN;
    made.low = made.center - half;
    made.high = made.center + half;
    *out = made;
    return 0;
}
