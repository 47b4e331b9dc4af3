/* common/format/elf.h: the heads of an ELF64 file, as they lie in it, and what we ask of them. Not
 * every system that we compile for has the header <elf.h>. */
#pragma once

#include <stdint.h>

#define SL_ELF_MAGIC "\177ELF"

enum { SL_ELF_MAGIC_BYTES = 4, SL_ELF_IDENT_BYTES = 16 };
enum { SL_ELF_CLASS = 4, SL_ELF_DATA = 5 };        /* places in `ident` */
enum { SL_ELF_CLASS_64 = 2, SL_ELF_DATA_LSB = 1 }; /* what is there */
enum { SL_ELF_TYPE_EXEC = 2, SL_ELF_TYPE_DYN = 3 };

enum sl_elf_machine {
    SL_ELF_X86 = 3,
    SL_ELF_ARM = 40,
    SL_ELF_X86_64 = 62,
    SL_ELF_AARCH64 = 183,
    SL_ELF_RISCV = 243,
};

struct sl_elf_head {
    uint8_t ident[SL_ELF_IDENT_BYTES];
    uint16_t type, machine;
    uint32_t version;
    uint64_t entry, segments_at, sections_at;
    uint32_t flags;
    uint16_t head_bytes, segment_bytes, segments, section_bytes, sections, names; /* of sections */
};

struct sl_elf_section {
    uint32_t name, type; /* the name's offset among the names */
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t alignment, entry_bytes;
};

_Static_assert(sizeof(struct sl_elf_head) == 64, "no padding");
_Static_assert(sizeof(struct sl_elf_section) == 64, "no padding");
