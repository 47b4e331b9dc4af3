/* agent/serve/runners.h: the verb `runners`: external executor_runners, process after process.
 *
 * `serve` starts it as a job's inference process. Round by round each arm of the job runs one
 * process, and every second round goes the other way round: ABBA, so that drift cancels. An arm
 * whose process failed runs no more. What the processes leave lies in the job's folder for result
 * files, under the names of proto/job.proto's Arm; runners.json has a row for each. */
#pragma once

/* argv: the verb, the agent's working directory, the job's directory with its request, the number
 * of the process of `serve`, with which it ends on Linux, how many bytes the files of one arm may
 * have (a process past that has failed). Returns the exit code: 0 however the runners ended, 1
 * where one could not be recorded or after SIGTERM, which ends the one under way, 2 where none was
 * begun: the request is none, or `serve` has gone. */
int sl_runners_main(int argc, char **argv);
