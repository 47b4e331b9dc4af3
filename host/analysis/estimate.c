/* host/analysis/estimate.c */
#include "host/analysis/estimate.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "host/analysis/block_work.h"
#include "host/analysis/silicon.h"

#define MATTERS 0.05 /* share of the time from which a figure's confidence counts */
#define UNKNOWN 0.01 /* share of instructions without a class that widens a band by half */

static double figure(const struct sl_silicon *silicon, int id)
{
    return silicon->figures[id].value;
}

static int port_of(int work)
{
    if (work <= SL_WORK_OUTER_I16_I64)
        return SL_PORT_OUTER;
    if (work <= SL_WORK_ZA_DOT16_4 || work == SL_WORK_ZA_ADD_SLICE)
        return SL_PORT_ZA_MAC;
    if (work == SL_WORK_ZA_MOVE || work == SL_WORK_ZA_ZERO)
        return SL_PORT_ZA_MOVE;
    if (work == SL_WORK_PREDICATE || work == SL_WORK_Z_TO_CORE || work == SL_WORK_Z_PREFIX)
        return SL_PORT_PREDICATE;
    if ((work >= SL_WORK_Z_LOAD_1 && work <= SL_WORK_Z_LOAD_4) || work == SL_WORK_ZA_LOAD)
        return SL_PORT_UNIT_LOAD;
    return work == SL_WORK_Z_STORE || work == SL_WORK_ZA_STORE ? SL_PORT_UNIT_STORE
                                                               : SL_PORT_VECTOR;
}

static int bound_of(int port)
{
    static const int bounds[SL_PORT_COUNT] = {
        [SL_PORT_OUTER] = SL_BOUND_OUTER,
        [SL_PORT_ZA_MAC] = SL_BOUND_ZA_MAC,
        [SL_PORT_ZA_MOVE] = SL_BOUND_ZA_MOVE,
        [SL_PORT_VECTOR] = SL_BOUND_VECTOR,
        [SL_PORT_PREDICATE] = SL_BOUND_VECTOR,
        [SL_PORT_UNIT_LOAD] = SL_BOUND_UNIT_MEMORY,
        [SL_PORT_UNIT_STORE] = SL_BOUND_UNIT_MEMORY,
        [SL_PORT_ISSUE] = SL_BOUND_FRONT_END,
        [SL_PORT_ALU] = SL_BOUND_FRONT_END,
        [SL_PORT_LOAD] = SL_BOUND_CORE_MEMORY,
        [SL_PORT_STORE] = SL_BOUND_CORE_MEMORY,
        [SL_PORT_NEON] = SL_BOUND_NEON,
        [SL_PORT_DIVIDE] = SL_BOUND_NEON,
        [SL_PORT_BRANCH] = SL_BOUND_FRONT_END,
        [SL_PORT_DEPENDENCE] = SL_BOUND_DEPENDENCE,
    };
    return bounds[port];
}

/* The unit's one pipe for everything but memory. */
static double pipe_of(const double *port_ns)
{
    double sum = 0;
    for (int p = SL_PORT_OUTER; p <= SL_PORT_PREDICATE; p++)
        sum += port_ns[p];
    return sum;
}

/* The longest of all, and which; `unit_factor` stretches what the unit does. */
static double longest(const double *port_ns, double unit_factor, int *out_port)
{
    double most = pipe_of(port_ns) * unit_factor;
    int port = SL_PORT_OUTER;
    for (int p = SL_PORT_ZA_MAC; p <= SL_PORT_PREDICATE; p++)
        port = port_ns[p] > port_ns[port] ? p : port;
    for (int p = SL_PORT_UNIT_LOAD; p < SL_PORT_COUNT; p++) {
        double ns = port_ns[p] * (p <= SL_PORT_UNIT_STORE ? unit_factor : 1);
        if (ns > most) {
            most = ns;
            port = p;
        }
    }
    *out_port = port;
    return most;
}

static void add_core(const struct sl_silicon *silicon, const struct sl_block_work *work,
                     bool streaming, double *cycles)
{
    const uint32_t *units = work->units;
    double floats = (double)units[SL_WORK_NEON_MAC] + units[SL_WORK_NEON_TO_CORE] +
                    units[SL_WORK_NEON] + units[SL_WORK_NEON_DIVIDE];
    cycles[SL_PORT_ISSUE] = work->insns / figure(silicon, SL_FIGURE_CORE_WIDTH);
    cycles[SL_PORT_ALU] = ((double)units[SL_WORK_ALU] + units[SL_WORK_MULTIPLY]) /
                          figure(silicon, SL_FIGURE_CORE_ALU);
    cycles[SL_PORT_LOAD] = units[SL_WORK_LOAD] / figure(silicon, SL_FIGURE_CORE_LOAD);
    cycles[SL_PORT_STORE] = units[SL_WORK_STORE] / figure(silicon, SL_FIGURE_CORE_STORE);
    cycles[SL_PORT_BRANCH] = units[SL_WORK_BRANCH] / figure(silicon, SL_FIGURE_CORE_BRANCH);
    cycles[SL_PORT_DIVIDE] = units[SL_WORK_DIVIDE] * figure(silicon, SL_FIGURE_CORE_DIVIDE);
    if (streaming)
        return;
    cycles[SL_PORT_NEON] = floats / figure(silicon, SL_FIGURE_CORE_FLOAT);
    cycles[SL_PORT_DIVIDE] +=
        units[SL_WORK_NEON_DIVIDE] * figure(silicon, SL_FIGURE_CORE_FLOAT_DIVIDE);
}

void sl_block_cost_make(const struct sl_silicon *silicon, const struct sl_block_work *work,
                        bool streaming, struct sl_block_cost *out)
{
    double core_ns = 1 / figure(silicon, SL_FIGURE_CORE_CLOCK);
    double unit_ns = silicon->has_unit ? 1 / figure(silicon, SL_FIGURE_UNIT_CLOCK) : 0;
    memset(out, 0, sizeof(*out));
    add_core(silicon, work, streaming, out->port_ns);
    for (int p = SL_PORT_ISSUE; p < SL_PORT_COUNT; p++)
        out->port_ns[p] *= core_ns;
    for (int w = SL_WORK_OUTER_F32; w < SL_WORK_COUNT; w++)
        out->port_ns[port_of(w)] += work->units[w] * silicon->cycles[w].value * unit_ns;
    if (streaming) { /* the core has no floats of its own there */
        double scalars = (double)work->units[SL_WORK_NEON] + work->units[SL_WORK_NEON_MAC] +
                         work->units[SL_WORK_NEON_TO_CORE] + work->units[SL_WORK_NEON_DIVIDE];
        out->port_ns[SL_PORT_VECTOR] += scalars * silicon->cycles[SL_WORK_Z_1].value * unit_ns;
    }
    for (int w = 0; w < SL_WORK_COUNT; w++) {
        double clock_ns = w == SL_WORK_NEON_MAC ? core_ns : unit_ns;
        out->port_ns[SL_PORT_DEPENDENCE] =
            fmax(out->port_ns[SL_PORT_DEPENDENCE],
                 work->chain[w] * silicon->latency[w].value * clock_ns);
    }
    int port = 0;
    out->most_ns = longest(out->port_ns, 1, &port);
    out->bound = bound_of(port);
}

void sl_estimate_stage_add(struct sl_estimate_stage *stage, const struct sl_block_work *work,
                           const struct sl_block_cost *cost, uint64_t times)
{
    double n = (double)times;
    for (int p = 0; p < SL_PORT_COUNT; p++)
        stage->port_ns[p] += n * cost->port_ns[p];
    for (int w = 0; w < SL_WORK_COUNT; w++)
        stage->units[w] += times * work->units[w];
    stage->insns += times * work->insns;
    stage->most_ns += n * cost->most_ns;
    stage->bound_ns[cost->bound] += n * cost->most_ns;
}

void sl_estimate_add(struct sl_estimate *estimate, const struct sl_silicon *silicon,
                     const struct sl_estimate_stage *stage, uint64_t times)
{
    double n = (double)times, slow = 1, fast = 1, middle;
    int port = 0;
    double least = longest(stage->port_ns, 1, &port);
    if (stage->streaming && silicon->has_unit) {
        double overlap = figure(silicon, SL_FIGURE_UNIT_OVERLAP);
        double clock = figure(silicon, SL_FIGURE_UNIT_CLOCK);
        middle = (1 - overlap) * least + overlap * stage->most_ns;
        slow = clock / figure(silicon, SL_FIGURE_UNIT_CLOCK_LOW);
        fast = clock / figure(silicon, SL_FIGURE_UNIT_CLOCK_HIGH);
        estimate->least_ns += n * longest(stage->port_ns, fast, &port);
        estimate->sum.most_ns += n * stage->most_ns * slow;
    } else { /* the core overlaps little of what the blocks of a loop take, and the fit says so */
        middle = figure(silicon, SL_FIGURE_CORE_SCALE) * stage->most_ns;
        estimate->least_ns += n * middle;
        estimate->sum.most_ns += n * middle;
    }
    estimate->sum.streaming = estimate->sum.streaming || stage->streaming;
    estimate->middle_ns += n * middle;
    for (int b = 0; b < SL_BOUND_COUNT && stage->most_ns > 0; b++)
        estimate->sum.bound_ns[b] += n * middle * stage->bound_ns[b] / stage->most_ns;
    for (int p = 0; p < SL_PORT_COUNT; p++)
        estimate->sum.port_ns[p] += n * stage->port_ns[p];
    for (int w = 0; w < SL_WORK_COUNT; w++)
        estimate->sum.units[w] += times * stage->units[w];
    estimate->sum.insns += times * stage->insns;
    estimate->sessions += times * stage->units[SL_WORK_SM_START];
    estimate->unclassified += times * stage->units[SL_WORK_UNCLASSIFIED];
    if (stage->streaming)
        estimate->round_trips +=
            times * (stage->units[SL_WORK_Z_TO_CORE] + stage->units[SL_WORK_NEON_TO_CORE]);
}

/* Time for memory: the part that overlaps with instructions, and the part that they wait for. */
struct memory {
    double overlaps, waits;
};

/* Bytes ÷ the bandwidth of the smallest level that holds their footprint. */
static struct memory memory_of(const struct sl_silicon *silicon, bool streaming,
                               const struct sl_estimate_data *data)
{
    const struct sl_silicon_level *levels = streaming ? silicon->unit_levels : silicon->core_levels;
    size_t count = streaming ? silicon->unit_level_count : silicon->core_level_count;
    struct memory memory = {0};
    for (size_t i = 0; i < data->traffic_count && count > 0; i++) {
        size_t at = 0;
        while (at + 1 < count && data->traffic[i].footprint > levels[at].bytes)
            at++;
        /* GB/s are bytes a nanosecond. */
        *(levels[at].waits ? &memory.waits : &memory.overlaps) +=
            data->traffic[i].bytes / levels[at].gb_per_s;
    }
    return memory;
}

static void lower(char *confidence, char other)
{
    if (sl_confidence_rank(other) > sl_confidence_rank(*confidence))
        *confidence = other;
}

static char confidence_of(const struct sl_estimate *estimate, const struct sl_silicon *silicon)
{
    char lowest = silicon->figures[SL_FIGURE_CORE_CLOCK].confidence;
    double total = pipe_of(estimate->sum.port_ns) + estimate->sum.port_ns[SL_PORT_UNIT_LOAD] +
                   estimate->sum.port_ns[SL_PORT_UNIT_STORE];
    if (!estimate->sum.streaming || !silicon->has_unit) {
        lower(&lowest, silicon->figures[SL_FIGURE_CORE_SCALE].confidence);
        lower(&lowest, silicon->figures[SL_FIGURE_CORE_FLOAT].confidence);
        return lowest;
    }
    lower(&lowest, silicon->figures[SL_FIGURE_UNIT_CLOCK].confidence);
    lower(&lowest, silicon->figures[SL_FIGURE_UNIT_OVERLAP].confidence);
    for (int w = SL_WORK_OUTER_F32; w < SL_WORK_COUNT; w++) {
        double ns = (double)estimate->sum.units[w] * silicon->cycles[w].value /
                    figure(silicon, SL_FIGURE_UNIT_CLOCK);
        if (ns > MATTERS * total)
            lower(&lowest, silicon->cycles[w].confidence);
    }
    return lowest;
}

/* By how much more or less the time may be, at the bound that it has. */
static double band_of(const struct sl_estimate *estimate, const struct sl_silicon *silicon)
{
    int id = !estimate->sum.streaming || !silicon->has_unit ? SL_FIGURE_CORE_BAND
             : estimate->bound == SL_BOUND_OUTER            ? SL_FIGURE_UNIT_BAND_PRODUCT
             : estimate->bound == SL_BOUND_VECTOR           ? SL_FIGURE_UNIT_BAND_VECTOR
                                                            : SL_FIGURE_UNIT_BAND_OTHER;
    double unknown =
        estimate->sum.insns ? (double)estimate->unclassified / (double)estimate->sum.insns : 0;
    return figure(silicon, id) * (1 + 0.5 * unknown / UNKNOWN);
}

/* Makes times of all passes times of one. */
static void divide(struct sl_estimate *estimate, double passes)
{
    estimate->least_ns /= passes;
    estimate->middle_ns /= passes;
    estimate->sum.most_ns /= passes;
    for (int b = 0; b < SL_BOUND_COUNT; b++)
        estimate->sum.bound_ns[b] /= passes;
    for (int p = 0; p < SL_PORT_COUNT; p++)
        estimate->sum.port_ns[p] /= passes;
}

/* Times besides those of the instructions, in nanoseconds of one pass. */
struct overheads {
    double call, change, hand_over;
    struct memory memory;
};

/* Sums up what the time is spent on, and finds the most of it. */
static void add_overheads(struct sl_estimate *estimate, const struct overheads *over)
{
    if (over->memory.overlaps > estimate->middle_ns) {
        memset(estimate->sum.bound_ns, 0, sizeof(estimate->sum.bound_ns));
        estimate->sum.bound_ns[SL_BOUND_MEMORY] = over->memory.overlaps;
    }
    estimate->sum.bound_ns[SL_BOUND_MEMORY] += over->memory.waits;
    estimate->sum.bound_ns[SL_BOUND_FRONT_END] += over->call;
    estimate->sum.bound_ns[SL_BOUND_SWITCH] += over->change;
    estimate->sum.bound_ns[SL_BOUND_HAND_OVER] += over->hand_over;
    estimate->bound = 0;
    for (int b = 1; b < SL_BOUND_COUNT; b++) {
        if (estimate->sum.bound_ns[b] > estimate->sum.bound_ns[estimate->bound])
            estimate->bound = b;
    }
}

void sl_estimate_finish(struct sl_estimate *estimate, const struct sl_silicon *silicon,
                        const struct sl_estimate_data *data)
{
    bool streaming = estimate->sum.streaming && silicon->has_unit;
    double fixed = 0, passes = fmax(1, data->passes);
    struct overheads over = {.call = data->calls * figure(silicon, SL_FIGURE_CORE_CALL),
                             .memory = memory_of(silicon, streaming, data)};
    divide(estimate, passes);
    if (streaming) {
        over.change = ((double)estimate->sessions * figure(silicon, SL_FIGURE_UNIT_SESSION) +
                       (double)estimate->round_trips * figure(silicon, SL_FIGURE_UNIT_BACK)) /
                          passes +
                      data->calls * figure(silicon, SL_FIGURE_UNIT_DRAIN);
        over.hand_over = data->hand_over_bytes / 1024 * figure(silicon, SL_FIGURE_UNIT_HAND_OVER);
        fixed = figure(silicon, SL_FIGURE_UNIT_BAND_FIXED) * data->calls;
    }
    add_overheads(estimate, &over);
    double band = band_of(estimate, silicon), memory = over.memory.overlaps;
    double rest = over.call + over.change + over.hand_over + over.memory.waits;
    double low = (rest + fmax(estimate->least_ns, memory)) / band;
    double high = (rest + fmax(estimate->sum.most_ns, memory)) * band;
    estimate->mid_ns = rest + fmax(estimate->middle_ns, memory);
    estimate->low_ns = fmin(fmax(low - fixed, low / 2), estimate->mid_ns);
    estimate->high_ns = fmax(high + fixed, estimate->mid_ns);
    estimate->confidence = confidence_of(estimate, silicon);
}

const char *sl_bound_name(int bound)
{
    static const char *const names[] = {
#define SL_BOUND(id, name) name,
#include "host/analysis/estimate.inc"
#undef SL_BOUND
    };
    return names[bound];
}

const char *sl_port_name(int port)
{
    static const char *const names[SL_PORT_COUNT] = {
        [SL_PORT_OUTER] = "outer_product",
        [SL_PORT_ZA_MAC] = "za_mac",
        [SL_PORT_ZA_MOVE] = "za_move",
        [SL_PORT_VECTOR] = "streaming_vector",
        [SL_PORT_PREDICATE] = "predicate",
        [SL_PORT_UNIT_LOAD] = "streaming_load",
        [SL_PORT_UNIT_STORE] = "streaming_store",
        [SL_PORT_ISSUE] = "issue",
        [SL_PORT_ALU] = "alu",
        [SL_PORT_LOAD] = "load",
        [SL_PORT_STORE] = "store",
        [SL_PORT_NEON] = "neon",
        [SL_PORT_DIVIDE] = "divide",
        [SL_PORT_BRANCH] = "branch",
        [SL_PORT_DEPENDENCE] = "dependence",
    };
    return names[port];
}
