/* common/base/path.h: names of files, put together. */
#pragma once

#include <stddef.h>

/* Writes FOLDER/NAME to out[size], with one slash between them. Returns 0, or -ENAMETOOLONG and an
 * empty `out`. */
int sl_path_join(const char *folder, const char *name, char *out, size_t size);
