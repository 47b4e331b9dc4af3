/* common/format/zip_store.c: after PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16. */
#include "common/format/zip_store.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"

#define SIGNATURE_LOCAL UINT32_C(0x04034b50)
#define SIGNATURE_ENTRY UINT32_C(0x02014b50)
#define SIGNATURE_END UINT32_C(0x06054b50)
enum { LOCAL_BYTES = 30, ENTRY_BYTES = 46, END_BYTES = 22, MAX_COMMENT = 65535 };
enum { FLAG_ENCRYPTED = 1, METHOD_STORED = 0 };

static int fail(struct sl_diag *diag, int code, uint64_t at, const char *what)
{
    char where[32];
    snprintf(where, sizeof(where), "byte %llu", (unsigned long long)at);
    return sl_diag_set(diag, code, where, "%s", what);
}

int sl_zip_open(struct sl_bytes file, struct sl_zip *out, struct sl_diag *diag)
{
    if (file.size < END_BYTES)
        return fail(diag, SL_E_FORMAT, 0, "the file is too short for a zip archive");
    uint64_t at = file.size - END_BYTES;
    uint64_t lowest = at > MAX_COMMENT ? at - MAX_COMMENT : 0;
    while (sl_load_u32(file.data + at) != SIGNATURE_END) {
        if (at == lowest)
            return fail(diag, SL_E_FORMAT, at, "no zip archive: its end record is missing");
        at--;
    }
    struct sl_zip zip = {.file = file,
                         .directory = sl_load_u32(file.data + at + 16),
                         .entry_count = sl_load_u16(file.data + at + 10)};
    if (zip.directory == UINT32_MAX || zip.entry_count == UINT16_MAX)
        return fail(diag, SL_E_UNSUPPORTED, at, "the archive is of the zip64 form");
    if (zip.entry_count > SL_ZIP_MAX_ENTRIES)
        return fail(diag, SL_E_LIMIT, at, "the archive has more than 4096 entries");
    if (zip.directory > at)
        return fail(diag, SL_E_FORMAT, at, "the archive's directory lies outside");
    *out = zip;
    return 0;
}

/* CRC-32 of IEEE 802.3, reflected. */
static uint32_t crc32(struct sl_bytes bytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes.size; i++) {
        crc ^= bytes.data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/* The content that the directory's entry at `at` speaks of. */
static int open_entry(const struct sl_zip *zip, uint64_t at, struct sl_bytes *out,
                      struct sl_diag *diag)
{
    const uint8_t *entry = zip->file.data + at;
    uint64_t local = sl_load_u32(entry + 42);
    uint64_t size = sl_load_u32(entry + 24);
    if (sl_load_u16(entry + 8) & FLAG_ENCRYPTED)
        return fail(diag, SL_E_UNSUPPORTED, at, "the archive's entry is encrypted");
    if (sl_load_u16(entry + 10) != METHOD_STORED || size != sl_load_u32(entry + 20))
        return fail(diag, SL_E_UNSUPPORTED, at,
                    "the archive's entry is compressed; ExecuTorch stores them as they are");
    if (!sl_range_ok(local, LOCAL_BYTES, zip->file.size) ||
        sl_load_u32(zip->file.data + local) != SIGNATURE_LOCAL)
        return fail(diag, SL_E_FORMAT, at, "the archive's entry has no header of its own");
    const uint8_t *header = zip->file.data + local;
    uint64_t data = local + LOCAL_BYTES + sl_load_u16(header + 26) + sl_load_u16(header + 28);
    if (!sl_range_ok(data, size, zip->file.size))
        return fail(diag, SL_E_FORMAT, local, "the archive's entry reaches past the end");
    struct sl_bytes found = {zip->file.data + data, (size_t)size};
    if (crc32(found) != sl_load_u32(entry + 16))
        return fail(diag, SL_E_FORMAT, data, "the archive's entry is damaged: wrong checksum");
    *out = found;
    return 0;
}

int sl_zip_find(const struct sl_zip *zip, const char *name, struct sl_bytes *out,
                struct sl_diag *diag)
{
    uint64_t at = zip->directory;
    size_t len = strlen(name);
    for (uint32_t i = 0; i < zip->entry_count; i++) {
        if (!sl_range_ok(at, ENTRY_BYTES, zip->file.size) ||
            sl_load_u32(zip->file.data + at) != SIGNATURE_ENTRY)
            return fail(diag, SL_E_FORMAT, at, "the archive's directory is damaged");
        const uint8_t *entry = zip->file.data + at;
        uint16_t name_len = sl_load_u16(entry + 28);
        if (!sl_range_ok(at + ENTRY_BYTES, name_len, zip->file.size))
            return fail(diag, SL_E_FORMAT, at, "the archive's directory reaches past the end");
        if (name_len == len && memcmp(entry + ENTRY_BYTES, name, len) == 0)
            return open_entry(zip, at, out, diag);
        at += ENTRY_BYTES + (uint64_t)name_len + sl_load_u16(entry + 30) + sl_load_u16(entry + 32);
    }
    return sl_diag_set(diag, SL_E_NOT_FOUND, NULL, "the archive has no entry '%.100s'", name);
}
