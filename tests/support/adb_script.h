/* tests/support/adb_script.h: a peer that plays an adb server by a script: what is said to it must
 * be what the script has, byte for byte, and it answers what the script has. Of the real server
 * tests/integration/test_adb.py makes use. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct sl_adb_step {
    const char *expect; /* NULL: the connection ends here */
    const char *reply;
    size_t len;  /* of the reply; 0: all of the text */
    size_t skip; /* bytes that come before `expect` and are not looked at */
};

/* Answers one connection after the other, in a process of its own, at ADB_SERVER_SOCKET, which it
 * sets. `steps` ends with two ends of a connection. */
pid_t sl_adb_script_start(const struct sl_adb_step *steps);
/* True: all connections came, and said what they were to say. */
int sl_adb_script_end(pid_t pid);
