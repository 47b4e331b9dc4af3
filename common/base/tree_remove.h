/* common/base/tree_remove.h: a directory with all that is in it, removed. */
#pragma once

/* Removes what is below an open directory, which it takes over and closes; eight levels deep, no
 * link is followed. What cannot be removed stays. */
void sl_tree_remove_below(int folder);
/* The same of a path, and the directory itself. */
void sl_tree_remove(const char *path);
