/* host/device/elf_marks.c */
#include "host/device/elf_marks.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/error.h"
#include "common/format/elf.h"
#include "host/device/count_log.h"

#define SECTION "sl_marks"
enum { MARK_BYTES = 16, MARKS = 6 };

static int check_header(struct sl_bytes file, struct sl_elf_head *out, struct sl_diag *diag)
{
    if (file.size < sizeof(*out))
        return sl_diag_set(diag, SL_E_TRUNCATED, NULL, "The file is too short for an ELF program");
    memcpy(out, file.data, sizeof(*out));
    if (memcmp(out->ident, SL_ELF_MAGIC, SL_ELF_MAGIC_BYTES) != 0 ||
        out->ident[SL_ELF_CLASS] != SL_ELF_CLASS_64 || out->ident[SL_ELF_DATA] != SL_ELF_DATA_LSB)
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "The file is no little-endian ELF64 program");
    if (out->machine != SL_ELF_AARCH64)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                           "The program is for ELF machine %u, not for AArch64", out->machine);
    if (out->type != SL_ELF_TYPE_EXEC)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                           "The program has no fixed addresses, so its marks cannot be found");
    if (out->section_bytes != sizeof(struct sl_elf_section) || out->names >= out->sections ||
        !sl_range_ok(out->sections_at, (uint64_t)out->sections * sizeof(struct sl_elf_section),
                     file.size))
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "The program's section headers are damaged");
    return 0;
}

static struct sl_elf_section section(struct sl_bytes file, const struct sl_elf_head *header,
                                     size_t i)
{
    struct sl_elf_section out;
    memcpy(&out, file.data + header->sections_at + i * sizeof(out), sizeof(out));
    return out;
}

static bool is_named(struct sl_bytes names, uint32_t offset)
{
    return sl_range_ok(offset, sizeof(SECTION), names.size) &&
           memcmp(names.data + offset, SECTION, sizeof(SECTION)) == 0;
}

int sl_elf_marks_find(struct sl_bytes file, struct sl_count_marks *out, struct sl_diag *diag)
{
    struct sl_elf_head header;
    int rc = check_header(file, &header, diag);
    if (rc < 0)
        return rc;
    struct sl_elf_section table = section(file, &header, header.names);
    if (!sl_range_ok(table.offset, table.size, file.size))
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "The program's section names are damaged");
    struct sl_bytes names = {file.data + table.offset, table.size};
    for (size_t i = 0; i < header.sections; i++) {
        struct sl_elf_section found = section(file, &header, i);
        if (!is_named(names, found.name))
            continue;
        /* The last function may be shorter than its 16 bytes. */
        if (found.address == 0 || found.address % MARK_BYTES != 0 ||
            found.address > UINT64_MAX - (uint64_t)MARKS * MARK_BYTES ||
            found.size <= (MARKS - 1) * MARK_BYTES || found.size > MARKS * MARK_BYTES)
            return sl_diag_set(diag, SL_E_FORMAT, NULL,
                               "The program's section " SECTION " does not hold six marks");
        *out = (struct sl_count_marks){.pause = found.address,
                                       .resume = found.address + MARK_BYTES,
                                       .begin = found.address + 2 * MARK_BYTES,
                                       .end = found.address + 3 * MARK_BYTES,
                                       .zero = found.address + 4 * MARK_BYTES,
                                       .one = found.address + 5 * MARK_BYTES};
        return 0;
    }
    return sl_diag_set(diag, SL_E_NOT_FOUND, NULL, "The program has no section " SECTION);
}
