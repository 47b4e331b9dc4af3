/* common/base/durable.h: makes what was written survive a loss of power. Blocks: off the loop. */
#pragma once

/* What was made, renamed or removed in the folder. 0 or -errno. */
int sl_durable_folder(const char *path);
