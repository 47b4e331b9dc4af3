/* host/cli/cmd_help.c: `sme2lab help [VERB]`. */
#include <stdio.h>
#include <string.h>

#include "host/cli/cli.h"

static const char intro[] =
    "usage: sme2lab VERB [option...]\n"
    "\n"
    "Measures what Arm's Scalable Matrix Extension (SME2) does to on-device inference: runs a\n"
    "model with SME2 off and on and shows, operator by operator, where the work went.\n"
    "\n"
    "Verbs:\n";

static const char outro[] =
    "\n"
    "'sme2lab VERB --help' is the page of a verb. All verbs take --json, -q, -v and\n"
    "--color auto|always|never; those that\n"
    "speak to the daemon take --server unix:PATH|http://HOST:PORT ($SME2LAB_SERVER) and\n"
    "--token-file FILE ($SME2LAB_TOKEN_FILE).\n"
    "\n"
    "Exit codes: 0 done, 1 the measured thing failed or its output is wrong, 2 usage or\n"
    "configuration, 3 slower beyond the threshold asked for, 4 no verdict possible, 5 the lab\n"
    "failed (no emulator, no device, no daemon, no permission), 6 a defect in sme2lab, 130/143 "
    "interrupted.\n";

int sl_cmd_help(const struct sl_cli *cli, int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-') {
        char help[] = "--help";
        char *page[] = {argv[1], help, NULL};
        for (const struct sl_verb *verb = sl_verbs; verb->name; verb++) {
            if (strcmp(argv[1], verb->name) == 0 && verb->run != sl_cmd_help)
                return verb->run(cli, 2, page);
        }
    }
    fputs(intro, stdout);
    for (const struct sl_verb *verb = sl_verbs; verb->name; verb++) {
        if (verb->summary)
            printf("  %-10s %s\n", verb->name, verb->summary);
    }
    fputs(outro, stdout);
    return SL_EXIT_DONE;
}
