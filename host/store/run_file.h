/* host/store/run_file.h: files of a run's directory, and nothing beside them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_buf;

enum { SL_RUN_FILE_PATH_BYTES = 512, SL_RUN_FILES_MAX = 4096 };

/* Opens the regular file `path` below `directory` below `root`. No step may be "", "." or "..", a
 * symbolic link or anything but a directory. Returns the descriptor, owned by the caller, and its
 * size; SL_E_NOT_FOUND or -errno. */
int sl_run_file_open(const char *root, const char *directory, const char *path, uint64_t *out_size);

/* Reads the whole of such a file, `limit` bytes at most: 0 and `out`, owned by the caller; else
 * SL_E_LIMIT, -ENOMEM, or as sl_run_file_open(). */
int sl_run_file_read(const char *root, const char *directory, const char *path, size_t limit,
                     struct sl_buf *out);

/* Calls `found` for each regular file below `directory` (two levels, at most SL_RUN_FILES_MAX) with
 * its path from there; ends early when it returns not 0. 0, SL_E_NOT_FOUND or -errno. */
typedef int (*sl_run_file_fn)(void *user, const char *path, uint64_t size);
int sl_run_file_list(const char *root, const char *directory, sl_run_file_fn found, void *user);

/* Removes `directory` below `root` with all that is in it. 0, SL_E_NOT_FOUND where it is not there
 * or the path leads elsewhere, or -errno. */
int sl_run_file_remove(const char *root, const char *directory);

/* Gives it the path `to` below `root`, whose last step must not be there yet or be an empty
 * directory; the folder above is made. 0, SL_E_NOT_FOUND as above, or -errno. */
int sl_run_file_move(const char *root, const char *directory, const char *to);

/* Makes the folders above the file `path`, from the byte `from` on. 0 or -errno. */
int sl_run_file_make_folders(char *path, size_t from);

/* By its name's end; static storage. */
const char *sl_run_file_type(const char *path);
