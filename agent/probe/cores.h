/* agent/probe/cores.h: the processor cores of a device, and which of them are of a kind. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_PROBE_MAX_CORES = 256 };
#define SL_PROBE_UNKNOWN (-1) /* of every number below */

struct sl_probe_core {
    uint32_t index;  /* N of cpuN; there may be holes */
    bool online;     /* true where nothing says otherwise */
    int64_t max_khz; /* cpufreq/cpuinfo_max_freq */
    int64_t capacity;
    int64_t cluster_id; /* topology/cluster_id, or the package where there is none */
    int64_t midr;       /* regs/identification/midr_el1 */
    int64_t rank;       /* of its kind, 1 the slowest, where the system gives no such numbers */
    char kind[24];      /* the system's word for its kind; "" where it has none */
    size_t cluster;     /* index in sl_probe_cores.cluster_first */
};

struct sl_probe_cores {
    size_t count, cluster_count;
    struct sl_probe_core core[SL_PROBE_MAX_CORES]; /* by index */
    /* The first core of each cluster, slowest cluster first. A cluster is what shares topology id,
     * highest frequency, capacity and core type: many phones report one topology id for all. */
    size_t cluster_first[SL_PROBE_MAX_CORES];
};

/* Finds the clusters of the cores that are listed. */
void sl_probe_cores_group(struct sl_probe_cores *cores);

/* Arm's name of the core type, such as "Cortex-X4", or NULL. */
const char *sl_probe_core_name(int64_t midr);
