/* host/store/below.h: what lies below a directory, opened in one step. */
#pragma once

/* Opens `path` below the directory `at` with the flags of openat(), through no symbolic link and
 * out of the directory by none. Returns the descriptor, owned by the caller; -ELOOP where a link is
 * in the way, -EXDEV where the path leads out; -ENOSYS: this system cannot, and the caller goes
 * step by step; or another -errno. */
int sl_below_open(int at, const char *path, int flags);
