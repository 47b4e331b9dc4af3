/* host/device/runtime_files.h: the files of a dynamic runtime, as blobs for a device that has none
 * of them. */
#pragma once

#include <stddef.h>

enum { SL_RUNTIME_FILES_MAX = 32, SL_RUNTIME_FILE_NAME = 101, SL_RUNTIME_FILE_DIGEST = 65 };

/* The loader first, the program second. */
struct sl_runtime_files {
    size_t count;
    char name[SL_RUNTIME_FILES_MAX][SL_RUNTIME_FILE_NAME];
    char sha256[SL_RUNTIME_FILES_MAX][SL_RUNTIME_FILE_DIGEST];
};
