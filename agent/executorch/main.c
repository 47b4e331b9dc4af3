/* agent/executorch/main.c: sme2lab-agent-executorch: the verb `run`, by ExecuTorch's libraries. */
#include <stdio.h>
#include <string.h>

#include "agent/executorch/apart.h"
#include "agent/executorch/apart_variant.h"
#include "agent/run/run.h"
#include "common/base/say.h"

int main(int argc, char **argv)
{
    sl_apart_start(sl_executorch_answer);
    if (argc > 1 && strcmp(argv[1], "version") == 0) {
        sl_say(stdout, "sme2lab-agent-executorch %s\n", SL_VERSION);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "run") == 0)
        return sl_agent_run(argc - 1, argv + 1);
    return sl_agent_run(argc, argv); /* flags alone, as executor_runner takes them */
}
