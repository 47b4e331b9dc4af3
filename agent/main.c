/* agent/main.c: the verbs of sme2lab-agent. */
#include <stdio.h>
#include <string.h>

#include "agent/bench/bench.h"
#include "agent/plan/plan.h"
#include "agent/probe/probe.h"
#include "agent/run/help.h"
#include "agent/run/run.h"
#include "agent/serve/runners.h"
#include "agent/serve/serve.h"
#include "common/base/say.h"

enum { EXIT_USAGE = 2 };

static int print_version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        sl_say(stderr, "sme2lab-agent: version takes no arguments\n");
        return EXIT_USAGE;
    }
    sl_say(stdout, "sme2lab-agent %s\n", SL_VERSION);
    return 0;
}

static int print_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    sl_help_agent(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } verbs[] = {
        {"run", sl_agent_run},        {"probe", sl_probe_main},     {"serve", sl_serve_main},
        {"kernels", sl_bench_main},   {"plan", sl_plan_main},       {"version", print_version},
        {"runners", sl_runners_main}, {"help", print_help},         {"--help", print_help},
        {"-h", print_help},           {"--version", print_version},
    };
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    if (argc > 0 && strcmp(slash ? slash + 1 : argv[0], "executor_runner") == 0)
        return sl_agent_run(argc, argv);
    if (argc < 2) {
        sl_help_agent(stderr);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(argv[1], verbs[i].name) == 0)
            return verbs[i].run(argc - 1, argv + 1);
    }
    sl_say(stderr,
           "sme2lab-agent: unknown verb '%s': say run, serve, probe, kernels, plan or version, or "
           "--help\n",
           argv[1]);
    return EXIT_USAGE;
}
