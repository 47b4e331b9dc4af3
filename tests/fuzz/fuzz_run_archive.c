/* tests/fuzz/fuzz_run_archive.c: any bytes as an archive of runs, unpacked; or as the list in front
 * of one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/tree_remove.h"
#include "host/rundir/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the list that was read, and reads it again. */
static void write_again(const struct sl_archive *archive)
{
    struct sl_archive again = {.runs = NULL};
    struct sl_buf text;
    sl_buf_init(&text, 8 << 20);
    if (sl_archive_list_write(archive, &text) < 0 ||
        (text.size <= 1 << 20 &&
         sl_archive_list_read((struct sl_bytes){text.data, text.size}, &again, NULL) < 0))
        abort();
    sl_archive_fini(&again);
    sl_buf_fini(&text);
}

static void read_list(const uint8_t *data, size_t size)
{
    struct sl_archive archive = {.runs = NULL};
    struct sl_diag diag = {.what = ""};
    int rc = sl_archive_list_read((struct sl_bytes){data, size}, &archive, &diag);
    if (rc < 0 && rc != SL_E_FORMAT && rc != SL_E_LIMIT)
        abort();
    for (size_t i = 0; rc == 0 && i < archive.count; i++) {
        if (strchr(archive.runs[i].name, '/'))
            abort();
        for (size_t k = 0; k < archive.runs[i].count; k++)
            if (archive.runs[i].files[k].path[0] == '/')
                abort();
    }
    if (rc == 0)
        write_again(&archive);
    sl_archive_fini(&archive);
}

static void unpack(const uint8_t *data, size_t size)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    char folder[] = "/tmp/sl-fuzz-archive-XXXXXX", file[64], into[64];
    struct sl_archive archive = {.runs = NULL};
    struct sl_diag diag = {.what = ""};
    if (size < sizeof(magic) || memcmp(data, magic, sizeof(magic)) != 0)
        return;
    if (!mkdtemp(folder))
        abort();
    snprintf(file, sizeof(file), "%s/a.tar.zst", folder);
    snprintf(into, sizeof(into), "%s", folder);
    if (sl_buf_write_file(file, data, size) < 0)
        abort();
    sl_archive_unpack(file, into, &archive, &diag);
    sl_archive_fini(&archive);
    sl_tree_remove(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_list(data, size);
    unpack(data, size);
    return 0;
}
