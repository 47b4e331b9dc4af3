/* host/report/unit.c */
#include "host/report/unit.h"

#include <math.h>
#include <stdio.h>

#include "common/format/sltrace.h"

const char *sl_unit_name(int unit)
{
    return unit == SL_TRACE_INSTRUCTIONS ? "instructions" : "ns";
}

const char *sl_unit_suffix(int unit)
{
    return unit == SL_TRACE_INSTRUCTIONS ? "_insns" : "_ns";
}

const char *sl_unit_words(int unit)
{
    return unit == SL_TRACE_INSTRUCTIONS ? "executed instructions" : "time";
}

const char *sl_unit_caption(int unit)
{
    return unit == SL_TRACE_INSTRUCTIONS ? "executed instructions (emulated, counted): not time"
                                         : "time";
}

const char *sl_unit_key(char out[SL_UNIT_KEY_SIZE], const char *stem, int unit)
{
    snprintf(out, SL_UNIT_KEY_SIZE, "%s%s", stem, sl_unit_suffix(unit));
    return out;
}

const char *sl_unit_format(char *out, size_t size, double value, int unit)
{
    static const struct {
        double from;
        const char *ns, *instructions;
    } scales[] = {{1e9, " s", " G"}, {1e6, " ms", " M"}, {1e3, " us", " k"}};
    if (!isfinite(value)) {
        snprintf(out, size, "-");
        return out;
    }
    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
        double scaled = value / scales[i].from;
        if (fabs(scaled) < 0.99995)
            continue;
        int decimals = fabs(scaled) < 9.9995 ? 3 : fabs(scaled) < 99.995 ? 2 : 1;
        snprintf(out, size, "%.*f%s", decimals, scaled,
                 unit == SL_TRACE_INSTRUCTIONS ? scales[i].instructions : scales[i].ns);
        return out;
    }
    snprintf(out, size, "%.0f%s", value, unit == SL_TRACE_INSTRUCTIONS ? "" : " ns");
    return out;
}
