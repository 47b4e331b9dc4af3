/* host/spec/path_stem.h: the name of a model from its path, and paths of a run's files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The last part of a path without its ending, as files are called after it: control characters and
 * dots in front become '_'. */
void sl_path_stem(const char *path, char *out, size_t size);

/* Writes the usual name of a path's model: its stem, or, if that is "model", its folder's name,
 * because exporters write every program to NAME/model.pte. */
void sl_path_title(const char *path, char *out, size_t size);

/* No absolute path, and each step of it has a name that leads down: not "", "." or "..". */
bool sl_path_is_below(const char *path);

/* Is it below, and what a run's kit is? The sources of artifacts stay with the daemon. */
bool sl_path_is_artifact(const char *path);
