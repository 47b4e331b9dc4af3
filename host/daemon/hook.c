/* host/daemon/hook.c */
#include "host/daemon/hook.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "host/records.h"

struct hook {
    struct sl_hooks *hooks;
    struct hook *next;
    char device[SL_NAME_BYTES];
    uv_process_t process;
    uv_timer_t limit;
    bool late;
    int open_handles;
};

struct sl_hooks {
    uv_loop_t *loop;
    const char *words[SL_HOOK_MAX_WORDS];
    size_t count;
    uint32_t limit_s;
    struct hook *running; /* owned */
    uv_idle_t ending;     /* does nothing: its end comes from the loop */
    bool closing, ending_closed;
    void (*closed)(void *user);
    void *closed_user;
};

int sl_hooks_new(uv_loop_t *loop, const char *const *words, size_t count, uint32_t limit_s,
                 struct sl_hooks **out)
{
    struct sl_hooks *hooks = sl_calloc(1, sizeof(*hooks));
    if (!hooks)
        return -ENOMEM;
    hooks->loop = loop;
    hooks->limit_s = limit_s;
    hooks->count = count < SL_HOOK_MAX_WORDS ? count : SL_HOOK_MAX_WORDS;
    for (size_t i = 0; i < hooks->count; i++)
        hooks->words[i] = words[i];
    uv_idle_init(loop, &hooks->ending); /* cannot fail */
    hooks->ending.data = hooks;
    *out = hooks;
    return 0;
}

static void finish_close(struct sl_hooks *hooks)
{
    if (!hooks->closing || hooks->running || !hooks->ending_closed)
        return;
    void (*closed)(void *) = hooks->closed;
    void *user = hooks->closed_user;
    sl_free(hooks);
    closed(user);
}

static void on_closed(uv_handle_t *handle)
{
    struct hook *hook = handle->data, **at = &hook->hooks->running;
    struct sl_hooks *hooks = hook->hooks;
    if (--hook->open_handles > 0)
        return;
    while (*at != hook)
        at = &(*at)->next;
    *at = hook->next;
    sl_free(hook);
    finish_close(hooks);
}

static void close_handles(struct hook *hook)
{
    uv_close((uv_handle_t *)&hook->process, on_closed);
    uv_close((uv_handle_t *)&hook->limit, on_closed);
}

static void on_exit(uv_process_t *process, int64_t code, int signal)
{
    struct hook *hook = process->data;
    bool well = code == 0 && signal == 0;
    sl_log(well ? SL_LOG_INFO : SL_LOG_WARNING, SL_LOG_EVENT("hook_ended"),
           SL_LOG_DEVICE(hook->device), SL_LOG_NUMBER("exit_code", code),
           SL_LOG_NUMBER("signal", signal), SL_LOG_TEXT("late", hook->late ? "true" : "false"));
    close_handles(hook);
}

/* It has a process group of its own: what it started ends with it. */
static void on_limit(uv_timer_t *timer)
{
    struct hook *hook = timer->data;
    hook->late = true;
    kill(-uv_process_get_pid(&hook->process), SIGKILL);
}

static int spawn(struct hook *hook)
{
    const struct sl_hooks *hooks = hook->hooks;
    char *args[SL_HOOK_MAX_WORDS + 2] = {NULL};
    uv_stdio_container_t stdio[3] = {{.flags = UV_IGNORE},
                                     {.flags = UV_INHERIT_FD, .data.fd = 2},
                                     {.flags = UV_INHERIT_FD, .data.fd = 2}};
    for (size_t i = 0; i < hooks->count; i++)
        args[i] = (char *)(uintptr_t)hooks->words[i];
    args[hooks->count] = hook->device;
    const uv_process_options_t options = {.file = args[0],
                                          .args = args,
                                          .flags = UV_PROCESS_DETACHED,
                                          .stdio = stdio,
                                          .stdio_count = 3,
                                          .exit_cb = on_exit};
    return uv_spawn(hooks->loop, &hook->process, &options);
}

int sl_hooks_run(struct sl_hooks *hooks, const char *device)
{
    for (const struct hook *hook = hooks->running; hook; hook = hook->next)
        if (strcmp(hook->device, device) == 0)
            return SL_E_STATE;
    struct hook *hook = sl_calloc(1, sizeof(*hook));
    if (!hook)
        return -ENOMEM;
    hook->hooks = hooks;
    snprintf(hook->device, sizeof(hook->device), "%s", device);
    uv_timer_init(hooks->loop, &hook->limit); /* cannot fail */
    hook->process.data = hook->limit.data = hook;
    hook->open_handles = 2;
    hook->next = hooks->running;
    hooks->running = hook;
    int rc = spawn(hook);
    if (rc < 0)
        close_handles(hook);
    else
        uv_timer_start(&hook->limit, on_limit, (uint64_t)hooks->limit_s * 1000, 0);
    return rc;
}

static void on_ending_closed(uv_handle_t *handle)
{
    struct sl_hooks *hooks = handle->data;
    hooks->ending_closed = true;
    finish_close(hooks);
}

void sl_hooks_close(struct sl_hooks *hooks, void (*closed)(void *user), void *user)
{
    hooks->closing = true;
    hooks->closed = closed;
    hooks->closed_user = user;
    for (struct hook *hook = hooks->running; hook; hook = hook->next)
        if (!uv_is_closing((uv_handle_t *)&hook->process))
            kill(-uv_process_get_pid(&hook->process), SIGKILL);
    uv_close((uv_handle_t *)&hooks->ending, on_ending_closed);
}
