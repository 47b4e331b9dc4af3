/* agent/probe/crash_log.c */
#include "agent/probe/crash_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/child.h"
#include "common/base/path.h"

enum { TIMEOUT_MS = 1500, HALF_BYTES = SL_CRASH_LOG_BYTES / 2 };

/* Appends the end of what it prints under a title; only if `wanted` is there, NULL: anything. */
static void ask(const char *const *argv, const char *title, const char *wanted, struct sl_buf *out)
{
    const struct sl_child_spec spec = {.argv = argv, .timeout_ms = TIMEOUT_MS};
    struct sl_child_result result;
    if (sl_child_run(&spec, &result, NULL) < 0)
        return;
    const char *text = (const char *)result.out.data;
    size_t len = result.out.size, most = HALF_BYTES - strlen(title);
    if (result.exit_code == 0 && len > 0 && (!wanted || strstr(text, wanted))) {
        if (len > most) {
            text += len - most;
            len = most;
        }
        (void)sl_buf_append(out, title, strlen(title));
        (void)sl_buf_append(out, text, len);
    }
    sl_child_fini(&result);
}

void sl_crash_log_read(const char *root, pid_t pid, uint64_t since_ms, struct sl_buf *out)
{
    char logcat[1024], by_pid[32], since[40], named[32];
    if (sl_path_join(logcat, sizeof(logcat), root, "system/bin/logcat") < 0 ||
        access(logcat, X_OK) < 0)
        return;
    snprintf(by_pid, sizeof(by_pid), "--pid=%ld", (long)pid);
    snprintf(since, sizeof(since), "%" PRIu64 ".%03u", since_ms / 1000,
             (unsigned)(since_ms % 1000));
    snprintf(named, sizeof(named), "pid: %ld,", (long)pid); /* a tombstone's second line */
    const char *const own[] = {logcat, "-d", "-T", since, by_pid, NULL};
    const char *const crash[] = {logcat, "-d", "-T", since, "-b", "crash", "DEBUG:*", "*:S", NULL};
    ask(own, "--- logcat of this process ---\n", NULL, out);
    ask(crash, "--- what Android noted of its crash ---\n", named, out);
}
