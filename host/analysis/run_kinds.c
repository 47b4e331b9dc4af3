/* host/analysis/run_kinds.c */
#include "host/analysis/run_kinds.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/format/sltrace.h"
#include "host/analysis/attribution.h"

static bool same_work(const struct sl_attribution *a, size_t x, size_t y)
{
    const struct sl_attribution_run *one = &a->runs[x], *other = &a->runs[y];
    return one->event_count == other->event_count &&
           memcmp(&a->event_operators[one->first_event], &a->event_operators[other->first_event],
                  one->event_count * sizeof(*a->event_operators)) == 0;
}

size_t sl_attribution_kinds(const struct sl_attribution *a,
                            struct sl_attribution_kind out[SL_ATTRIBUTION_KINDS_MAX])
{
    size_t places[SL_ATTRIBUTION_KINDS_MAX]; /* of each kind's first run among the runs here */
    size_t count = 0;
    for (size_t i = 0; i < a->run_count; i++) {
        size_t k = 0;
        if (a->runs[i].warmup)
            continue;
        while (k < count && !same_work(a, places[k], i))
            k++;
        if (k == SL_ATTRIBUTION_KINDS_MAX)
            continue;
        if (k == count) {
            places[count++] = i;
            out[k] = (struct sl_attribution_kind){.first = a->runs[i].run};
        }
        out[k].count++;
        out[k].mean += ((double)a->runs[i].end_to_end - out[k].mean) / (double)out[k].count;
    }
    return count;
}

static bool is_execute(const struct sl_attribution *a, size_t event)
{
    static const char name[] = "Method::execute";
    uint32_t index = a->event_operators[event];
    if (index == SL_POSITION_NO_OPERATOR)
        return false;
    const struct sl_operator *op = &a->operators[index];
    return !op->delegated && op->name_len == sizeof(name) - 1 &&
           memcmp(op->name, name, sizeof(name) - 1) == 0;
}

size_t sl_attribution_methods(const struct sl_attribution *a,
                              struct sl_attribution_method out[SL_ATTRIBUTION_KINDS_MAX])
{
    size_t counts[SL_ATTRIBUTION_KINDS_MAX] = {0}, most = 0;
    for (size_t i = 0; i < a->run_count; i++) {
        const struct sl_attribution_run *run = &a->runs[i];
        size_t k = 0, events = 0;
        double sum = 0; /* own times of a tree add up to its root's duration */
        for (size_t e = 0; !run->warmup && e < run->event_count && k < SL_ATTRIBUTION_KINDS_MAX;
             e++) {
            sum += (double)a->event_self[run->first_event + e];
            events++;
            if (!is_execute(a, run->first_event + e))
                continue;
            if (counts[k]++ == 0)
                out[k] = (struct sl_attribution_method){.events = events};
            out[k].mean += (sum - out[k].mean) / (double)counts[k];
            k++;
            sum = 0;
            events = 0;
        }
        most = k > most ? k : most;
    }
    return most > 1 ? most : 0;
}

enum { WORDS_BYTES = 200 };

/* Adds to `words`; what finds no room is left out. */
__attribute__((format(printf, 2, 3))) static void add_words(char words[WORDS_BYTES],
                                                            const char *format, ...)
{
    va_list args;
    size_t used = strlen(words);
    va_start(args, format);
    vsnprintf(words + used, WORDS_BYTES - used, format, args);
    va_end(args);
}

static void add_figure(char words[WORDS_BYTES], double value, int unit)
{
    if (unit == SL_TRACE_NS)
        add_words(words, "%.4g ms", value / 1e6);
    else
        add_words(words, "%.0f instructions", value);
}

static void warn_of_methods(struct sl_attribution *out)
{
    struct sl_attribution_method methods[SL_ATTRIBUTION_KINDS_MAX];
    size_t count = sl_attribution_methods(out, methods);
    char words[WORDS_BYTES] = "";
    for (size_t i = 0; i < count; i++) {
        add_words(words, "%s%zu of %zu takes ", i ? ", " : ": ", i + 1, count);
        add_figure(words, methods[i].mean, out->unit);
        add_words(words, " (%zu events)", methods[i].events);
    }
    if (count > 0)
        sl_attribution_warn(out, "each Method::execute of a run by itself, on average%s", words);
}

static void warn_of_kinds(struct sl_attribution *out)
{
    struct sl_attribution_kind kinds[SL_ATTRIBUTION_KINDS_MAX];
    size_t count = sl_attribution_kinds(out, kinds);
    char words[WORDS_BYTES] = "";
    for (size_t i = 0; i < count; i++) {
        add_words(words, "%s%zu as run %u, ", i ? "; " : "", kinds[i].count, kinds[i].first);
        add_figure(words, kinds[i].mean, out->unit);
    }
    if (count > 1)
        sl_attribution_warn(out,
                            "the runs do different work, as those of several methods or paths do: "
                            "%s on average; --run K shows one alone",
                            words);
}

void sl_attribution_kinds_warn(struct sl_attribution *attribution)
{
    warn_of_methods(attribution);
    warn_of_kinds(attribution);
}
