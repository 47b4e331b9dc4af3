/* host/device/elf_marks.c */
#include "host/device/elf_marks.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/error.h"
#include "host/device/count_log.h"

#define SECTION "sl_marks"
enum { MARK_BYTES = 16, MARKS = 6 };

static int check_header(struct sl_bytes file, Elf64_Ehdr *out, struct sl_diag *diag)
{
    if (file.size < sizeof(*out))
        return sl_diag_set(diag, SL_E_TRUNCATED, NULL, "The file is too short for an ELF program");
    memcpy(out, file.data, sizeof(*out));
    if (memcmp(out->e_ident, ELFMAG, SELFMAG) != 0 || out->e_ident[EI_CLASS] != ELFCLASS64 ||
        out->e_ident[EI_DATA] != ELFDATA2LSB)
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "The file is no little-endian ELF64 program");
    if (out->e_machine != EM_AARCH64)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                           "The program is for ELF machine %u, not for AArch64", out->e_machine);
    if (out->e_type != ET_EXEC)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, NULL,
                           "The program has no fixed addresses, so its marks cannot be found");
    if (out->e_shentsize != sizeof(Elf64_Shdr) || out->e_shstrndx >= out->e_shnum ||
        !sl_range_ok(out->e_shoff, (uint64_t)out->e_shnum * sizeof(Elf64_Shdr), file.size))
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "The program's section headers are damaged");
    return 0;
}

static Elf64_Shdr section(struct sl_bytes file, const Elf64_Ehdr *header, size_t i)
{
    Elf64_Shdr out;
    memcpy(&out, file.data + header->e_shoff + i * sizeof(out), sizeof(out));
    return out;
}

static bool is_named(struct sl_bytes names, uint32_t offset)
{
    return sl_range_ok(offset, sizeof(SECTION), names.size) &&
           memcmp(names.data + offset, SECTION, sizeof(SECTION)) == 0;
}

int sl_elf_marks_find(struct sl_bytes file, struct sl_count_marks *out, struct sl_diag *diag)
{
    Elf64_Ehdr header;
    int rc = check_header(file, &header, diag);
    if (rc < 0)
        return rc;
    Elf64_Shdr table = section(file, &header, header.e_shstrndx);
    if (!sl_range_ok(table.sh_offset, table.sh_size, file.size))
        return sl_diag_set(diag, SL_E_FORMAT, NULL, "The program's section names are damaged");
    struct sl_bytes names = {file.data + table.sh_offset, table.sh_size};
    for (size_t i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr found = section(file, &header, i);
        if (!is_named(names, found.sh_name))
            continue;
        /* The last function may be shorter than its 16 bytes. */
        if (found.sh_addr == 0 || found.sh_addr % MARK_BYTES != 0 ||
            found.sh_addr > UINT64_MAX - (uint64_t)MARKS * MARK_BYTES ||
            found.sh_size <= (MARKS - 1) * MARK_BYTES || found.sh_size > MARKS * MARK_BYTES)
            return sl_diag_set(diag, SL_E_FORMAT, NULL,
                               "The program's section " SECTION " does not hold six marks");
        *out = (struct sl_count_marks){.pause = found.sh_addr,
                                       .resume = found.sh_addr + MARK_BYTES,
                                       .begin = found.sh_addr + 2 * MARK_BYTES,
                                       .end = found.sh_addr + 3 * MARK_BYTES,
                                       .zero = found.sh_addr + 4 * MARK_BYTES,
                                       .one = found.sh_addr + 5 * MARK_BYTES};
        return 0;
    }
    return sl_diag_set(diag, SL_E_NOT_FOUND, NULL, "The program has no section " SECTION);
}
