/* common/base/durable.h: makes what was written survive a loss of power. Blocks: off the loop. */
#pragma once

/* Makes creations, renames and removals in the folder survive. 0 or -errno. */
int sl_durable_folder(const char *path);
