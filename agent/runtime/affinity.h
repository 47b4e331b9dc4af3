/* agent/runtime/affinity.h: the CPUs that a thread may run on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SL_AFFINITY_CPUS = 1024 };

/* True where the system takes no CPU by its number, only the kind: then a set means the kind of
 * cores that all of its CPUs are of (macOS: by the thread's quality of service). */
bool sl_affinity_is_by_kind(void);

/* The CPUs that the calling thread may run on; all where the system does not say. */
void sl_affinity_read(bool out[SL_AFFINITY_CPUS]);

/* Keeps the calling thread, and those that it begins from then on where the system has it so, on
 * these CPUs. 0, -errno, or SL_E_UNSUPPORTED where the system has no word for this set. */
int sl_affinity_set(const bool cpus[SL_AFFINITY_CPUS]);

/* The same of one CPU. */
int sl_affinity_pin(uint32_t cpu);
