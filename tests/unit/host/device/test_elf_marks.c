#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/device/count_log.h"
#include "host/device/elf_marks.h"
#include "tests/support/test.h"

/* A file of nothing but headers: a null section, the names and the marks. */
struct image {
    Elf64_Ehdr header;
    char names[24]; /* "\0.names\0sl_marks\0" */
    Elf64_Shdr sections[3];
};

static struct image good(void)
{
    struct image image = {0};
    memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_machine = EM_AARCH64;
    image.header.e_type = ET_EXEC;
    image.header.e_shoff = offsetof(struct image, sections);
    image.header.e_shnum = 3;
    image.header.e_shentsize = sizeof(Elf64_Shdr);
    image.header.e_shstrndx = 1;
    memcpy(image.names, "\0.names\0sl_marks", 17);
    image.sections[1] = (Elf64_Shdr){
        .sh_name = 1, .sh_offset = offsetof(struct image, names), .sh_size = sizeof(image.names)};
    image.sections[2] = (Elf64_Shdr){.sh_name = 8, .sh_addr = 0x28eb40, .sh_size = 0x54};
    return image;
}

static int find(const struct image *image, size_t size, struct sl_count_marks *out)
{
    struct sl_diag diag = {0};
    return sl_elf_marks_find((struct sl_bytes){(const uint8_t *)image, size}, out, &diag);
}

TEST(marks_lie_sixteen_bytes_apart)
{
    struct image image = good();
    struct sl_count_marks marks = {0};
    assert_int_equal(find(&image, sizeof(image), &marks), 0);
    assert_int_equal(marks.pause, 0x28eb40);
    assert_int_equal(marks.resume, 0x28eb50);
    assert_int_equal(marks.begin, 0x28eb60);
    assert_int_equal(marks.end, 0x28eb70);
    assert_int_equal(marks.zero, 0x28eb80);
    assert_int_equal(marks.one, 0x28eb90);
}

TEST(every_truncation_is_refused)
{
    struct image image = good();
    struct sl_count_marks marks = {0};
    for (size_t size = 0; size < sizeof(image); size++)
        assert_true(find(&image, size, &marks) < 0);
}

TEST(other_machines_and_movable_programs_are_refused)
{
    struct sl_count_marks marks = {0};
    struct image image = good();
    image.header.e_machine = EM_X86_64;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_UNSUPPORTED);
    image = good();
    image.header.e_type = ET_DYN;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_UNSUPPORTED);
    image = good();
    image.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_FORMAT);
}

TEST(a_program_without_marks_is_told_so)
{
    struct sl_count_marks marks = {0};
    struct image image = good();
    image.names[9] = 'x';
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_NOT_FOUND);
}

TEST(absurd_headers_are_refused)
{
    struct sl_count_marks marks = {0};
    struct image image = good();
    image.header.e_shstrndx = 3;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_FORMAT);
    image = good();
    image.header.e_shoff = UINT64_MAX - 8;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_FORMAT);
    image = good();
    image.sections[1].sh_offset = UINT64_MAX;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_FORMAT);
    image = good();
    image.sections[2].sh_size = 0x30;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_FORMAT);
    image = good();
    image.sections[2].sh_addr = UINT64_MAX - 15;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_FORMAT);
    image = good();
    image.sections[2].sh_name = UINT32_MAX;
    assert_int_equal(find(&image, sizeof(image), &marks), SL_E_NOT_FOUND);
}
