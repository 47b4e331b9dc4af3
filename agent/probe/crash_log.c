/* agent/probe/crash_log.c */
#include "agent/probe/crash_log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/bytes.h"
#include "common/base/child.h"
#include "common/base/path.h"

enum { TIMEOUT_MS = 1500, HALF_BYTES = SL_CRASH_LOG_BYTES / 2 };

static const char tombstone_word[] = "*** ***"; /* in its first line */

static bool has(const char *line, size_t len, const char *words)
{
    size_t n = strlen(words);
    for (size_t at = 0; at + n <= len; at++) {
        if (memcmp(line + at, words, n) == 0)
            return true;
    }
    return false;
}

/* The last tombstone of the text with these words in it, from its first line to where the next one
 * begins; false: none has them. The buffer is the whole system's. */
static bool find_tombstone(const char *text, size_t len, const char *words, struct sl_bytes *out)
{
    const char *end = text + len, *from = text;
    bool found = false;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline + 1 : end;
        size_t n = (size_t)(next - line);
        if (has(line, n, tombstone_word))
            from = line;
        if (has(line, n, words)) {
            found = true;
            out->data = (const uint8_t *)from;
        }
        if (found && out->data == (const uint8_t *)from)
            out->size = (size_t)(next - from);
        line = next;
    }
    return found;
}

/* Runs the program for what it prints. False: it failed, or said nothing. */
static bool ask(const char *const *argv, struct sl_child_result *result)
{
    const struct sl_child_spec spec = {.argv = argv, .timeout_ms = TIMEOUT_MS};
    if (sl_child_run(&spec, result, NULL) < 0)
        return false;
    if (result->exit_code == 0 && result->out.size > 0)
        return true;
    sl_child_fini(result);
    return false;
}

static void put(const char *title, struct sl_bytes text, struct sl_buf *out)
{
    (void)sl_buf_append(out, title, strlen(title));
    (void)sl_buf_append(out, text.data, text.size);
}

/* The last lines count. */
static void put_own(const char *const *argv, struct sl_buf *out)
{
    static const char title[] = "--- logcat of this process ---\n";
    struct sl_child_result result;
    if (!ask(argv, &result))
        return;
    size_t most = HALF_BYTES - strlen(title), len = result.out.size;
    size_t skipped = len > most ? len - most : 0;
    put(title, (struct sl_bytes){result.out.data + skipped, len - skipped}, out);
    sl_child_fini(&result);
}

/* A tombstone begins with what counts, and ends with maps. */
static void put_tombstone(const char *const *argv, pid_t pid, struct sl_buf *out)
{
    static const char title[] = "--- what Android noted of its crash ---\n";
    char words[40];
    struct sl_child_result result;
    struct sl_bytes text;
    if (!ask(argv, &result))
        return;
    snprintf(words, sizeof(words), "pid: %ld, tid: ", (long)pid);
    size_t most = HALF_BYTES - strlen(title);
    if (find_tombstone((const char *)result.out.data, result.out.size, words, &text)) {
        text.size = text.size < most ? text.size : most;
        put(title, text, out);
    }
    sl_child_fini(&result);
}

void sl_crash_log_read(const char *root, pid_t pid, uint64_t since_ms, struct sl_buf *out)
{
    char logcat[1024], by_pid[32], since[40];
    if (sl_path_join(logcat, sizeof(logcat), root, "system/bin/logcat") < 0 ||
        access(logcat, X_OK) < 0)
        return;
    snprintf(by_pid, sizeof(by_pid), "--pid=%ld", (long)pid);
    snprintf(since, sizeof(since), "%" PRIu64 ".%03u", since_ms / 1000,
             (unsigned)(since_ms % 1000));
    const char *const own[] = {logcat, "-d", "-T", since, by_pid, NULL};
    const char *const crash[] = {logcat, "-d", "-T", since, "-b", "crash", "DEBUG:*", "*:S", NULL};
    put_own(own, out);
    put_tombstone(crash, pid, out);
}
