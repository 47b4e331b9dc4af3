/* agent/executorch/libraries.h: a user's libraries of custom operators. They lie in the folder of
 * ExecuTorch's, end in .so, and register their operators when they are loaded. */
#pragma once

struct sl_diag;

/* Loads each, in the order of their names, that does not begin as ExecuTorch's own (libexecutorch).
 * How many, or SL_E_UNSUPPORTED with the loader's own words. */
int sl_libraries_load(const char *folder, struct sl_diag *diag);

/* Writes the folder that has the library of an address. 0 or -ENAMETOOLONG, SL_E_NOT_FOUND. */
int sl_libraries_folder(const void *address, char *out, unsigned long size);
