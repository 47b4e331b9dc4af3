/* host/cli/kernels_log.h: `sme2lab kernels --log FILE`. */
#pragma once

#include <stdbool.h>

struct sl_cli;

/* Is one of the words --log or --log=FILE? */
bool sl_kernels_log_asked(int argc, char **argv);
int sl_kernels_log(const struct sl_cli *cli, int argc, char **argv);
