/* host/rundir/path_stem.h: the name of a model from its path. */
#pragma once

#include <stddef.h>

/* The last part of a path without its ending. */
void sl_path_stem(const char *path, char *out, size_t size);
