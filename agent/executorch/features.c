/* agent/executorch/features.c */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr1 */
#include "agent/executorch/features.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>

#include "agent/executorch/apart.h"
#include "common/base/error.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/sve.h"

enum { MAX_IMAGE_BYTES = 4096 };

/* Bits that are taken out of what the kernel says. */
struct hidden {
    unsigned long hwcap, hwcap2;
};

static struct hidden hidden;
static void *delegate;
static uint32_t loaded;   /* bits of all variants so far */
static const char *stays; /* why the libraries cannot be switched */

/* The program's own code, as the linker lays it. */
extern const char __executable_start[], etext[];

bool sl_features_is_own(uintptr_t caller)
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
    if (sl_features_is_own((uintptr_t)__builtin_return_address(0)))
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
        {SL_ISA_SVE, {1ul << 22, 0x3ful << 1 | 0xful << 9 | 1ul << 33 | 1ul << 36}},
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

/* NULL, or what went wrong. */
static const char *initialise(void)
{
    bool (*initialize)(void);
    *(void **)&initialize = dlsym(RTLD_DEFAULT, "cpuinfo_initialize");
    if (!initialize)
        return "these libraries have no cpuinfo_initialize";
    return initialize() ? NULL : "its cpuinfo does not know this CPU";
}

int sl_features_image(struct sl_bytes question, struct sl_buf *reply)
{
    size_t size = 0;
    if (question.size != sizeof(hidden))
        return SL_E_FORMAT;
    memcpy(&hidden, question.data, sizeof(hidden));
    void *result = initialise() ? NULL : image(&size);
    return result ? sl_buf_append(reply, result, size) : SL_E_NOT_FOUND;
}

static int load_delegate(uint32_t isa, struct sl_diag *diag)
{
    hidden = hide_all_but(isa);
    delegate = dlopen("libexecutorch_backend_xnnpack.so", RTLD_NOW | RTLD_GLOBAL);
    if (!delegate)
        return sl_diag_set(diag, SL_E_NOT_FOUND, "ExecuTorch", "%s", dlerror());
    const char *wrong = initialise();
    return wrong ? sl_diag_set(diag, SL_E_UNSUPPORTED, "ExecuTorch", "%s", wrong) : 0;
}

/* The other process's cpuinfo says what the libraries are to see from now on. */
static int switch_delegate(uint32_t isa, uint32_t *generation, struct sl_diag *diag)
{
    const uint32_t kind = SL_APART_IMAGE;
    const struct hidden hide = hide_all_but(isa);
    struct sl_buf question, reply;
    size_t size = 0;
    int ended_by;
    void *result = image(&size);
    sl_buf_init(&question, MAX_IMAGE_BYTES);
    sl_buf_init(&reply, MAX_IMAGE_BYTES);
    int rc = sl_buf_append(&question, &kind, sizeof(kind));
    if (rc == 0)
        rc = sl_buf_append(&question, &hide, sizeof(hide));
    if (rc == 0)
        rc = sl_apart_ask(&question, &reply, &ended_by);
    if (rc == 0 && reply.size != size)
        rc = SL_E_STATE;
    if (rc == 0) {
        memcpy(result, reply.data, size);
        ++*generation;
    }
    sl_buf_fini(&question);
    sl_buf_fini(&reply);
    return rc == 0 ? 0
                   : sl_diag_set(diag, SL_E_STATE, "ExecuTorch",
                                 "the process that reads the CPU's features ended too early");
}

static const char *why_it_stays(uint32_t isa, bool has_generation, bool has_image)
{
    if (loaded & ~isa & (SL_ISA_SME | SL_ISA_SME2))
        return "they have no way back to a variant without SME";
    if (!has_image)
        return "these libraries have no cpuinfo_isa";
    return has_generation ? NULL : "these libraries have no xnn_init_generation";
}

int sl_features_use(uint32_t isa, struct sl_diag *diag)
{
    size_t size;
    if (!(isa & SL_ISA_NEON))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--isa", "ExecuTorch has no build without NEON");
    int rc;
    if (!delegate) {
        rc = load_delegate(isa, diag);
    } else {
        uint32_t *generation = dlsym(delegate, "xnn_init_generation");
        stays = why_it_stays(isa, generation != NULL, image(&size) != NULL);
        if (stays)
            return SL_FEATURES_APART;
        rc = switch_delegate(isa, generation, diag);
    }
    if (rc == 0)
        loaded |= isa;
    return rc;
}

const char *sl_features_why_apart(void)
{
    return stays;
}

void *sl_features_delegate(void)
{
    return delegate;
}
