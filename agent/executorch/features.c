/* agent/executorch/features.c */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr1 */
#include "agent/executorch/features.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "kernels/cpu/isa.h"

enum { MAX_IMAGE_BYTES = 4096 };

/* Bits that are taken out of what the kernel says. */
struct hidden {
    unsigned long hwcap, hwcap2;
};

static struct hidden hidden;
static void *delegate;
static int ask_child = -1, hear_child = -1; /* pipes; -1: there is no child */
static uint32_t loaded;                     /* bits of all variants so far */

/* The program's own code, as the linker lays it. */
extern const char __executable_start[], etext[];

static bool is_own(uintptr_t caller)
{
    return caller >= (uintptr_t)__executable_start && caller < (uintptr_t)etext;
}

/* The libraries see what a variant may use; the program itself sees the CPU. */
unsigned long getauxval(unsigned long type)
{
    static unsigned long (*real)(unsigned long);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getauxval");
    unsigned long bits = real(type);
    if (is_own((uintptr_t)__builtin_return_address(0)))
        return bits;
    if (type == AT_HWCAP)
        return bits & ~hidden.hwcap;
    return type == AT_HWCAP2 ? bits & ~hidden.hwcap2 : bits;
}

/* The bits of <asm/hwcap.h> for aarch64. Without SME2 alone, SME1 kernels run. */
static struct hidden hide_all_but(uint32_t isa)
{
    static const struct {
        uint32_t isa;
        struct hidden bits;
    } table[] = {
        {SL_ISA_FP16, {3ul << 9, 0}},
        {SL_ISA_DOTPROD, {1ul << 20, 0}},
        {SL_ISA_I8MM, {0, 1ul << 13}},
        {SL_ISA_BF16, {0, 1ul << 14}},
        {SL_ISA_SME, {0, 0xfful << 23 | 0x3ful << 37 | 0x3ful << 57}},
        {SL_ISA_SME2, {0, 1ul << 37}},
    };
    struct hidden out = {0};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (isa & table[i].isa)
            continue;
        out.hwcap |= table[i].bits.hwcap;
        out.hwcap2 |= table[i].bits.hwcap2;
    }
    return out;
}

/* cpuinfo's result and its size, as the library's symbol table has it; NULL: not exported. */
static void *image(size_t *out_size)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    void *at = dlsym(RTLD_DEFAULT, "cpuinfo_isa");
    if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
        symbol->st_size == 0 || symbol->st_size > MAX_IMAGE_BYTES)
        return NULL;
    *out_size = symbol->st_size;
    return at;
}

static bool initialise(void)
{
    bool (*initialize)(void);
    *(void **)&initialize = dlsym(RTLD_DEFAULT, "cpuinfo_initialize");
    return initialize && initialize();
}

static bool transfer(ssize_t (*move)(int, void *, size_t), int fd, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = move(fd, (char *)bytes + at, size - at);
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static ssize_t put(int fd, void *bytes, size_t size)
{
    return write(fd, bytes, size);
}

/* Waits for one question; the pipe's end is the parent's. */
static void answer(int question, int reply)
{
    size_t size = 0;
    if (transfer(read, question, &hidden, sizeof(hidden)) && initialise()) {
        void *result = image(&size);
        if (result)
            transfer(put, reply, result, size);
    }
    _exit(0);
}

void sl_features_start(void)
{
    int question[2], reply[2];
    if (pipe(question) < 0)
        return;
    if (pipe(reply) < 0) {
        close(question[0]);
        close(question[1]);
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        close(question[1]);
        close(reply[0]);
        answer(question[0], reply[1]);
    }
    close(question[0]);
    close(reply[1]);
    if (child < 0) {
        close(question[1]);
        close(reply[0]);
        return;
    }
    ask_child = question[1];
    hear_child = reply[0];
}

static int load_delegate(uint32_t isa, struct sl_diag *diag)
{
    hidden = hide_all_but(isa);
    delegate = dlopen("libexecutorch_backend_xnnpack.so", RTLD_NOW | RTLD_GLOBAL);
    if (!delegate)
        return sl_diag_set(diag, SL_E_NOT_FOUND, "ExecuTorch", "%s", dlerror());
    if (!initialise())
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "ExecuTorch",
                           "its cpuinfo does not know this CPU");
    return 0;
}

static int switch_delegate(uint32_t isa, struct sl_diag *diag)
{
    char other[MAX_IMAGE_BYTES];
    size_t size = 0;
    struct hidden question = hide_all_but(isa);
    void *result = image(&size);
    uint32_t *generation = dlsym(delegate, "xnn_init_generation");
    if (!result || !generation) {
        sl_diag_hint(diag, "run each variant in a process of its own, by --isa");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "ExecuTorch",
                           "these libraries do not export %s, so one process has one variant",
                           result ? "xnn_init_generation" : "cpuinfo_isa");
    }
    bool heard = transfer(put, ask_child, &question, sizeof(question)) &&
                 transfer(read, hear_child, other, size);
    close(ask_child);
    close(hear_child);
    ask_child = hear_child = -1;
    wait(NULL);
    if (!heard)
        return sl_diag_set(diag, SL_E_STATE, "ExecuTorch",
                           "the process that reads the CPU's features ended too early");
    memcpy(result, other, size);
    ++*generation;
    return 0;
}

int sl_features_use(uint32_t isa, struct sl_diag *diag)
{
    if (!(isa & SL_ISA_NEON))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--isa", "ExecuTorch has no build without NEON");
    if (loaded & ~isa & (SL_ISA_SME | SL_ISA_SME2)) {
        sl_diag_hint(diag, "say --variants off,on");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--variants",
                           "ExecuTorch's libraries load the variant without SME first");
    }
    int rc = delegate ? switch_delegate(isa, diag) : load_delegate(isa, diag);
    if (rc == 0)
        loaded |= isa;
    return rc;
}

void *sl_features_delegate(void)
{
    return delegate;
}
