/* common/base/tree_remove.h: a directory with all that is in it, removed. */
#pragma once

/* Removes what is below an open directory, which it takes over and closes; eight levels deep, no
 * link is followed. What cannot be removed stays. */
void sl_tree_remove_below(int folder);
/* The same of a path, and the directory itself. */
void sl_tree_remove(const char *path);
/* Removes what a stopped writer left in a directory that nobody else writes in: files whose names
 * end in ".tmp" (sl_buf_write_file()). */
void sl_tree_remove_temporaries(const char *path);
