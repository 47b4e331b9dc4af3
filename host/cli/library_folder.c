/* host/cli/library_folder.c */
#define _DEFAULT_SOURCE /* scandir */
#include "host/cli/library_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "common/format/elf.h"

enum { PATH_BYTES = 4096 };

int sl_library_folder_is_library(const struct dirent *entry)
{
    const char *at = strstr(entry->d_name, ".so");
    return entry->d_name[0] != '.' && at && strspn(at + 3, ".0123456789") == strlen(at + 3);
}

static void say_how(struct sl_diag *diag)
{
    sl_diag_hint(diag, "name a folder with libexecutorch*.so for aarch64: of your own build, or "
                       "executorch/lib of an unpacked wheel; 'scripts/setup --executorch' fetches "
                       "the published ones");
}

static int refuse_folder(const char *folder, int error, struct sl_diag *diag)
{
    if (error == EACCES)
        sl_diag_hint(diag, "make it readable for the user who starts the run");
    else
        say_how(diag);
    if (error == ENOTDIR)
        return sl_diag_set(diag, -ENOTDIR, folder,
                           "This is a file, and a directory with ExecuTorch's libraries is wanted");
    return sl_diag_set(diag, error == ENOENT ? SL_E_NOT_FOUND : -error, folder,
                       "This is no directory with ExecuTorch's libraries (%s)", strerror(error));
}

static const char *machine_name(unsigned machine, char number[24])
{
    switch (machine) {
    case SL_ELF_X86_64:
        return "x86-64";
    case SL_ELF_X86:
        return "x86";
    case SL_ELF_ARM:
        return "32-bit Arm";
    case SL_ELF_RISCV:
        return "RISC-V";
    default:
        snprintf(number, 24, "ELF machine %u", machine);
        return number;
    }
}

static int check_header(const struct sl_elf_head *header, const char *folder, const char *name,
                        struct sl_diag *diag)
{
    char number[24];
    if (memcmp(header->ident, SL_ELF_MAGIC, SL_ELF_MAGIC_BYTES) != 0 ||
        header->type != SL_ELF_TYPE_DYN)
        return sl_diag_set(diag, SL_E_FORMAT, folder, "%.80s is no shared library", name);
    if (header->machine != SL_ELF_AARCH64 || header->ident[SL_ELF_CLASS] != SL_ELF_CLASS_64 ||
        header->ident[SL_ELF_DATA] != SL_ELF_DATA_LSB)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, folder,
                           "%.80s is for %s, and the device executes aarch64", name,
                           machine_name(header->machine, number));
    return 0;
}

static int check_library(const char *folder, const char *name, struct sl_diag *diag)
{
    char path[PATH_BYTES];
    struct sl_elf_head header = {0};
    int rc = sl_path_join(path, sizeof(path), folder, "%s", name);
    FILE *file = rc == 0 ? fopen(path, "rb") : NULL;
    if (rc == 0 && (!file || (fread(&header, 1, sizeof(header), file) == 0 && ferror(file))))
        rc = -errno;
    if (file)
        fclose(file);
    if (rc < 0) {
        sl_diag_hint(diag, "make it readable for the user who starts the run, or take it away");
        return sl_diag_set(diag, rc, folder, "%.80s cannot be read (%s)", name, sl_strerror(rc));
    }
    rc = check_header(&header, folder, name, diag);
    if (rc < 0)
        say_how(diag);
    return rc;
}

int sl_library_folder_check(const char *folder, struct sl_diag *diag)
{
    struct dirent **names = NULL;
    int rc = 0, count = scandir(folder, &names, sl_library_folder_is_library, alphasort);
    if (count < 0)
        return refuse_folder(folder, errno, diag);
    for (int i = 0; i < count; i++) {
        if (rc == 0)
            rc = check_library(folder, names[i]->d_name, diag);
        free(names[i]);
    }
    free(names);
    if (rc == 0 && count == 0) {
        say_how(diag);
        return sl_diag_set(diag, SL_E_NOT_FOUND, folder, "It has no library (*.so)");
    }
    return rc < 0 ? rc : count;
}
