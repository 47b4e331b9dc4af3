/* agent/bench/bench.h: the verb `kernels`: lists the kernels, and runs single ones under the
 * counting marks. */
#pragma once

/* `sme2lab-agent kernels ...`; argv[0] is the verb. Returns an exit code. */
int sl_bench_main(int argc, char **argv);
