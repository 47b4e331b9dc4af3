/* tests/unit/host/cli/test_library_folder.c: each way in which a folder is none of libraries for
 * the device. integration/runtime has how a run says it. */
#include "host/cli/library_folder.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/tree_remove.h"
#include "tests/support/unit.h"

enum { NOBODY = 65534 };

static char folder[64];
static uid_t user;

/* Without root's rights, before which no file is closed. */
static int setup(void **unused)
{
    (void)unused;
    user = geteuid();
    if (user == 0 && seteuid(NOBODY) < 0)
        return -1;
    snprintf(folder, sizeof(folder), "/tmp/sl-library-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **unused)
{
    (void)unused;
    chmod(folder, 0700);
    sl_tree_remove(folder);
    return user == 0 ? seteuid(user) : 0;
}

static void path_of(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
}

static void put(const char *name, const void *bytes, size_t size)
{
    char path[128];
    path_of(name, path);
    assert_int_equal(sl_buf_write_file(path, bytes, size), 0);
}

static void put_library(const char *name, unsigned machine, unsigned type)
{
    Elf64_Ehdr header = {.e_machine = (Elf64_Half)machine, .e_type = (Elf64_Half)type};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = machine == EM_ARM ? ELFCLASS32 : ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    put(name, &header, sizeof(header));
}

/* The refusal has a code, words, and how to get the right thing. */
static void refused(const char *path, int code, const char *what, const char *hint)
{
    struct sl_diag diag = {0};
    assert_int_equal(sl_library_folder_check(path, &diag), code);
    assert_non_null(strstr(diag.what, what));
    assert_string_equal(diag.where, path);
    assert_non_null(strstr(diag.hint, hint));
}

TEST_WITH(libraries_for_aarch64_are_counted_and_other_files_are_not, setup, teardown)
{
    struct sl_diag diag = {0};
    put_library("libexecutorch.so", EM_AARCH64, ET_DYN);
    put_library("libmine.so.1.2", EM_AARCH64, ET_DYN);
    put_library("libother.so.old", EM_X86_64, ET_DYN);
    put_library(".hidden.so", EM_X86_64, ET_DYN);
    put("README", "no library", 10);
    assert_int_equal(sl_library_folder_check(folder, &diag), 2);
    assert_string_equal(diag.hint, "");
}

TEST_WITH(folder_without_a_library_says_what_belongs_in_it, setup, teardown)
{
    refused(folder, SL_E_NOT_FOUND, "It has no library (*.so)", "scripts/setup --executorch");
    put("libexecutorch.a", "!<arch>\n", 8);
    refused(folder, SL_E_NOT_FOUND, "It has no library (*.so)", "libexecutorch*.so for aarch64");
}

TEST_WITH(what_is_no_folder_is_told_apart, setup, teardown)
{
    char path[128];
    put("file", "x", 1);
    path_of("file", path);
    refused(path, -ENOTDIR, "This is a file", "scripts/setup --executorch");
    path_of("nowhere", path);
    refused(path, SL_E_NOT_FOUND, "No such file or directory", "scripts/setup --executorch");
}

TEST_WITH(library_for_another_cpu_is_named_with_it, setup, teardown)
{
    static const struct {
        unsigned machine;
        const char *name;
    } machines[] = {{EM_X86_64, "libexecutorch.so is for x86-64"},
                    {EM_386, "libexecutorch.so is for x86,"},
                    {EM_ARM, "libexecutorch.so is for 32-bit Arm"},
                    {EM_RISCV, "libexecutorch.so is for RISC-V"},
                    {EM_PPC64, "libexecutorch.so is for ELF machine 21"}};
    put_library("libafter.so", EM_AARCH64, ET_DYN);
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        put_library("libexecutorch.so", machines[i].machine, ET_DYN);
        refused(folder, SL_E_UNSUPPORTED, machines[i].name, "for aarch64");
    }
}

TEST_WITH(file_that_is_no_library_is_named, setup, teardown)
{
    put("libexecutorch.so", "INPUT(-lother)\n", 15);
    refused(folder, SL_E_FORMAT, "libexecutorch.so is no shared library", "for aarch64");
    put("libexecutorch.so", "", 0);
    refused(folder, SL_E_FORMAT, "libexecutorch.so is no shared library", "for aarch64");
    put_library("libexecutorch.so", EM_AARCH64, ET_EXEC);
    refused(folder, SL_E_FORMAT, "libexecutorch.so is no shared library", "for aarch64");
}

TEST_WITH(what_cannot_be_read_is_said, setup, teardown)
{
    char path[128];
    put_library("libexecutorch.so", EM_AARCH64, ET_DYN);
    path_of("libexecutorch.so", path);
    assert_int_equal(chmod(path, 0), 0);
    refused(folder, -EACCES, "libexecutorch.so cannot be read (Permission denied)", "readable");
    assert_int_equal(chmod(folder, 0), 0);
    refused(folder, -EACCES, "(Permission denied)", "readable");
    assert_int_equal(chmod(folder, 0700), 0);
    path_of("libmine.so", path);
    assert_int_equal(mkdir(path, 0700), 0);
    path_of("libexecutorch.so", path);
    assert_int_equal(unlink(path), 0);
    refused(folder, -EISDIR, "libmine.so cannot be read (Is a directory)", "take it away");
}
