/* agent/probe/sysfs.h: small files of /sys and /proc, under a root that tests replace. What is
 * missing, unreadable or garbage is "not known", never an error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_SYSFS_TEXT_BYTES = 4096, SL_SYSFS_MAX_INDEX = 1024 };

/* Reads the first line of root/format… into `out`, without its end and with every byte that is not
 * printable replaced by '?'. False, and an empty text, when there is none. */
__attribute__((format(printf, 4, 5))) bool sl_sysfs_line(const char *root, char *out, size_t size,
                                                         const char *format, ...);

/* A number, decimal or 0x…, alone in the first line of the file. */
__attribute__((format(printf, 3, 4))) bool sl_sysfs_number(const char *root, int64_t *out,
                                                           const char *format, ...);

/* The numbers N of entries called PREFIXN in root/folder, sorted; below SL_SYSFS_MAX_INDEX, and at
 * most `max` of them. 0 when there is no such folder. */
size_t sl_sysfs_indices(const char *root, const char *folder, const char *prefix, uint32_t *out,
                        size_t max);

/* The parsers behind them, on text of `len` bytes. */
bool sl_sysfs_parse_number(const char *text, size_t len, int64_t *out);

/* Parses a CPU list such as "0-3,6" into flags[SL_SYSFS_MAX_INDEX]; false (and no flag set) for
 * anything else. Numbers at or above SL_SYSFS_MAX_INDEX are left out. */
bool sl_sysfs_parse_list(const char *text, size_t len, bool flags[SL_SYSFS_MAX_INDEX]);

/* The value of "Key:   N kB" in the text of /proc/meminfo, in bytes. */
bool sl_sysfs_parse_meminfo(const char *text, size_t len, const char *key, uint64_t *out_bytes);
