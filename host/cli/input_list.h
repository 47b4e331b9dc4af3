/* host/cli/input_list.h: --inputs F,F. */
#pragma once

struct sl_diag;
struct sl_experiment;

/* Splits `text` in place at its commas; the experiment's inputs then point into it. NULL changes
 * nothing. 0 or SL_E_UNSUPPORTED with `diag` set. */
int sl_input_list_split(char *text, struct sl_experiment *experiment, struct sl_diag *diag);
