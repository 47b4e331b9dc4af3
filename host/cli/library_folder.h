/* host/cli/library_folder.h: is a directory that a user names one of shared libraries for the
 * device's CPU? */
#pragma once

struct dirent;
struct sl_diag;

/* libx.so, libx.so.1.2: a filter for scandir(). */
int sl_library_folder_is_library(const struct dirent *entry);

/* Looks at the first bytes of each library in `folder`. Returns how many there are, SL_E_NOT_FOUND
 * (no such directory, or no library in it), -ENOTDIR (a file), SL_E_UNSUPPORTED (a library for
 * another CPU), SL_E_FORMAT (a file that is no library), -EACCES or another -errno where something
 * cannot be read. `diag` says what is missing and how to get it. */
int sl_library_folder_check(const char *folder, struct sl_diag *diag);
