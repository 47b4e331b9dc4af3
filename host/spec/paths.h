/* host/spec/paths.h: where a daemon and those who talk to it find each other when nobody says. */
#pragma once

#include "host/records.h"

struct sl_diag;

#define SL_STORE_FILE "store.sqlite" /* in a state directory: the store's database */

/* The state directory: $SME2LAB_STATE, else $XDG_STATE_HOME/sme2lab, else ~/.local/state/sme2lab.
 * 0; SL_E_NOT_FOUND where none of the three is set, SL_E_LIMIT where the path is too long, both
 * with `diag` set. Nothing is made. */
int sl_paths_state(char out[SL_PATH_BYTES], struct sl_diag *diag);

/* Makes `path` absolute, so that programs with another working directory find it. 0,
 * SL_E_NOT_FOUND (it is empty), or as sl_paths_state(), or what getcwd() says. */
int sl_paths_absolute(const char *path, char out[SL_PATH_BYTES], struct sl_diag *diag);

/* Makes a state directory, or a folder in one, and the folders above it, with their owner's rights
 * alone. 0, -ENAMETOOLONG or what mkdir() says, with `diag` set. */
int sl_paths_make(const char *path, struct sl_diag *diag);

/* The same with a folder in it of that name; makes both, with their owner's rights alone. 0, as
 * above, or -errno, with `diag` set. */
int sl_paths_state_folder(const char *name, char out[SL_PATH_BYTES], struct sl_diag *diag);

/* The Unix socket of the daemon of a state directory: SL_E_LIMIT where it is longer than a socket's
 * name may be, with `diag` set. */
int sl_paths_socket(const char *state, char out[SL_PATH_BYTES], struct sl_diag *diag);
