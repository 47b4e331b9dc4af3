/* agent/run/options.c */
#include "agent/run/options.h"

#include <assert.h>
#include <string.h>

#include "agent/run/etlog.h"
#include "agent/run/gflags.h"
#include "agent/runtime/runtime.h"
#include "common/base/error.h"
#include "common/base/say.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/policy.h"

enum { MAX_FLAGS = 48 };

#define AT(field) offsetof(struct sl_agent_run_options, field)
#define ROW(flag_type, field, ...)                                                                 \
    {.name = #field, .type = SL_FLAG_##flag_type, .at = AT(field), __VA_ARGS__},
#define TEXT(field, initial, ...) ROW(STRING, field, __VA_ARGS__)
#define TRUTH(field, initial, ...) ROW(BOOL, field, __VA_ARGS__)
#define INT32(field, initial, ...) ROW(INT32, field, __VA_ARGS__)
#define UINT32(field, initial, ...) ROW(UINT32, field, __VA_ARGS__)
#define UINT64(field, initial, ...) ROW(UINT64, field, __VA_ARGS__)
#define REAL(field, initial, ...) ROW(DOUBLE, field, __VA_ARGS__)
const struct sl_agent_run_option sl_agent_run_option_list[] = {
#include "agent/run/options.inc"
};
const size_t sl_agent_run_option_count =
    sizeof(sl_agent_run_option_list) / sizeof(sl_agent_run_option_list[0]);

static void set_defaults(struct sl_agent_run_options *o)
{
    *o = (struct sl_agent_run_options){
#define TEXT(field, initial, ...) .field = (initial),
#define TRUTH TEXT
#define INT32 TEXT
#define UINT32 TEXT
#define UINT64 TEXT
#define REAL TEXT
#include "agent/run/options.inc"
    };
}

/* `given` has a place for each flag of the list; how many there are. */
static size_t fill_flags(struct sl_agent_run_options *o, bool *given, struct sl_flag *flags)
{
    size_t count = sl_agent_run_option_count;
    assert(count < MAX_FLAGS);
    for (size_t i = 0; i < count; i++) {
        const struct sl_agent_run_option *option = &sl_agent_run_option_list[i];
        flags[i] = (struct sl_flag){option->name, option->type, (char *)o + option->at, &given[i],
                                    option->said};
    }
    flags[count] =
        (struct sl_flag){"print_json", SL_FLAG_BOOL, &o->json, NULL, "The same as --json."};
    return count + 1;
}

/* Was the flag of that field on the command line? */
static bool was_given(const bool *given, size_t at)
{
    for (size_t i = 0; i < sl_agent_run_option_count; i++)
        if (sl_agent_run_option_list[i].at == at)
            return given[i];
    return false;
}

static const char run_head[] =
    "NAME\n"
    "    sme2lab-agent run - execute a .pte model and write its ETDump\n"
    "\n"
    "SYNOPSIS\n"
    "    sme2lab-agent run --model_path=MODEL.pte [FLAGS]\n"
    "\n"
    "FLAGS OF executor_runner\n"
    "    --f=v, --f v and -f v are the same; booleans: --f, --nof, --f=false.\n";

static const char gflags_part[] =
    "    --flagfile FILES       flags out of files, one --flag=value a line\n"
    "    --fromenv A,B, --tryfromenv A,B, --undefok A,B   as in gflags: flags out of FLAGS_<name>\n"
    "                           in the environment; flags that need not exist\n"
    "\n"
    "FLAGS OF sme2lab\n";

static const char run_tail[] =
    "\n"
    "EXIT STATUS\n"
    "    0 done; 1 wherever executor_runner fails or aborts, after the same lines on stderr\n";

static void print_flags(int part, FILE *out)
{
    for (size_t i = 0; i < sl_agent_run_option_count; i++)
        if ((int)sl_agent_run_option_list[i].part == part)
            sl_say(out, "%s", sl_agent_run_option_list[i].page);
}

static void print_help(FILE *out)
{
    sl_say(out, "%s", run_head);
    print_flags(SL_AGENT_RUN_OF_RUNNER, out);
    sl_say(out, "%s", gflags_part);
    print_flags(SL_AGENT_RUN_OF_SME2LAB, out);
    sl_say(out, "%s", run_tail);
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
static bool refuses(const struct sl_agent_run_options *o)
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

static bool words_ok(struct sl_agent_run_options *o)
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

int sl_agent_run_options_parse(struct sl_agent_run_options *options, int argc, char **argv,
                               FILE *err, int *out_exit)
{
    struct sl_flag flags[MAX_FLAGS];
    bool given[MAX_FLAGS] = {false};
    int extra;
    set_defaults(options);
    size_t count = fill_flags(options, given, flags);
    *out_exit = 1;
    switch (sl_gflags_parse(flags, count, argc, argv, err, &extra)) {
    case SL_GFLAGS_BAD:
        return SL_AGENT_RUN_STOP;
    case SL_GFLAGS_HELP:
        print_help(stdout);
        return SL_AGENT_RUN_DONE; /* 1, as gflags' own help */
    case SL_GFLAGS_VERSION:
        sl_say(stdout, "executor_runner\n");
        *out_exit = 0;
        return SL_AGENT_RUN_DONE;
    default:
        break;
    }
    if (extra > 0) {
        log_extra_words(argv + 1, extra);
        return SL_AGENT_RUN_STOP;
    }
    options->paired = options->variants[0] != '\0';
    if (!words_ok(options))
        return SL_AGENT_RUN_STOP;
    if (options->paired && !was_given(given, AT(num_executions)))
        options->num_executions =
            options->counted ? SL_AGENT_RUN_COUNTED_PAIRS : SL_AGENT_RUN_DEFAULT_PAIRS;
    if (options->paired && !was_given(given, AT(warmup)))
        options->warmup = 1;
    return SL_AGENT_RUN_GO;
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
                         struct sl_agent_run_variant_spec *out, struct sl_diag *diag)
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

static int parse_pair(const char *words, uint32_t base, uint32_t detected,
                      struct sl_agent_run_variant_spec out[2], struct sl_diag *diag)
{
    const char *comma = strchr(words, ',');
    if (!comma || strchr(comma + 1, ',')) {
        sl_diag_hint(diag, "say --variants off,on");
        return sl_diag_set(diag, SL_E_FORMAT, "--variants", "Exactly two variants make a pair");
    }
    int rc = parse_variant(words, (size_t)(comma - words), base, detected, &out[0], diag);
    if (rc == 0)
        rc = parse_variant(comma + 1, strlen(comma + 1), base, detected, &out[1], diag);
    if (rc == 0 && strcmp(out[0].name, out[1].name) == 0)
        return sl_diag_set(diag, SL_E_FORMAT, "--variants", "Both variants have the same name");
    return rc;
}

static int name_variants(struct sl_agent_run_options *o, uint32_t detected, struct sl_diag *diag)
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
    o->variant_count = 2;
    return parse_pair(o->variants, base, detected, o->variant, diag);
}

/* They have all that the CPU has, whatever --isa leaves the variant that they are compared with. */
static int name_compared(struct sl_agent_run_options *o, uint32_t detected, struct sl_diag *diag)
{
    if (!o->compare_with[0])
        return 0;
    if (o->paired)
        return sl_diag_set(diag, SL_E_FORMAT, "--compare-with",
                           "Operators are compared with those of one variant: not with --variants");
    o->compared_count = 2;
    return parse_pair(o->compare_with, detected, detected, o->compared, diag);
}

int sl_agent_run_options_variants(struct sl_agent_run_options *o, uint32_t detected,
                                  struct sl_diag *diag)
{
    char families[SL_POLICY_TEXT_BYTES];
    size_t len = strcspn(o->policy, SL_AGENT_RUN_END_OF_FAMILIES);
    snprintf(families, sizeof(families), "%.*s", (int)(len < sizeof(families) ? len : 0),
             o->policy);
    int64_t policy = sl_policy_parse(families);
    if (policy < 0) {
        sl_diag_hint(diag, "`kernels --list --json` has the names of the families");
        return sl_diag_set(diag, SL_E_FORMAT, "--policy",
                           "'%s' is no list of families of kernels, nor none or default",
                           o->policy);
    }
    int rc = name_variants(o, detected, diag);
    if (rc == 0)
        rc = name_compared(o, detected, diag);
    for (size_t i = 0; rc == 0 && i < o->variant_count; i++)
        o->variant[i].isa |= o->variant[i].isa & SL_ISA_SME2 ? (uint32_t)policy : 0;
    for (size_t i = 0; rc == 0 && i < o->compared_count; i++)
        o->compared[i].isa |= o->compared[i].isa & SL_ISA_SME2 ? (uint32_t)policy : 0;
    return rc;
}
