/* host/cli/main.c: the program `sme2lab`. */
#include "host/cli/cli.h"

int main(int argc, char **argv)
{
    return sl_cli_main(argc, argv, sl_verbs);
}
