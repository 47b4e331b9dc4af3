/* agent/run/run.h: the verb `run`: a model executed as executor_runner would, and measured. */
#pragma once

/* argv[0] is the verb. Returns the exit code: 0, or 1 wherever executor_runner fails or aborts. */
int sl_agent_run(int argc, char **argv);
