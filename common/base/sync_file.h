/* common/base/sync_file.h: makes the bytes of a file survive a loss of power. Blocks: off the loop.
 */
#pragma once

/* Waits until they do; what cannot be synced, such as a pipe, is left as it is. 0 or -errno. */
int sl_sync_file(int fd);

/* Syncs the bytes alone: not times and what else of the file's node reading back does not need. */
int sl_sync_file_data(int fd);

/* Begins to write them where the system can without waiting for the end. */
void sl_sync_file_begin(int fd);
