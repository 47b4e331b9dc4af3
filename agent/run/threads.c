/* agent/run/threads.c */
#include "agent/run/threads.h"

#include <stdlib.h>
#include <string.h>

#include "agent/probe/cores.h"
#include "agent/probe/sysfs.h"
#include "common/base/error.h"

/* How fast a core is, in the unit that the device tells; 0 when it does not. Ranks are kinds apart.
 */
static int64_t speed_of(const struct sl_probe_core *core)
{
    return core->capacity > 0  ? core->capacity
           : core->max_khz > 0 ? core->max_khz
           : core->rank > 0    ? 1000 * core->rank
                               : 0;
}

/* Cores of one kind differ by some percent between chips and by their turbo frequencies. Where the
 * slowest reach four fifths of the fastest all are performance cores; else those that are faster
 * than the slowest by a tenth. */
static int64_t slowest_performance(const struct sl_probe_cores *cores)
{
    int64_t slowest = INT64_MAX, fastest = 0;
    for (size_t i = 0; i < cores->count; i++) {
        int64_t speed = speed_of(&cores->core[i]);
        slowest = speed < slowest ? speed : slowest;
        fastest = speed > fastest ? speed : fastest;
    }
    return slowest >= fastest / 5 * 4 ? 0 : slowest + slowest / 10 + 1;
}

bool sl_threads_parse_cpus(const char *word, bool listed[SL_AFFINITY_CPUS])
{
    if (strncmp(word, "0x", 2) != 0)
        return sl_sysfs_parse_list(word, strlen(word), listed);
    size_t digits = strlen(word + 2);
    if (digits == 0 || digits > 16 || strspn(word + 2, "0123456789abcdefABCDEF") != digits)
        return false;
    unsigned long long mask = strtoull(word + 2, NULL, 16);
    for (size_t i = 0; i < 64; i++)
        listed[i] = (mask >> i & 1) != 0;
    return true;
}

enum which { ALL, BIG, LITTLE, LISTED };

static int parse_affinity(const char *word, enum which *which, bool listed[SL_AFFINITY_CPUS],
                          struct sl_diag *diag)
{
    static const char *const words[] = {[ALL] = "all", [BIG] = "big", [LITTLE] = "little"};
    for (size_t i = 0; i < LISTED; i++) {
        *which = (enum which)i;
        if (strcmp(word, words[i]) == 0)
            return 0;
    }
    *which = LISTED;
    bool understood = sl_threads_parse_cpus(word, listed), by_kind = sl_affinity_is_by_kind();
    if (understood && !by_kind)
        return 0;
    sl_diag_hint(diag, by_kind ? "say big, little or all"
                               : "say big, little, all, a mask such as 0xf0 or a list such as 4-7");
    if (understood)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--affinity",
                           "This system takes no CPU by its number");
    return sl_diag_set(diag, SL_E_FORMAT, "--affinity", "'%.60s' names no CPUs", word);
}

/* The CPUs that are wanted, fastest first. */
static void choose_cpus(const struct sl_probe_cores *cores, const bool *wanted,
                        struct sl_threads *out)
{
    for (size_t i = 0; i < cores->count && out->cpu_count < SL_AFFINITY_CPUS; i++) {
        const struct sl_probe_core *core = &cores->core[i];
        size_t at = out->cpu_count;
        if (core->index >= SL_AFFINITY_CPUS || !wanted[core->index])
            continue;
        for (; at > 0; at--) {
            size_t before = 0;
            while (cores->core[before].index != out->cpus[at - 1])
                before++;
            if (speed_of(&cores->core[before]) >= speed_of(core))
                break;
            out->cpus[at] = out->cpus[at - 1];
        }
        out->cpus[at] = (uint16_t)core->index;
        out->cpu_count++;
    }
}

/* The CPUs of the processes before it come last; where there are too few, processes share them. */
static void take_turn(uint32_t place, struct sl_threads *out)
{
    uint16_t cpus[SL_AFFINITY_CPUS];
    if (place == 0 || out->cpu_count == 0)
        return;
    memcpy(cpus, out->cpus, sizeof(cpus));
    for (size_t i = 0; i < out->cpu_count; i++)
        out->cpus[i] = cpus[(i + (size_t)place * out->count) % out->cpu_count];
}

int sl_threads_decide(const struct sl_threads_asked *asked, const struct sl_probe_cores *cores,
                      const bool allowed[SL_AFFINITY_CPUS], struct sl_threads *out,
                      struct sl_diag *diag)
{
    bool listed[SL_AFFINITY_CPUS] = {false}, wanted[SL_AFFINITY_CPUS] = {false};
    bool pinned = asked->affinity[0] != '\0';
    enum which which = ALL;
    int64_t performance = slowest_performance(cores);
    uint32_t total = 0, fast = 0;
    *out = (struct sl_threads){.streaming = asked->sme_threads};
    int rc = pinned ? parse_affinity(asked->affinity, &which, listed, diag) : 0;
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < cores->count; i++) {
        const struct sl_probe_core *core = &cores->core[i];
        bool big = speed_of(core) >= performance;
        out->efficient_cores += !big;
        if (core->index >= SL_AFFINITY_CPUS || !allowed[core->index] || !core->online)
            continue;
        bool want = which == LISTED ? listed[core->index] : which == ALL || big == (which == BIG);
        wanted[core->index] = want;
        total += want;
        fast += want && (big || pinned);
    }
    if (pinned && total == 0)
        return sl_diag_set(diag, SL_E_NOT_FOUND, "--affinity",
                           "'%.60s' names no CPU that this process may use", asked->affinity);
    uint32_t heuristic = fast != 0 ? fast : 1, every = total != 0 ? total : 1;
    out->count = asked->cpu_threads > 0     ? (uint32_t)asked->cpu_threads
                 : asked->cpu_threads == -1 ? heuristic
                                            : every;
    out->count = out->count < SL_WORKERS_MAX ? out->count : SL_WORKERS_MAX;
    if (pinned) {
        choose_cpus(cores, wanted, out);
        take_turn(asked->place, out);
    }
    return 0;
}
