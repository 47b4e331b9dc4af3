/* host/analysis/silicon.c */
#include "host/analysis/silicon.h"

#include <string.h>

enum { CORE, UNIT };

const struct sl_figure_description *sl_figure_describe(int id)
{
    static const struct sl_figure_description all[] = {
#define SL_FIGURE(side, id, name, unit, least, most) {name, unit, least, most, side},
#include "host/analysis/silicon.inc"
#undef SL_FIGURE
    };
    return &all[id];
}

bool sl_work_has_cycles(int work)
{
    return work >= SL_WORK_OUTER_F32 && work != SL_WORK_Z_TO_CORE;
}

bool sl_work_has_latency(int work)
{
    return work == SL_WORK_NEON_MAC || work == SL_WORK_Z_MAC || work == SL_WORK_Z_DOT16 ||
           (work >= SL_WORK_OUTER_F32 && work <= SL_WORK_ZA_DOT16_4);
}

int sl_confidence_rank(char confidence)
{
    static const char order[] = "MVFI";
    const char *at = confidence ? strchr(order, confidence) : NULL;
    return at ? (int)(at - order) : (int)sizeof(order) - 2;
}
