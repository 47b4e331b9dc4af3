/* agent/probe/cores.c */
#include "agent/probe/cores.h"

#include <inttypes.h>
#include <string.h>

#include "agent/probe/sysfs.h"

#define CPU_FOLDER "sys/devices/system/cpu"

/* MIDR_EL1: implementer in bits 31..24, part number in bits 15..4. */
const char *sl_probe_core_name(int64_t midr)
{
    static const struct {
        uint16_t part;
        const char *name;
    } arm[] = {
        {0xd03, "Cortex-A53"},  {0xd05, "Cortex-A55"},  {0xd07, "Cortex-A57"},
        {0xd08, "Cortex-A72"},  {0xd09, "Cortex-A73"},  {0xd0a, "Cortex-A75"},
        {0xd0b, "Cortex-A76"},  {0xd0c, "Neoverse-N1"}, {0xd0d, "Cortex-A77"},
        {0xd40, "Neoverse-V1"}, {0xd41, "Cortex-A78"},  {0xd44, "Cortex-X1"},
        {0xd46, "Cortex-A510"}, {0xd47, "Cortex-A710"}, {0xd48, "Cortex-X2"},
        {0xd49, "Neoverse-N2"}, {0xd4d, "Cortex-A715"}, {0xd4e, "Cortex-X3"},
        {0xd4f, "Neoverse-V2"}, {0xd80, "Cortex-A520"}, {0xd81, "Cortex-A720"},
        {0xd82, "Cortex-X4"},   {0xd85, "Cortex-X925"}, {0xd87, "Cortex-A725"},
        {0xd8a, "C1-Nano"},     {0xd8b, "C1-Pro"},      {0xd8c, "C1-Ultra"},
        {0xd90, "C1-Premium"},
    };
    if (midr < 0 || (midr >> 24 & 0xff) != 0x41)
        return NULL;
    for (size_t i = 0; i < sizeof(arm) / sizeof(arm[0]); i++) {
        if (arm[i].part == (midr >> 4 & 0xfff))
            return arm[i].name;
    }
    return NULL;
}

static bool read_list(const char *root, const char *name, bool flags[SL_SYSFS_MAX_INDEX])
{
    char text[SL_SYSFS_TEXT_BYTES];
    memset(flags, 0, SL_SYSFS_MAX_INDEX * sizeof(flags[0]));
    return sl_sysfs_line(root, text, sizeof(text), CPU_FOLDER "/%s", name) &&
           sl_sysfs_parse_list(text, strlen(text), flags);
}

static int64_t read_number(const char *root, uint32_t index, const char *name)
{
    int64_t value;
    if (!sl_sysfs_number(root, &value, CPU_FOLDER "/cpu%" PRIu32 "/%s", index, name) || value < 0)
        return SL_PROBE_UNKNOWN;
    return value;
}

static void read_core(const char *root, struct sl_probe_core *core)
{
    core->max_khz = read_number(root, core->index, "cpufreq/cpuinfo_max_freq");
    core->capacity = read_number(root, core->index, "cpu_capacity");
    core->cluster_id = read_number(root, core->index, "topology/cluster_id");
    if (core->cluster_id < 0)
        core->cluster_id = read_number(root, core->index, "topology/physical_package_id");
    core->midr = read_number(root, core->index, "regs/identification/midr_el1");
}

static bool same_kind(const struct sl_probe_core *a, const struct sl_probe_core *b)
{
    return a->max_khz == b->max_khz && a->capacity == b->capacity &&
           a->cluster_id == b->cluster_id && a->midr == b->midr;
}

/* Capacity says more than frequency where both are known. */
static bool is_slower(const struct sl_probe_core *a, const struct sl_probe_core *b)
{
    if (a->capacity != b->capacity)
        return a->capacity < b->capacity;
    return a->max_khz < b->max_khz;
}

static void find_clusters(struct sl_probe_cores *cores)
{
    for (size_t i = 0; i < cores->count; i++) {
        size_t c = 0;
        while (c < cores->cluster_count &&
               !same_kind(&cores->core[cores->cluster_first[c]], &cores->core[i]))
            c++;
        if (c < cores->cluster_count)
            continue;
        for (; c > 0 && is_slower(&cores->core[i], &cores->core[cores->cluster_first[c - 1]]); c--)
            cores->cluster_first[c] = cores->cluster_first[c - 1];
        cores->cluster_first[c] = i;
        cores->cluster_count++;
    }
    for (size_t i = 0; i < cores->count; i++) {
        size_t c = 0;
        while (!same_kind(&cores->core[cores->cluster_first[c]], &cores->core[i]))
            c++;
        cores->core[i].cluster = c;
    }
}

void sl_probe_cores_read(const char *root, struct sl_probe_cores *out)
{
    bool possible[SL_SYSFS_MAX_INDEX], online[SL_SYSFS_MAX_INDEX];
    uint32_t indices[SL_PROBE_MAX_CORES];
    memset(out, 0, sizeof(*out));
    bool know_possible = read_list(root, "possible", possible);
    bool know_online = read_list(root, "online", online);
    if (!know_possible) {
        size_t count = sl_sysfs_indices(root, CPU_FOLDER, "cpu", indices, SL_PROBE_MAX_CORES);
        for (size_t i = 0; i < count; i++)
            possible[indices[i]] = true;
    }
    for (uint32_t i = 0; i < SL_SYSFS_MAX_INDEX && out->count < SL_PROBE_MAX_CORES; i++) {
        if (!possible[i] && !online[i])
            continue;
        struct sl_probe_core *core = &out->core[out->count++];
        core->index = i;
        core->online = know_online ? online[i] : true;
        read_core(root, core);
    }
    find_clusters(out);
}
