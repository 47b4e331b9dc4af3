/* tests/support/pair_case.h: a pairing service that shares no code with ours (pair_peer.c), in a
 * process of its own. The program that includes it has SL_TEST_PEER and SL_TEST_ADB. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

struct sl_pair_peer {
    pid_t pid;
    FILE *out;
    char address[32];
};

/* It takes the code, once; `lie`: see pair_peer.c, NULL: none. */
static inline struct sl_pair_peer sl_pair_peer_start(const char *code, const char *lie)
{
    static const char library[] = SL_TEST_ADB "/usr/lib/x86_64-linux-gnu/android/libcrypto.so.0";
    struct sl_pair_peer peer;
    char line[64];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    peer.pid = fork();
    assert_true(peer.pid >= 0);
    if (peer.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execl(SL_TEST_PEER, SL_TEST_PEER, library, code, lie, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    peer.out = fdopen(ends[0], "r");
    assert_non_null(fgets(line, sizeof(line), peer.out));
    snprintf(peer.address, sizeof(peer.address), "127.0.0.1:%d", atoi(line));
    return peer;
}

/* Its exit code; the second line that it printed is in `said`. */
static inline int sl_pair_peer_end(struct sl_pair_peer *peer, char *said, int size)
{
    int status;
    if (!fgets(said, size, peer->out))
        said[0] = '\0';
    fclose(peer->out);
    assert_int_equal(waitpid(peer->pid, &status, 0), peer->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
