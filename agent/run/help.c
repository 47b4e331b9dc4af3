/* agent/run/help.c */
#include "agent/run/help.h"

#include "common/base/say.h"

void sl_help_agent(FILE *out)
{
    sl_say(
        out,
        "NAME\n"
        "    sme2lab-agent - runs .pte models on the device with SME2 off and on\n"
        "\n"
        "SYNOPSIS\n"
        "    sme2lab-agent run [FLAGS]       execute a model, write its ETDump\n"
        "    sme2lab-agent probe [--json]    what this device is and has\n"
        "    sme2lab-agent kernels --list    the kernels in this program; --bench measures them\n"
        "    sme2lab-agent plan MODEL.pte [WEIGHTS.ptd]  which kernels a model would run, as JSON\n"
        "    sme2lab-agent serve ...         take jobs from one host; `serve --help` has its "
        "flags\n"
        "    sme2lab-agent runners WORKDIR JOB PARENT  external runners of a job, as `serve` has "
        "it started\n"
        "    sme2lab-agent version           version of this program\n"
        "\n"
        "DESCRIPTION\n"
        "    One static program that needs nothing from the device: no app, no root, no files.\n"
        "    Push it to a folder that may execute, such as /data/local/tmp, and start it there.\n"
        "    `run` takes executor_runner's flags and behaves as it does; `run --help` has them.\n"
        "    `probe` prints JSON: cores and clusters, instruction sets, streaming vector length,\n"
        "    memory, kernel, thermal zones, and the kernels in this program with their needs.\n"
        "\n"
        "EXIT STATUS\n"
        "    0   done\n"
        "    1   the measured thing failed (run: also wherever executor_runner would abort)\n"
        "    2   usage error\n"
        "    5   serve: the address is taken\n"
        "    6   defect in sme2lab-agent itself\n"
        "\n"
        "SEE ALSO\n"
        "    sme2lab(1), which starts this program, reads its traces and compares\n");
}
