/* host/cli/cmd_later.h: verbs of the interface that this version does not have. */
#pragma once

struct sl_cli;

/* Says so, with what can be done instead; returns SL_EXIT_USAGE. */
int sl_cmd_later(const struct sl_cli *cli, int argc, char **argv);
