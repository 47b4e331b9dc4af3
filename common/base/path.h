/* common/base/path.h: names of files, put together. */
#pragma once

#include <stddef.h>

/* Writes FOLDER/NAME to out[size], with one slash between them; `name` is a printf format. Returns
 * 0, or -ENAMETOOLONG and an empty `out`, which names no file: never a part of a path. */
__attribute__((format(printf, 4, 5))) int sl_path_join(char *out, size_t size, const char *folder,
                                                       const char *name, ...);
