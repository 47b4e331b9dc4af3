/* agent/probe/cores.c */
#include "agent/probe/cores.h"

#include <stddef.h>
/* The parts of one implementer: bits 15..4 of MIDR_EL1. */
struct part {
    uint16_t number;
    const char *name;
};

static const struct part arm[] = {
    {0xd02, "Cortex-A34"},    {0xd03, "Cortex-A53"},
    {0xd04, "Cortex-A35"},    {0xd05, "Cortex-A55"},
    {0xd06, "Cortex-A65"},    {0xd07, "Cortex-A57"},
    {0xd08, "Cortex-A72"},    {0xd09, "Cortex-A73"},
    {0xd0a, "Cortex-A75"},    {0xd0b, "Cortex-A76"},
    {0xd0c, "Neoverse-N1"},   {0xd0d, "Cortex-A77"},
    {0xd0e, "Cortex-A76AE"},  {0xd40, "Neoverse-V1"},
    {0xd41, "Cortex-A78"},    {0xd42, "Cortex-A78AE"},
    {0xd43, "Cortex-A65AE"},  {0xd44, "Cortex-X1"},
    {0xd46, "Cortex-A510"},   {0xd47, "Cortex-A710"},
    {0xd48, "Cortex-X2"},     {0xd49, "Neoverse-N2"},
    {0xd4a, "Neoverse-E1"},   {0xd4b, "Cortex-A78C"},
    {0xd4c, "Cortex-X1C"},    {0xd4d, "Cortex-A715"},
    {0xd4e, "Cortex-X3"},     {0xd4f, "Neoverse-V2"},
    {0xd80, "Cortex-A520"},   {0xd81, "Cortex-A720"},
    {0xd82, "Cortex-X4"},     {0xd83, "Neoverse-V3AE"},
    {0xd84, "Neoverse-V3"},   {0xd85, "Cortex-X925"},
    {0xd87, "Cortex-A725"},   {0xd88, "Cortex-A520AE"},
    {0xd89, "Cortex-A720AE"}, {0xd8a, "C1-Nano"},
    {0xd8b, "C1-Pro"},        {0xd8c, "C1-Ultra"},
    {0xd8e, "Neoverse-N3"},   {0xd8f, "Cortex-A320"},
    {0xd90, "C1-Premium"},    {0, NULL},
};
static const struct part cavium[] = {
    {0x0a0, "ThunderX"},       {0x0a1, "ThunderX-88XX"}, {0x0a2, "ThunderX-81XX"},
    {0x0a3, "ThunderX-83XX"},  {0x0af, "ThunderX2"},     {0x0b1, "OcteonTX2-98XX"},
    {0x0b2, "OcteonTX2-96XX"}, {0x0b8, "ThunderX3"},     {0, NULL},
};
static const struct part fujitsu[] = {{0x001, "A64FX"}, {0x003, "Monaka"}, {0, NULL}};
/* The last two are Arm's under HiSilicon's number. */
static const struct part hisilicon[] = {
    {0xd01, "TaiShan-V110"},
    {0xd02, "TaiShan-V120"},
    {0xd40, "Cortex-A76"},
    {0xd41, "Cortex-A77"},
    {0, NULL},
};
static const struct part nvidia[] = {
    {0x000, "Denver"}, {0x003, "Denver 2"}, {0x004, "Carmel"}, {0x010, "Olympus"}, {0, NULL}};
static const struct part qualcomm[] = {
    {0x001, "Oryon"},
    {0x201, "Kryo"},
    {0x205, "Kryo"},
    {0x211, "Kryo"},
    {0x800, "Kryo-2XX-Gold"},
    {0x801, "Kryo-2XX-Silver"},
    {0x802, "Kryo-3XX-Gold"},
    {0x803, "Kryo-3XX-Silver"},
    {0x804, "Kryo-4XX-Gold"},
    {0x805, "Kryo-4XX-Silver"},
    {0xc00, "Falkor"},
    {0xc01, "Saphira"},
    {0, NULL},
};
static const struct part samsung[] = {
    {0x001, "Exynos-M1"},
    {0x002, "Exynos-M3"},
    {0x003, "Exynos-M4"},
    {0x004, "Exynos-M5"},
    {0, NULL},
};
/* Read under Linux alone: macOS has no such register. */
static const struct part apple[] = {
    {0x020, "A14-Icestorm"},
    {0x021, "A14-Firestorm"},
    {0x022, "M1-Icestorm"},
    {0x023, "M1-Firestorm"},
    {0x024, "M1-Pro-Icestorm"},
    {0x025, "M1-Pro-Firestorm"},
    {0x028, "M1-Max-Icestorm"},
    {0x029, "M1-Max-Firestorm"},
    {0x030, "A15-Blizzard"},
    {0x031, "A15-Avalanche"},
    {0x032, "M2-Blizzard"},
    {0x033, "M2-Avalanche"},
    {0x034, "M2-Pro-Blizzard"},
    {0x035, "M2-Pro-Avalanche"},
    {0x038, "M2-Max-Blizzard"},
    {0x039, "M2-Max-Avalanche"},
    {0x042, "M3-Sawtooth"},
    {0x043, "M3-Everest"},
    {0x044, "M3-Pro-Sawtooth"},
    {0x045, "M3-Pro-Everest"},
    {0x048, "M3-Max-Sawtooth"},
    {0x049, "M3-Max-Everest"},
    {0x052, "M4-Efficiency"},
    {0x053, "M4-Performance"},
    {0x054, "M4-Pro-Efficiency"},
    {0x055, "M4-Pro-Performance"},
    {0x058, "M4-Max-Efficiency"},
    {0x059, "M4-Max-Performance"},
    {0, NULL},
};
static const struct part ampere[] = {{0xac3, "Ampere-1"}, {0xac4, "Ampere-1A"}, {0, NULL}};

static const struct {
    uint8_t implementer; /* bits 31..24 */
    const struct part *parts;
} implementers[] = {
    {0x41, arm},      {0x43, cavium},  {0x46, fujitsu}, {0x48, hisilicon}, {0x4e, nvidia},
    {0x51, qualcomm}, {0x53, samsung}, {0x61, apple},   {0xc0, ampere},
};

const char *sl_probe_core_name(int64_t midr)
{
    const struct part *part = NULL;
    for (size_t i = 0; midr >= 0 && i < sizeof(implementers) / sizeof(implementers[0]); i++) {
        if (implementers[i].implementer == (midr >> 24 & 0xff))
            part = implementers[i].parts;
    }
    while (part && part->name && part->number != (midr >> 4 & 0xfff))
        part++;
    return part ? part->name : NULL;
}

static bool same_kind(const struct sl_probe_core *a, const struct sl_probe_core *b)
{
    return a->max_khz == b->max_khz && a->capacity == b->capacity &&
           a->cluster_id == b->cluster_id && a->midr == b->midr && a->rank == b->rank;
}

/* Capacity says more than frequency where both are known. */
static bool is_slower(const struct sl_probe_core *a, const struct sl_probe_core *b)
{
    if (a->capacity != b->capacity)
        return a->capacity < b->capacity;
    return a->max_khz != b->max_khz ? a->max_khz < b->max_khz : a->rank < b->rank;
}

void sl_probe_cores_group(struct sl_probe_cores *cores)
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
