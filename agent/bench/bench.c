/* agent/bench/bench.c */
#include "agent/bench/bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/bench/crew.h"
#include "agent/bench/families.h"
#include "agent/bench/kernels.h"
#include "agent/bench/peaks.h"
#include "agent/bench/shape.h"
#include "agent/bench/stage.h"
#include "agent/bench/usual.h"
#include "agent/probe/kernel_list.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/say.h"
#include "kernels/cpu/policy.h"

enum { MAX_SHAPES = 160, MAX_OUTPUT_BYTES = 1 << 20, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
    bool list, peaks, json, counted;
    bool skip_absent; /* leaves out shapes that no kernel takes */
    unsigned workers; /* 0: of --peaks as many as there are cores, of --bench one */
    const char *engine, *kernel, *each; /* each: a family, or "all" */
    uint64_t seed;
    size_t shape_count;
    const char *texts[MAX_SHAPES];
    struct sl_bench_shape shapes[MAX_SHAPES];
};

static const char usage_text[] =
    "usage: sme2lab-agent kernels --list [--json]\n"
    "       sme2lab-agent kernels --bench SHAPE... [--engine sme2|neon|portable|any|nosme2]\n"
    "                     [--kernel NAME] [--clock ns|marks] [--seed N] [--json]\n"
    "                     [--skip-absent]: leaves out shapes that no kernel takes\n"
    "                     [--workers N]: in so many threads at once, not with --clock marks\n"
    "       sme2lab-agent kernels --kernel NAME: on a shape that is usual for it\n"
    "       sme2lab-agent kernels --each FAMILY|all: so all kernels of a family, or all there are\n"
    "       sme2lab-agent kernels --peaks [--workers N] [--clock ns|marks]\n"
    "SHAPE: matmul:MxNxK, conv:IHxIWxIC-OC-KHxKW-sS-pP[-dD][-gG], depthwise:IHxIWxC-KHxKW-sS-pP,\n"
    "       unary:OP-N, binary:OP-N, pool:OP-IHxIWxC-KHxKW-sS-pP, reduce:OP-OUTERxREDUCEDxINNER,\n"
    "       transpose:ROWSxCOLUMNS, convert:OP-N, matmul_qd8:MxNxK, matmul_q4:MxNxK,\n"
    "       matmul_q4_g32:MxNxK (or _g64, _g128), deconv:IHxIWxIC-OC-KHxKW-sS-pP[-dD][-gG],\n"
    "       batch:BxMxNxK, batch_nk:BxMxNxK (right operands [n][k]), batch_qd8:BxMxNxK,\n"
    "       argmax:IHxIWxC-KHxKW, resize:IHxIWxC-OHxOW, quantise:ROWSxCOLUMNS,\n"
    "       repeat:ELEMENTSxTIMES, stride:ELEMENTSxSTEP, permute:AxBxC-201;\n"
    "       OP as in the kernels' names\n"
    "       S, P and D may be HxW; depthwise may end in -dD and -mM, its multiplier\n"
    "       before a shape qs8/: static int8; f16/: halves; bf16/: bfloat16 (products)\n";

static int usage(const char *what, const char *word)
{
    sl_say(stderr, "sme2lab-agent: kernels: %s '%s'\n%s", what, word, usage_text);
    return EXIT_USAGE;
}

static int add_shape(struct options *o, const char *text)
{
    if (o->shape_count == MAX_SHAPES)
        return usage("too many shapes at", text);
    if (sl_bench_shape_parse(text, &o->shapes[o->shape_count]) < 0)
        return usage("not a shape that can be benched:", text);
    o->texts[o->shape_count++] = text;
    return 0;
}

static int parse_value(struct options *o, const char *name, const char *value)
{
    char *end = NULL;
    bool engine = strcmp(value, "sme2") == 0 || strcmp(value, "neon") == 0 ||
                  strcmp(value, "portable") == 0 || strcmp(value, "nosme2") == 0 ||
                  strcmp(value, "any") == 0;
    bool marks = strcmp(value, "marks") == 0;
    if (strcmp(name, "--bench") == 0)
        return add_shape(o, value);
    if (strcmp(name, "--kernel") == 0 || strcmp(name, "--each") == 0) {
        *(strcmp(name, "--each") == 0 ? &o->each : &o->kernel) = value;
        return 0;
    }
    if (strcmp(name, "--engine") == 0 && engine) {
        o->engine = value;
        return 0;
    }
    if (strcmp(name, "--clock") == 0 && (marks || strcmp(value, "ns") == 0)) {
        o->counted = marks;
        return 0;
    }
    if (strcmp(name, "--seed") == 0 || strcmp(name, "--workers") == 0) {
        uint64_t number = strtoull(value, &end, 10);
        bool seed = strcmp(name, "--seed") == 0, good = end != value && *end == '\0';
        if (seed)
            o->seed = number;
        else
            o->workers = number <= SL_CREW_MAX_WORKERS ? (unsigned)number : 0;
        if (good && (seed || o->workers > 0))
            return 0;
    }
    return usage("bad option or value:", value);
}

/* The kernel asked for must exist, and so must the family. */
static int check_names(const struct options *o)
{
    struct sl_kernel_entry kernel = {0};
    bool known_kernel = !o->kernel, known_family = !o->each || strcmp(o->each, "all") == 0;
    while (sl_kernel_list_next(&kernel)) {
        known_kernel = known_kernel || strcmp(kernel.name, o->kernel) == 0;
        known_family = known_family || strcmp(kernel.family, o->each) == 0;
    }
    if (!known_kernel)
        return usage("no kernel is called", o->kernel);
    return known_family ? 0 : usage("no family of kernels is called", o->each);
}

/* One thing is to be done; a kernel alone is one. */
static int check_task(const struct options *o)
{
    bool shapes = o->shape_count > 0, alone = o->kernel && !shapes;
    if (o->list + o->peaks + shapes + (o->each != NULL) + alone != 1)
        return usage("say one of --list, --peaks, --each, --kernel and", "--bench SHAPE");
    if (!o->list && !o->peaks && o->workers > 1 && o->counted)
        return usage("every thread executes the same, so --clock marks is not for", "--workers");
    return check_names(o);
}

static int parse(struct options *o, int argc, char **argv)
{
    int rc = 0;
    for (int i = 1; rc == 0 && i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            o->list = true;
        } else if (strcmp(argv[i], "--peaks") == 0) {
            o->peaks = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            o->json = true;
        } else if (strcmp(argv[i], "--skip-absent") == 0) {
            o->skip_absent = true;
        } else if (i + 1 < argc && strncmp(argv[i], "--", 2) == 0) {
            rc = parse_value(o, argv[i], argv[i + 1]);
            i++;
        } else {
            rc = usage("no such option, or no value for", argv[i]);
        }
    }
    return rc == 0 ? check_task(o) : rc;
}

static void list_as_text(uint32_t isa)
{
    struct sl_kernel_entry kernel = {0};
    char needs[128];
    while (sl_kernel_list_next(&kernel)) {
        sl_isa_format(kernel.needs, needs, sizeof(needs));
        sl_say(stdout, "%-10s %-56s %-13s %-16s %s\n", kernel.family, kernel.name, needs,
               (kernel.needs & ~isa) == 0 ? "runs here" : "not on this CPU", kernel.purpose);
    }
    sl_say(stdout, "\nFamilies, and whether they run in streaming mode where nothing else is said "
                   "(--policy):\n");
    for (int i = 0; i < SL_POLICY_END; i++)
        sl_say(stdout, "%-14s %-9s %s\n", sl_policy_name(i),
               sl_policy_default() & SL_POLICY_BIT(i) ? "stays out" : "streams",
               sl_policy_about(i));
}

/* The families, as --policy calls them. */
static void put_policy(struct sl_json *json)
{
    sl_json_open_array(json, "policy");
    for (int i = 0; i < SL_POLICY_END; i++) {
        sl_json_open_object(json, NULL);
        sl_json_text(json, "family", sl_policy_name(i));
        sl_json_bool(json, "streams", !(sl_policy_default() & SL_POLICY_BIT(i)));
        sl_json_text(json, "about", sl_policy_about(i));
        sl_json_close_object(json);
    }
    sl_json_close_array(json);
}

static int list_as_json(uint32_t isa, struct sl_buf *out)
{
    struct sl_json json;
    struct sl_kernel_entry kernel = {0};
    char words[128];
    sl_json_init(&json, out);
    sl_json_open_object(&json, NULL);
    sl_json_text(&json, "schema", "sme2lab.agent_kernels/1");
    sl_isa_format(isa, words, sizeof(words));
    sl_json_text(&json, "isa", words);
    sl_json_u64(&json, "svl", 8 * sl_isa_svl_bytes());
    sl_json_open_array(&json, "kernels");
    while (sl_kernel_list_next(&kernel)) {
        sl_json_open_object(&json, NULL);
        sl_json_text(&json, "family", kernel.family);
        sl_json_text(&json, "kernel", kernel.name);
        sl_isa_format(kernel.needs, words, sizeof(words));
        sl_json_text(&json, "for", kernel.purpose);
        sl_json_text(&json, "needs", words);
        sl_json_bool(&json, "met", (kernel.needs & ~isa) == 0);
        sl_json_close_object(&json);
    }
    sl_json_close_array(&json);
    put_policy(&json);
    sl_json_close_object(&json);
    return json.error ? json.error : sl_buf_append(out, "\n", 1);
}

/* Every thread of a team does this. */
struct task {
    const struct sl_bench_choice *choice;
    uint64_t seed;
};

static int do_task(void *data, struct sl_bench_stage_run *bench)
{
    const struct task *task = data;
    return sl_bench_run(task->choice, task->seed, bench);
}

static int bench_shape(const struct options *o, const struct sl_bench_choice *choice,
                       const struct sl_bench_shape *shape, const char *text, struct sl_buf *out)
{
    struct sl_bench_stage_run bench = {
        .shape = shape, .text = text, .counted = o->counted, .out = out};
    struct task task = {choice, o->seed};
    return o->workers > 1 ? sl_bench_team_run(o->workers, &bench, do_task, &task)
                          : do_task(&task, &bench);
}

static int say_why(const char *what, int rc)
{
    const char *why = rc == SL_E_NOT_FOUND     ? "no kernel of this name or engine takes this shape"
                      : rc == SL_E_UNSUPPORTED ? "this CPU lacks what the kernel needs"
                                               : sl_strerror(rc);
    sl_say(stderr, "sme2lab-agent: kernels: %s: %s\n", what, why);
    return rc;
}

/* Which kernels the engine that is asked for leaves. */
static struct sl_bench_choice choice_of(const struct options *o, uint32_t isa)
{
    const uint32_t sme = SL_ISA_SME | SL_ISA_SME2;
    bool nosme2 = o->engine && strcmp(o->engine, "nosme2") == 0;
    bool any = o->engine && strcmp(o->engine, "any") == 0;
    return (struct sl_bench_choice){nosme2 || any ? NULL : o->engine, o->kernel,
                                    nosme2 ? isa & ~sme : isa};
}

static int bench_shapes(const struct options *o, uint32_t isa, struct sl_buf *out)
{
    const struct sl_bench_choice choice = choice_of(o, isa);
    for (size_t i = 0; i < o->shape_count; i++) {
        int rc = bench_shape(o, &choice, &o->shapes[i], o->texts[i], out);
        bool absent = rc == SL_E_NOT_FOUND || rc == SL_E_UNSUPPORTED;
        if (rc < 0 && !(absent && o->skip_absent))
            return say_why(o->texts[i], rc);
    }
    return 0;
}

/* On the first of its usual shapes that it takes; of many, those that take none are left out: some
 * wait for longer vectors. */
static int bench_kernel(const struct options *o, const struct sl_kernel_entry *kernel, uint32_t isa,
                        struct sl_buf *out)
{
    const struct sl_bench_choice choice = {.name = kernel->name, .isa = isa};
    char text[SL_BENCH_MAX_SHAPE];
    int rc = SL_E_NOT_FOUND;
    for (size_t i = 0; rc == SL_E_NOT_FOUND && sl_bench_usual_shape(kernel, i, text); i++) {
        struct sl_bench_shape shape;
        rc = sl_bench_shape_parse(text, &shape);
        if (rc == 0)
            rc = bench_shape(o, &choice, &shape, text, out);
    }
    return rc < 0 && (rc != SL_E_NOT_FOUND || o->kernel) ? say_why(kernel->name, rc) : 0;
}

/* Those of the family, or all, that this CPU has, of the engine if one is said; or one by name. */
static int bench_each(const struct options *o, uint32_t isa, struct sl_buf *out)
{
    const struct sl_bench_choice choice = choice_of(o, isa);
    struct sl_kernel_entry kernel = {0};
    int rc = 0;
    while (rc == 0 && sl_kernel_list_next(&kernel)) {
        struct sl_bench_search search = {.choice = &choice};
        bool asked =
            o->kernel || strcmp(o->each, "all") == 0 || strcmp(o->each, kernel.family) == 0;
        if (!asked || (!sl_bench_consider(&search, kernel.name, kernel.needs, 1) &&
                       (!search.name || !o->kernel)))
            continue;
        rc = bench_kernel(o, &kernel, isa, out);
    }
    return rc;
}

int sl_bench_main(int argc, char **argv)
{
    static struct options o;
    struct sl_buf out;
    uint32_t isa = sl_isa_detect();
    o = (struct options){.seed = 1};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        sl_say(stdout, "%s", usage_text);
        return 0;
    }
    int exit_code = parse(&o, argc, argv);
    if (exit_code != 0)
        return exit_code;
    if (o.list && !o.json) {
        list_as_text(isa);
        return 0;
    }
    sl_buf_init(&out, MAX_OUTPUT_BYTES);
    int rc = o.list              ? list_as_json(isa, &out)
             : o.peaks           ? sl_bench_peaks(o.counted, o.workers, &out)
             : o.shape_count > 0 ? bench_shapes(&o, isa, &out)
                                 : bench_each(&o, isa, &out);
    if (rc == 0 && out.size > 0)
        sl_say_page(stdout, &out);
    else if (rc < 0 && (o.list || o.peaks))
        sl_say(stderr, "sme2lab-agent: kernels: %s\n", sl_strerror(rc));
    sl_buf_fini(&out);
    return rc == 0 ? 0 : EXIT_FAILED;
}
