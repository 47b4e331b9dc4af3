/* agent/serve/detach.c */
#include "agent/serve/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/path.h"

enum { PATH_BYTES = 1024, EXIT_DIED = 5, YIELD_TRIES = 30, YIELD_PAUSE_MS = 100 };

/* Who has the lock wrote its process into the file; 0: it did not. */
static pid_t holder_of(int fd)
{
    char text[16] = "";
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;
    return pid > 1 ? (pid_t)pid : 0;
}

/* Asks whoever has the lock to yield, and waits a little. True: it is had now. */
static bool ask_for_lock(int fd)
{
    const struct timespec pause = {.tv_nsec = YIELD_PAUSE_MS * 1000000};
    pid_t pid = holder_of(fd);
    bool had = false;
    if (pid == 0 || kill(pid, SL_SERVE_YIELD) < 0)
        return false;
    for (int i = 0; i < YIELD_TRIES && !had; i++) {
        nanosleep(&pause, NULL);
        had = flock(fd, LOCK_EX | LOCK_NB) == 0;
    }
    return had;
}

static int refuse_lock(int fd, const char *path, struct sl_diag *diag)
{
    long pid = (long)holder_of(fd);
    sl_diag_hint(diag, "end it with 'kill %ld', or choose another --workdir", pid);
    return sl_diag_set(diag, -EBUSY, path,
                       "another agent is at work in this directory: process %ld", pid);
}

int sl_serve_lock(const char *workdir, struct sl_diag *diag)
{
    char path[PATH_BYTES], text[16];
    int rc = sl_path_join(path, sizeof(path), workdir, "lock");
    if (rc < 0)
        return rc;
    mkdir(workdir, 0700);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return sl_diag_set(diag, -errno, path, "the lock cannot be made: %s", strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && !ask_for_lock(fd)) {
        rc = refuse_lock(fd, path, diag);
        close(fd);
        return rc;
    }
    int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)len, 0) != len)
        return 0; /* it is held all the same; nobody is told by whom */
    return 0;     /* the system closes it with the process */
}

/* The parent waits for the child's word. */
_Noreturn static void await(pid_t child, int fd)
{
    char word;
    int status = 0;
    ssize_t n;
    do
        n = read(fd, &word, 1);
    while (n < 0 && errno == EINTR);
    if (n == 1)
        _exit(0);
    waitpid(child, &status, 0);
    _exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : EXIT_DIED);
}

int sl_detach(void)
{
    int ends[2];
    if (pipe(ends) < 0)
        return -errno;
    pid_t child = fork();
    if (child < 0) {
        int rc = -errno;
        close(ends[0]);
        close(ends[1]);
        return rc;
    }
    if (child > 0) {
        close(ends[1]);
        await(child, ends[0]);
    }
    close(ends[0]);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    setsid();
    signal(SIGHUP, SIG_IGN);
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    close(null);
    return ends[1];
}

void sl_detach_ready(int pipe, const char *workdir)
{
    char path[PATH_BYTES], old[PATH_BYTES];
    struct stat info;
    int log = -1;
    if (sl_path_join(path, sizeof(path), workdir, "agent.log") == 0 &&
        sl_path_join(old, sizeof(old), workdir, "agent.log.old") == 0) {
        if (stat(path, &info) == 0 && info.st_size > SL_DETACH_LOG_BYTES)
            rename(path, old);
        log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    }
    if (log < 0)
        log = open("/dev/null", O_WRONLY);
    fflush(stdout);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(log);
    ssize_t n = write(pipe, "r", 1); /* a parent that is gone needs no word */
    (void)n;
    close(pipe);
}
