/* tests/bench/noting_emulator.c: stands before the emulator and notes when each of its processes
 * began and ended.
 *
 * Lies in a directory with `real`, a link to the emulator, and appends a line "BEGAN ENDED", in
 * nanoseconds of the monotonic clock, to `times` there. The guest's environment says nothing, so it
 * finds both beside itself. */
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void note(const char *path, uint64_t began, uint64_t ended)
{
    FILE *file = fopen(path, "a");
    if (!file)
        return;
    fprintf(file, "%" PRIu64 " %" PRIu64 "\n", began, ended);
    fclose(file);
}

int main(int argc, char **argv)
{
    char folder[PATH_BYTES], real[PATH_BYTES + 8], times[PATH_BYTES + 8];
    uint64_t began = now_ns();
    int status = 0;
    ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    (void)argc;
    if (n <= 0)
        return 127;
    folder[n] = '\0';
    *strrchr(folder, '/') = '\0';
    snprintf(real, sizeof(real), "%s/real", folder);
    snprintf(times, sizeof(times), "%s/times", folder);
    pid_t child = fork();
    if (child == 0) {
        execv(real, argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 127;
    note(times, began, now_ns());
    if (WIFSIGNALED(status))
        raise(WTERMSIG(status));
    return WEXITSTATUS(status);
}
