/* agent/serve/serve.h: the verb `sme2lab-agent serve`. */
#pragma once

/* argv[0] is "serve". Returns the exit code (specs: cli.md section 2). */
int sl_serve_main(int argc, char **argv);
