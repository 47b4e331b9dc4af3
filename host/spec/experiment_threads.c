/* host/spec/experiment_threads.c: numbers of threads and the CPUs for them; a list of numbers
 * becomes an experiment each. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/spec/experiment.h"
#include "host/spec/json_doc.h"

/* What may be a list: each of its numbers becomes an experiment. */
enum { THREADS, PROCESSES };

static const struct list {
    const char *what;
    char letter;
    uint32_t most;
} lists[SL_EXPERIMENT_LISTS] = {{"threads", 't', SL_EXPERIMENT_MAX_THREADS},
                                {"processes", 'p', SL_EXPERIMENT_MAX_PROCESSES}};

static uint32_t *values_of(struct sl_experiment *experiment, int list)
{
    return list == THREADS ? experiment->threads : experiment->processes;
}

static size_t *count_of(struct sl_experiment *experiment, int list)
{
    return list == THREADS ? &experiment->thread_count : &experiment->process_count;
}

static bool has(struct sl_experiment *experiment, int list, uint32_t value)
{
    for (size_t i = 0; i < *count_of(experiment, list); i++)
        if (values_of(experiment, list)[i] == value)
            return true;
    return false;
}

/* A number, or a list without repetition. */
static int read_counts(const struct sl_json_at *at, int which, struct sl_experiment *out,
                       struct sl_diag *diag)
{
    bool list = sl_json_need_array(at, NULL) == 0;
    size_t count = list ? sl_json_size(at) : 1;
    int rc = 0;
    if (count == 0 || count > SL_EXPERIMENT_MAX_COUNTS)
        return sl_json_refuse(at, diag, "A list of %s has 1 to %d numbers", lists[which].what,
                              SL_EXPERIMENT_MAX_COUNTS);
    *count_of(out, which) = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        uint32_t value = 1;
        struct sl_json_at item = list ? sl_json_item(at, i) : *at;
        rc = sl_json_get_integer(&item, 1, lists[which].most, &value, diag);
        if (rc == 0 && has(out, which, value))
            rc = sl_json_refuse(&item, diag, "%u %s stand in the list twice", value,
                                lists[which].what);
        values_of(out, which)[(*count_of(out, which))++] = value;
    }
    return rc;
}

/* big, little, all, a list such as 4-7, or a mask. */
static bool names_cpus(const char *text)
{
    size_t mask = strncmp(text, "0x", 2) == 0 ? 2 : 0, len = strlen(text);
    if (strcmp(text, "big") == 0 || strcmp(text, "little") == 0 || strcmp(text, "all") == 0)
        return true;
    if (len == 0 || len >= SL_EXPERIMENT_AFFINITY_BYTES - 2)
        return false;
    return (len > mask && strspn(text + mask, "0123456789abcdefABCDEF") == len - mask) ||
           (isdigit((unsigned char)text[0]) && strspn(text, "0123456789,-") == len);
}

int sl_experiment_read_threads(const struct sl_json_at *threads, const struct sl_json_at *object,
                               struct sl_experiment *out, struct sl_diag *diag)
{
    const char *cpus = NULL;
    struct sl_json_at affinity = sl_json_member(object, "cpu_affinity"),
                      streaming = sl_json_member(object, "sme_threads"),
                      processes = sl_json_member(object, "processes");
    int rc = threads->value ? read_counts(threads, THREADS, out, diag) : 0;
    if (rc == 0 && processes.value)
        rc = read_counts(&processes, PROCESSES, out, diag);
    if (rc == 0)
        rc = sl_json_get_integer(&streaming, 1, SL_EXPERIMENT_MAX_THREADS, &out->sme_threads, diag);
    if (rc == 0)
        rc = sl_json_get_text(&affinity, &cpus, diag);
    if (rc < 0 || !cpus)
        return rc;
    if (!names_cpus(cpus)) {
        sl_diag_hint(diag, "say big, little, all, a list such as 4-7 or a mask such as 0xf0");
        return sl_json_refuse(&affinity, diag, "'%.40s' names no CPUs", cpus);
    }
    out->affinity = cpus;
    return 0;
}

int sl_experiment_parse_threads(const char *text, struct sl_experiment *out, struct sl_diag *diag)
{
    const char *at = text;
    out->thread_count = 0;
    do {
        char *end;
        unsigned long threads = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        bool ok = threads >= 1 && threads <= SL_EXPERIMENT_MAX_THREADS &&
                  (*end == ',' || *end == '\0') && !has(out, THREADS, (uint32_t)threads) &&
                  out->thread_count < SL_EXPERIMENT_MAX_COUNTS;
        if (!ok) {
            sl_diag_hint(diag, "say --threads 4, or --threads 1,2,4 for a run with each");
            return sl_diag_set(diag, SL_E_FORMAT, "--threads",
                               "'%.60s' is no list of different numbers of threads, 1 to %d each",
                               text, SL_EXPERIMENT_MAX_THREADS);
        }
        out->threads[out->thread_count++] = (uint32_t)threads;
        at = *end == ',' ? end + 1 : NULL;
    } while (at);
    return 0;
}

static int check_names(const struct sl_experiment_plan *plan, int list, struct sl_diag *diag)
{
    for (size_t i = 0; i < plan->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(plan->experiments[i].name, plan->experiments[k].name) == 0)
                return sl_diag_set(diag, SL_E_FORMAT, "/experiments",
                                   "With its number of %s one experiment is called '%.100s' "
                                   "as another is",
                                   lists[list].what, plan->experiments[i].name);
        }
    }
    return 0;
}

/* One number of the source's list; its name lies in the plan. */
static int put(struct sl_experiment_plan *plan, struct sl_experiment *source, int list,
               size_t which, size_t to, struct sl_diag *diag)
{
    struct sl_experiment *out = &plan->experiments[to];
    char *name = plan->list_names[list][to];
    *out = *source;
    values_of(out, list)[0] = values_of(source, list)[which];
    *count_of(out, list) = 1;
    if (*count_of(source, list) == 1)
        return 0;
    int len = snprintf(name, SL_NAME_BYTES, "%s_%c%u", source->name, lists[list].letter,
                       values_of(out, list)[0]);
    if (len < 0 || len >= SL_NAME_BYTES) {
        sl_diag_hint(diag, "give the experiment a shorter name");
        return sl_diag_set(diag, SL_E_FORMAT, "/experiments",
                           "The name '%.100s' is too long with its number of %s", source->name,
                           lists[list].what);
    }
    out->name = name;
    return 0;
}

static int expand(struct sl_experiment_plan *plan, int list, struct sl_diag *diag)
{
    size_t total = 0;
    int rc = 0;
    for (size_t i = 0; i < plan->count; i++)
        total += *count_of(&plan->experiments[i], list);
    if (total > SL_EXPERIMENT_MAX)
        return sl_diag_set(diag, SL_E_LIMIT, "/experiments",
                           "The experiments and their numbers of %s are more than %d together",
                           lists[list].what, SL_EXPERIMENT_MAX);
    size_t to = total;
    for (size_t i = plan->count; i-- > 0 && rc == 0;) { /* from the back: sources come before */
        struct sl_experiment source = plan->experiments[i];
        for (size_t k = *count_of(&source, list); k-- > 0 && rc == 0;)
            rc = put(plan, &source, list, k, --to, diag);
    }
    plan->count = total;
    return rc < 0 ? rc : check_names(plan, list, diag);
}

int sl_experiment_plan_expand_threads(struct sl_experiment_plan *plan, struct sl_diag *diag)
{
    int rc = expand(plan, THREADS, diag);
    return rc < 0 ? rc : expand(plan, PROCESSES, diag);
}
