/* agent/executorch/kernel_calls.c */
#define _GNU_SOURCE /* dlinfo */
#include "agent/executorch/kernel_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/trace/marks.h"

#define MAX_KERNELS 128
#define CODE_BYTES 32
#define PREFIX "kai_run_"

/* The lines of assembly know this layout. */
struct sl_kernel_call {
    uint64_t calls;
    void *kernel;
};
struct sl_kernel_call sl_kernel_call_table[MAX_KERNELS];
extern const unsigned char sl_kernel_call_code[];

#ifdef __aarch64__
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
/* Only x16 and x17 are free between a call and its callee (AAPCS64). */
__asm__(".pushsection .text\n .balign 32\n .global sl_kernel_call_code\n"
        "sl_kernel_call_code:\n .set sl_nth, 0\n .rept 128\n"
        "bti c\n adrp x16, sl_kernel_call_table + 16 * sl_nth\n"
        "add x16, x16, :lo12:sl_kernel_call_table + 16 * sl_nth\n"
        "ldr x17, [x16]\n add x17, x17, #1\n str x17, [x16]\n"
        "ldr x17, [x16, #8]\n br x17\n .set sl_nth, sl_nth + 1\n .endr\n .popsection\n");
#elif defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
__asm__(".pushsection .text\n .balign 32\n .global sl_kernel_call_code\n"
        "sl_kernel_call_code:\n .set sl_nth, 0\n .rept 128\n .balign 32\n"
        "incq sl_kernel_call_table + 16 * sl_nth(%rip)\n"
        "jmp *sl_kernel_call_table + 16 * sl_nth + 8(%rip)\n"
        ".set sl_nth, sl_nth + 1\n .endr\n .popsection\n");
#else
#define JUMP_SLOT UINT32_MAX /* no counting: no kernel is named */
const unsigned char sl_kernel_call_code[CODE_BYTES];
#endif

static struct {
    void **slot; /* in the library's table */
    const char *name;
    uint64_t taken; /* calls that were told of */
} kernels[MAX_KERNELS];
static size_t kernel_count;
static bool watched;

struct linkage {
    const ElfW(Rela) * relocations;
    size_t bytes;
    const ElfW(Sym) * symbols;
    const char *names;
};

/* Glibc has added the library's address to the pointers among them. */
static struct linkage linkage_of(const struct link_map *map)
{
    struct linkage found = {NULL, 0, NULL, NULL};
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_JMPREL)
            found.relocations = (const void *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_PLTRELSZ)
            found.bytes = entry->d_un.d_val;
        else if (entry->d_tag == DT_SYMTAB)
            found.symbols = (const void *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_STRTAB)
            found.names = (const char *)entry->d_un.d_ptr;
    }
    return found;
}

static bool is_packing(const char *name)
{
    return strstr(name, "_pack_") != NULL;
}

size_t sl_kernel_calls_open(void *delegate)
{
    struct link_map *map = NULL;
    kernel_count = 0;
    watched = false;
    if (dlinfo(delegate, RTLD_DI_LINKMAP, &map) != 0)
        return 0;
    struct linkage linkage = linkage_of(map);
    if (!linkage.relocations || !linkage.symbols || !linkage.names)
        return 0;
    for (size_t i = 0; i < linkage.bytes / sizeof(*linkage.relocations); i++) {
        const ElfW(Rela) *relocation = &linkage.relocations[i];
        const ElfW(Sym) *symbol = &linkage.symbols[ELF64_R_SYM(relocation->r_info)];
        const char *name = linkage.names + symbol->st_name;
        if (ELF64_R_TYPE(relocation->r_info) != JUMP_SLOT)
            continue;
        uintptr_t begin = map->l_addr + symbol->st_value;
        if (symbol->st_shndx != SHN_UNDEF && is_packing(name))
            sl_marks_tell_packing(begin, begin + symbol->st_size);
        if (kernel_count == MAX_KERNELS || strncmp(name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        kernels[kernel_count].slot = (void **)(map->l_addr + relocation->r_offset);
        kernels[kernel_count].name = name;
        kernel_count++;
    }
    return kernel_count;
}

/* A library that is linked with `-z relro -z now` has its table write-protected. */
static int put(void **slot, void *value)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *begin = (void *)((uintptr_t)slot & ~(page - 1));
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
        return -errno;
    *slot = value;
    return 0;
}

int sl_kernel_calls_watch(bool on)
{
    int rc = 0;
    for (size_t i = 0; i < kernel_count && on != watched && rc == 0; i++) {
        struct sl_kernel_call *call = &sl_kernel_call_table[i];
        if (on) {
            *call = (struct sl_kernel_call){.kernel = *kernels[i].slot};
            kernels[i].taken = 0;
        }
        rc = put(kernels[i].slot,
                 on ? (void *)(uintptr_t)(sl_kernel_call_code + CODE_BYTES * i) : call->kernel);
    }
    watched = on;
    return rc;
}

const char *sl_kernel_calls_take(void)
{
    const char *name = NULL;
    bool product = false;
    for (size_t i = 0; watched && i < kernel_count; i++) {
        uint64_t calls = sl_kernel_call_table[i].calls;
        if (calls == kernels[i].taken)
            continue;
        kernels[i].taken = calls;
        bool packs = is_packing(kernels[i].name);
        if (!name || (!packs && !product))
            name = kernels[i].name;
        product = product || !packs;
    }
    return name;
}
