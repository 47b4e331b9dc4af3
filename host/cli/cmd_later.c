/* host/cli/cmd_later.c */
#include "host/cli/cmd_later.h"

#include "common/base/error.h"
#include "host/cli/cli.h"

int sl_cmd_later(const struct sl_cli *cli, int argc, char **argv)
{
    struct sl_diag diag = {0};
    sl_diag_set(&diag, SL_E_UNSUPPORTED, "command line", "'sme2lab %s' is not part of this version",
                argc > 0 ? argv[0] : "");
    sl_diag_hint(&diag, "'sme2lab run MODEL.pte' measures on this machine without a daemon, "
                        "'sme2lab analyze FILE.etdump' reads results");
    return sl_cli_fail(cli, SL_EXIT_USAGE, &diag);
}
