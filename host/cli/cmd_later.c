/* host/cli/cmd_later.c */
#include "host/cli/cmd_later.h"

#include <string.h>

#include "common/base/error.h"
#include "host/cli/cli.h"

/* Verbs on files: they need no daemon, but are not part of this version either. */
static const char *const offline[] = {"export"};

int sl_cmd_later(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_diag diag = {0};
    const char *name = argc > 0 ? argv[0] : "";
    bool needs_daemon = true;
    for (size_t i = 0; i < sizeof(offline) / sizeof(offline[0]); i++)
        needs_daemon = needs_daemon && strcmp(name, offline[i]) != 0;
    if (needs_daemon)
        sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line",
                    "'sme2lab %s' speaks to the daemon, whose part in it is not in this version",
                    name);
    else
        sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line",
                    "'sme2lab %s' is not part of this version", name);
    sl_diag_hint(&diag, "'sme2lab run MODEL.pte' measures on this machine without a daemon, "
                        "'sme2lab analyze FILE.etdump' reads results");
    return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
}
