/* agent/run/help.c */
#include "agent/run/help.h"

void sl_help_agent(FILE *out)
{
    fputs(
        "NAME\n"
        "    sme2lab-agent - runs .pte models on the device with SME2 off and on\n"
        "\n"
        "SYNOPSIS\n"
        "    sme2lab-agent run [FLAGS]       execute a model, write its ETDump\n"
        "    sme2lab-agent probe [--json]    what this device is and has\n"
        "    sme2lab-agent kernels --list    the kernels in this program; --bench measures them\n"
        "    sme2lab-agent plan MODEL.pte    which kernels a model would run, as JSON\n"
        "    sme2lab-agent serve ...         take jobs from one host; `serve --help` has its "
        "flags\n"
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
        "    sme2lab(1), which starts this program, reads its traces and compares\n",
        out);
}

static const char runner_part[] =
    "NAME\n"
    "    sme2lab-agent run - execute a .pte model and write its ETDump\n"
    "\n"
    "SYNOPSIS\n"
    "    sme2lab-agent run --model_path=MODEL.pte [FLAGS]\n"
    "\n"
    "FLAGS OF executor_runner\n"
    "    --f=v, --f v and -f v are the same; booleans: --f, --nof, --f=false.\n"
    "    --model_path FILE      the program (model.pte)\n"
    "    --inputs A,B,…         raw files, one for each input; without: all inputs are ones\n"
    "    --output_file BASE     output i is written raw to BASE-i.bin\n"
    "    --print_output MODE    none, summary (first and last 100 elements) or all (summary)\n"
    "    --num_executions N     executions (1); with --variants pairs (20; 2 on --clock marks)\n"
    "    --method_name NAME     the method to run (the program's first)\n"
    "    --etdump_path FILE     where the ETDump goes; always written (model.etdump)\n"
    "    --cpu_threads N        threads: -1 as many as there are performance cores (-1), 0 as\n"
    "                           CPUs, 1 fully serial; outputs are the same for any number.\n"
    "                           On --clock marks there is one\n"
    "    --data_path, --server_mode   not supported: refused with a sentence\n"
    "\n";

static const char own_part[] =
    "FLAGS OF sme2lab\n"
    "    --isa MASK             what kernels may use: sme2 (all the CPU has), nosme2, neon,\n"
    "                           portable, or a comma list of bits as `probe` prints them\n"
    "    --variants off,on      compile the model twice, on what --isa allows without and with\n"
    "                           SME2, and execute both in alternating pairs (off on, on off, …).\n"
    "                           A variant may also be one of --isa's words.\n"
    "                           ETDumps: BASE_sme2-off.etdump, BASE_sme2-on.etdump (BASE from\n"
    "                           --etdump_path); outputs: BASE_sme2-off-i.bin and so on; for\n"
    "                           other words _WORD takes the place of _sme2-off. On stdout a line\n"
    "                           `Variant NAME:` stands before each one's outputs.\n"
    "                           In nanoseconds the first execution after each switch of variant\n"
    "                           is a warm-up, marked so in the trace, beside the pairs.\n"
    "    --seed N               decides by splitmix64 which variant stands first (1)\n"
    "    --warmup N             warm-up executions of each variant before the first (0; 1 with\n"
    "                           --variants)\n"
    "    --input-shapes S;S;…   smaller shapes for a dynamic model, e.g. 1x3x32x32; an empty\n"
    "                           place keeps that input's own\n"
    "    --sme-threads N        threads that may work in SME's streaming mode (all): cores share\n"
    "                           SME units\n"
    "    --affinity CPUS        keep each thread on a CPU: big, little, all, a mask such as 0xf0\n"
    "                           or a list such as 4-7; fastest first\n"
    "    --trace_path FILE      keep the .sltrace stream\n"
    "    --ring FD              write records to this ring, which the parent made and drains;\n"
    "                           the ETDump is then the parent's to make\n"
    "    --events all|runs      what the ETDump holds: every operator (all), or whole executions\n"
    "                           alone, so that recording operators costs nothing\n"
    "    --clock ns|marks       nanoseconds, or marks for the host that counts instructions under\n"
    "                           the emulator (no threads, timers or signals; no ETDump)\n"
    "    --timeout SEC          end the run when one load or execution takes longer (ns only)\n"
    "    --json                 end with one line of JSON on stdout\n"
    "\n"
    "EXIT STATUS\n"
    "    0 done; 1 wherever executor_runner fails or aborts, after the same lines on stderr\n";

void sl_help_run(FILE *out)
{
    fputs(runner_part, out);
    fputs(own_part, out);
}
