/* agent/run/options.c */
#include "agent/run/options.h"

#include <string.h>

#include "agent/run/etlog.h"
#include "agent/run/gflags.h"
#include "agent/run/help.h"
#include "agent/runtime/runtime.h"
#include "common/base/error.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/policy.h"

enum { MAX_FLAGS = 40 };

/* Which flags were on the command line, where that changes a default. */
struct given {
    bool num_executions, warmup;
};

static size_t runner_flags(struct sl_run_options *o, struct given *given, struct sl_flag *flags)
{
    const struct sl_flag table[] = {
        {"model_path", SL_FLAG_STRING, &o->model_path, NULL,
         "Model serialized in flatbuffer format."},
        {"data_path", SL_FLAG_STRING, &o->data_path, NULL, "Path to data file (.ptd)."},
        {"inputs", SL_FLAG_STRING, &o->inputs, NULL, "Comma-separated list of input files"},
        {"output_file", SL_FLAG_STRING, &o->output_file, NULL, "Base name of output file."},
        {"server_mode", SL_FLAG_BOOL, &o->server_mode, NULL,
         "Run continuously, executing one inference per line read from stdin."},
        {"print_output", SL_FLAG_STRING, &o->print_output, NULL,
         "Output printing mode: 'none', 'summary' or 'all'."},
        {"num_executions", SL_FLAG_UINT32, &o->num_executions, &given->num_executions,
         "Number of times to run the model; with --variants, of pairs."},
        {"method_name", SL_FLAG_STRING, &o->method_name, NULL,
         "Name of the method to run. If empty, uses the first method in the program."},
        {"etdump_path", SL_FLAG_STRING, &o->etdump_path, NULL, "Write ETDump data to this path."},
        {"cpu_threads", SL_FLAG_INT32, &o->cpu_threads, NULL, "Number of CPU threads."},
        {"bundleio_rtol", SL_FLAG_DOUBLE, &o->bundleio_rtol, NULL, "Relative tolerance."},
        {"bundleio_atol", SL_FLAG_DOUBLE, &o->bundleio_atol, NULL, "Absolute tolerance."},
    };
    memcpy(flags, table, sizeof(table));
    return sizeof(table) / sizeof(table[0]);
}

static size_t own_flags(struct sl_run_options *o, struct given *given, struct sl_flag *flags)
{
    const struct sl_flag table[] = {
        {"isa", SL_FLAG_STRING, &o->isa, NULL, "What kernels may use."},
        {"policy", SL_FLAG_STRING, &o->policy, NULL, "Families kept out of streaming mode."},
        {"variants", SL_FLAG_STRING, &o->variants, NULL, "Two variants to interleave: off,on."},
        {"sme_threads", SL_FLAG_UINT32, &o->sme_threads, NULL, "Threads that may use SME."},
        {"affinity", SL_FLAG_STRING, &o->affinity, NULL, "CPUs that threads stay on."},
        {"max_memory", SL_FLAG_UINT64, &o->max_memory, NULL, "Bytes a program may ask for."},
        {"weight_cache", SL_FLAG_STRING, &o->weight_cache, NULL, "Directory of packed weights."},
        {"weight_cache_max", SL_FLAG_UINT64, &o->weight_cache_max, NULL, "Bytes it may hold."},
        {"input_shapes", SL_FLAG_STRING, &o->input_shapes, NULL, "Shapes of a dynamic model."},
        {"events", SL_FLAG_STRING, &o->events, NULL, "all, or runs: whole executions alone."},
        {"clock", SL_FLAG_STRING, &o->clock, NULL, "ns or marks."},
        {"trace_path", SL_FLAG_STRING, &o->trace_path, NULL, "Write the .sltrace stream here."},
        {"warmup", SL_FLAG_UINT32, &o->warmup, &given->warmup, "Executions before the first."},
        {"timeout", SL_FLAG_UINT32, &o->timeout, NULL, "Seconds for one load or execution."},
        {"seed", SL_FLAG_UINT64, &o->seed, NULL, "Seed of the schedule."},
        {"ring", SL_FLAG_INT32, &o->ring, NULL, "Descriptor of the parent's ring."},
        {"load", SL_FLAG_STRING, &o->load, NULL, "Execute until stdin ends; then write this."},
        {"place", SL_FLAG_UINT32, &o->place, NULL, "Which process of several, from 1."},
        {"first_look", SL_FLAG_UINT32, &o->first_look, NULL, "Pairs to wait after, with --ring."},
        {"budget_ms", SL_FLAG_UINT32, &o->budget_ms, NULL, "Begin no pair after so long."},
        {"json", SL_FLAG_BOOL, &o->json, NULL, "End with one line of JSON on stdout."},
        {"print_json", SL_FLAG_BOOL, &o->json, NULL, "The same as --json."},
    };
    memcpy(flags, table, sizeof(table));
    return sizeof(table) / sizeof(table[0]);
}

static void log_extra_words(char **words, int count)
{
    char text[256] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof(text); i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", words[i]);
    sl_etlog('E', "executor_runner.cpp", 312, "Extra commandline args: %s", text);
}

/* The flags that exist but are not done, each with its sentence. */
static bool refuses(const struct sl_run_options *o)
{
    if (o->server_mode && (o->paired || o->counted || o->ring >= 0 || o->trace_path[0]))
        SL_ETLOG('E', "--server_mode executes one variant and records nothing: leave out "
                      "--variants, --clock, --ring and --trace_path");
    else if (o->load[0] && (o->paired || o->counted || o->server_mode || o->ring >= 0))
        SL_ETLOG('E', "--load executes one variant and records nothing: leave out --variants, "
                      "--clock, --server_mode and --ring");
    else if ((o->first_look != 0 || o->budget_ms != 0) && (!o->paired || o->counted))
        SL_ETLOG('E', "--first_look and --budget_ms are for --variants in nanoseconds");
    else if (o->first_look != 0 && o->ring < 0)
        SL_ETLOG('E', "--first_look waits for the owner of --ring, which is not given");
    else if (!(o->bundleio_rtol >= 0) || !(o->bundleio_atol >= 0))
        SL_ETLOG('E', "--bundleio_rtol and --bundleio_atol are at least 0");
    else if (o->counted && o->cpu_threads > 1)
        SL_ETLOG('E',
                 "--cpu_threads=%d is not for --clock marks: instructions are counted on one "
                 "thread; say --cpu_threads=1",
                 o->cpu_threads);
    else if (o->ring >= 0 && o->trace_path[0])
        SL_ETLOG('E', "--ring and --trace_path exclude each other: the ring's owner writes the "
                      "trace");
    else
        return false;
    return true;
}

static bool words_ok(struct sl_run_options *o)
{
    const char *print = o->print_output;
    if (strcmp(print, "none") != 0 && strcmp(print, "summary") != 0 && strcmp(print, "all") != 0) {
        sl_etlog('E', "executor_runner.cpp", 327,
                 "Unknown --print_output mode '%s'. Expected 'none', 'summary', or 'all'.", print);
        return false;
    }
    o->counted = strcmp(o->clock, "marks") == 0;
    if (!o->counted && strcmp(o->clock, "ns") != 0) {
        SL_ETLOG('E', "Unknown --clock '%s'. Expected 'ns' or 'marks'.", o->clock);
        return false;
    }
    o->clean = strcmp(o->events, "runs") == 0;
    if (!o->clean && strcmp(o->events, "all") != 0) {
        SL_ETLOG('E', "Unknown --events '%s'. Expected 'all' or 'runs'.", o->events);
        return false;
    }
    return !refuses(o);
}

static void set_defaults(struct sl_run_options *o)
{
    *o = (struct sl_run_options){
        .model_path = "model.pte",
        .data_path = "",
        .inputs = "",
        .output_file = "",
        .print_output = "summary",
        .method_name = "",
        .etdump_path = "model.etdump",
        .num_executions = 1,
        .cpu_threads = -1,
        .bundleio_rtol = 0.01,
        .bundleio_atol = 0.01,
        .max_memory = SL_RUNTIME_MAX_BYTES,
        .isa = "",
        .policy = "default",
        .variants = "",
        .weight_cache = "",
        .weight_cache_max = SL_RUNTIME_WEIGHT_CACHE_BYTES,
        .input_shapes = "",
        .affinity = "",
        .load = "",
        .clock = "ns",
        .events = "all",
        .trace_path = "",
        .seed = 1,
        .ring = -1,
    };
}

int sl_run_options_parse(struct sl_run_options *options, int argc, char **argv, FILE *err,
                         int *out_exit)
{
    struct sl_flag flags[MAX_FLAGS];
    struct given given = {0};
    int extra;
    set_defaults(options);
    size_t count = runner_flags(options, &given, flags);
    count += own_flags(options, &given, flags + count);
    *out_exit = 1;
    switch (sl_gflags_parse(flags, count, argc, argv, err, &extra)) {
    case SL_GFLAGS_BAD:
        return SL_RUN_STOP;
    case SL_GFLAGS_HELP:
        sl_help_run(stdout);
        return SL_RUN_DONE; /* 1, as gflags' own help */
    case SL_GFLAGS_VERSION:
        puts("executor_runner");
        *out_exit = 0;
        return SL_RUN_DONE;
    default:
        break;
    }
    if (extra > 0) {
        log_extra_words(argv + 1, extra);
        return SL_RUN_STOP;
    }
    options->paired = options->variants[0] != '\0';
    if (!words_ok(options))
        return SL_RUN_STOP;
    if (options->paired && !given.num_executions)
        options->num_executions = options->counted ? SL_RUN_COUNTED_PAIRS : SL_RUN_DEFAULT_PAIRS;
    if (options->paired && !given.warmup)
        options->warmup = 1;
    return SL_RUN_GO;
}

static int parse_mask(const char *word, uint32_t detected, const char *where, uint32_t *out,
                      struct sl_diag *diag)
{
    char has[128];
    int64_t mask = sl_isa_parse(word, detected);
    if (mask >= 0) {
        *out = (uint32_t)mask;
        return 0;
    }
    sl_isa_format(detected, has, sizeof(has));
    sl_diag_hint(diag, "this CPU has: %s", has);
    if (mask == -1)
        return sl_diag_set(diag, SL_E_FORMAT, where, "'%s' is not a set of instructions", word);
    return sl_diag_set(diag, SL_E_UNSUPPORTED, where, "This CPU does not have '%s'", word);
}

/* `base` is what --isa allows. */
static int parse_variant(const char *word, size_t len, uint32_t base, uint32_t detected,
                         struct sl_run_variant_spec *out, struct sl_diag *diag)
{
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2;
    if (len == 0 || len >= sizeof(out->name))
        return sl_diag_set(diag, SL_E_FORMAT, "--variants",
                           "A variant's name is empty or too long");
    memcpy(out->name, word, len);
    out->name[len] = '\0';
    if (strcmp(out->name, "off") == 0) {
        out->isa = base & ~sme;
        return 0;
    }
    if (strcmp(out->name, "on") != 0)
        return parse_mask(out->name, detected, "--variants", &out->isa, diag);
    out->isa = base;
    if (base & SL_ISA_SME2)
        return 0;
    sl_diag_hint(diag, "take a device with SME2, or the emulator with -cpu max,sme512=on");
    return sl_diag_set(diag, SL_E_UNSUPPORTED, "--variants",
                       "Variant on needs SME2, which this CPU or --isa does not have");
}

static int name_variants(struct sl_run_options *o, uint32_t detected, struct sl_diag *diag)
{
    uint32_t base = detected;
    int rc = o->isa[0] ? parse_mask(o->isa, detected, "--isa", &base, diag) : 0;
    if (rc < 0)
        return rc;
    if (!o->paired) {
        o->variant_count = 1;
        o->variant[0].isa = base;
        snprintf(o->variant[0].name, sizeof(o->variant[0].name), "%s",
                 o->isa[0]            ? o->isa
                 : base & SL_ISA_SME2 ? "on"
                                      : "off");
        return 0;
    }
    const char *comma = strchr(o->variants, ',');
    if (!comma || strchr(comma + 1, ',')) {
        sl_diag_hint(diag, "say --variants off,on");
        return sl_diag_set(diag, SL_E_FORMAT, "--variants", "Exactly two variants make a pair");
    }
    o->variant_count = 2;
    rc = parse_variant(o->variants, (size_t)(comma - o->variants), base, detected, &o->variant[0],
                       diag);
    if (rc == 0)
        rc = parse_variant(comma + 1, strlen(comma + 1), base, detected, &o->variant[1], diag);
    if (rc == 0 && strcmp(o->variant[0].name, o->variant[1].name) == 0)
        return sl_diag_set(diag, SL_E_FORMAT, "--variants", "Both variants have the same name");
    return rc;
}

int sl_run_options_variants(struct sl_run_options *o, uint32_t detected, struct sl_diag *diag)
{
    int64_t policy = sl_policy_parse(o->policy);
    if (policy < 0) {
        sl_diag_hint(diag, "`kernels --list --json` has the names of the families");
        return sl_diag_set(diag, SL_E_FORMAT, "--policy",
                           "'%s' is no list of families of kernels, nor none or default",
                           o->policy);
    }
    int rc = name_variants(o, detected, diag);
    for (size_t i = 0; rc == 0 && i < o->variant_count; i++)
        o->variant[i].isa |= o->variant[i].isa & SL_ISA_SME2 ? (uint32_t)policy : 0;
    return rc;
}
