/* agent/run/outputs.h: keeps, writes and prints the outputs of a run. */
#pragma once

#include <stddef.h>

struct sl_session;

/* Each returns 0, or a negative code after it logged why. */

/* Copies the method's outputs as those of variant v. */
int sl_outputs_keep(struct sl_session *session, size_t v);

/* Writes the files of --output_file for variant v; executor_runner logs it at its line `line`. */
int sl_outputs_write_files(struct sl_session *session, size_t v, int line);

/* Writes the files of all variants and prints what --print_output asks for. */
int sl_outputs_write(struct sl_session *session);
