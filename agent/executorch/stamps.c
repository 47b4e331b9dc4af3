/* agent/executorch/stamps.c */
#define _GNU_SOURCE /* RTLD_NEXT, dl_iterate_phdr */
#include "agent/executorch/stamps.h"

#include <dlfcn.h>
#include <link.h>
#include <time.h>

#include "agent/executorch/kernel_calls.h"
#include "agent/trace/marks.h"
#include "agent/trace/recorder.h"

enum { MAX_STAMPS = 1 << 16 };

/* This function copies the delegate's stamps into events: tracing, not inference. */
#define SUBMIT_TRACE                                                                               \
    "_ZN10executorch8backends7xnnpack8delegate9profiling11XNNProfiler12submit_traceEv"

static uintptr_t code_begin, code_end;         /* of the delegate */
static uintptr_t watched_begin, watched_bytes; /* the same while stamps are taken, else nothing */
static struct sl_recorder *clock_of;
static struct sl_stamp stamps[MAX_STAMPS];
static size_t stamp_count;
static sl_stamps_fn told_each;
static void *told_user;
static const uint64_t second_ns = 1000000000;
static uint64_t told_ns; /* the time that the delegate was told last */
static bool paused;
static void (*real_submit)(void *profiler);

static int real_clock(clockid_t id, struct timespec *out)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(id, out);
}

int clock_gettime(clockid_t id, struct timespec *out)
{
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (caller - watched_begin >= watched_bytes) /* all that the delegate's operators pay for */
        return real_clock(id, out);
    sl_mark_pause();
    struct sl_stamp stamp = {.end = sl_recorder_stamp_end(clock_of)};
    int rc = real_clock(id, out);
    told_ns += SL_STAMPS_STEP_NS;
    *out = (struct timespec){.tv_sec = (time_t)(told_ns / second_ns),
                             .tv_nsec = (long)(told_ns % second_ns)};
    stamp.kernel = sl_kernel_calls_take();
    if (told_each)
        told_each(told_user, stamp_count + 1);
    stamp.begin = sl_recorder_stamp_begin(clock_of);
    if (stamp_count < MAX_STAMPS)
        stamps[stamp_count++] = stamp;
    sl_mark_resume();
    return rc;
}

void sl_submit_trace(void *profiler) __asm__(SUBMIT_TRACE);
void sl_submit_trace(void *profiler)
{
    sl_mark_pause();
    paused = true;
    real_submit(profiler);
    paused = false;
    sl_mark_resume();
}

static int find_code(struct dl_phdr_info *info, size_t size, void *user)
{
    const struct link_map *map = user;
    (void)size;
    if (info->dlpi_addr != map->l_addr)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        code_begin = info->dlpi_addr + segment->p_vaddr;
        code_end = code_begin + segment->p_memsz;
    }
    return 1;
}

bool sl_stamps_open(void *delegate)
{
    struct link_map *map = NULL;
    *(void **)&real_submit = dlsym(delegate, SUBMIT_TRACE);
    if (dlinfo(delegate, RTLD_DI_LINKMAP, &map) == 0)
        dl_iterate_phdr(find_code, map);
    return code_begin != code_end && real_submit != NULL && real_submit != sl_submit_trace;
}

void sl_stamps_record(struct sl_recorder *recorder)
{
    clock_of = recorder;
    watched_begin = code_begin;
    watched_bytes = recorder ? code_end - code_begin : 0;
}

void sl_stamps_clear(void)
{
    stamp_count = 0;
}

void sl_stamps_tell(sl_stamps_fn each, void *user)
{
    told_each = each;
    told_user = user;
}

size_t sl_stamps_get(const struct sl_stamp **out)
{
    *out = stamps;
    return stamp_count;
}

bool sl_stamps_paused(void)
{
    return paused;
}
