/* tests/support/usb_lab.c: runs a program on a machine whose USB ports have phones (usb_rig.h),
 * each with a real adbd behind it.
 *
 *   usb_lab CONTROL SERIAL=tcp:HOST:PORT... -- PROGRAM [WORD...]
 *
 * A phone whose SERIAL begins with '-', which is no part of it, is not plugged in yet.
 * Lines in the fifo CONTROL: "plug N", "unplug N" (the first port is 1), "hold N" (another program
 * has the interface), "free N". Ends with the program's exit code, or 99 where what the program
 * sent broke the rules of USB. The process runs with LD_PRELOAD=libumockdev-preload.so.0. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/net/address.h"
#include "tests/support/usb_rig.h"

enum { BROKEN = 99, TICK_MS = 50 };

static struct sl_address backends[SL_USB_RIG_PORTS];
static struct sl_usb_phone phones[SL_USB_RIG_PORTS];
static char violation[256];
static volatile sig_atomic_t child;

static void must(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "usb_lab: %s\n", what);
    exit(2);
}

static void pass_on(int number)
{
    if (child > 0)
        kill(child, number);
}

static unsigned plug_all(struct sl_usb_rig *rig, char **words)
{
    unsigned port = 0;
    for (; words[port] && strcmp(words[port], "--") != 0; port++) {
        char *at = strchr(words[port], '=');
        must(at && port + 1 < SL_USB_RIG_PORTS, "SERIAL=tcp:HOST:PORT");
        *at = '\0';
        bool later = words[port][0] == '-';
        must(sl_address_parse(at + 1, &backends[port + 1], NULL) == 0, "no address");
        phones[port + 1] = (struct sl_usb_phone){
            .serial = words[port] + later, .backend = &backends[port + 1], .packet_bytes = 512};
        if (!later)
            sl_usb_rig_plug(rig, port + 1, &phones[port + 1]);
    }
    return port;
}

static void keep_violation(struct sl_usb_rig *rig, unsigned port)
{
    struct sl_usb_seen seen = sl_usb_rig_seen(rig, port);
    if (seen.violation[0] && !violation[0])
        snprintf(violation, sizeof(violation), "port %u: %s", port, seen.violation);
}

static void obey(struct sl_usb_rig *rig, const char *line, unsigned count)
{
    unsigned port = 0;
    char word[16] = "";
    must(sscanf(line, "%15s %u", word, &port) == 2 && port > 0 && port <= count, line);
    keep_violation(rig, port);
    if (strcmp(word, "plug") == 0)
        sl_usb_rig_plug(rig, port, &phones[port]);
    else if (strcmp(word, "unplug") == 0)
        sl_usb_rig_unplug(rig, port);
    else
        sl_usb_rig_fault(rig, port, strcmp(word, "hold") == 0 ? SL_USB_HELD : SL_USB_NO_FAULT);
}

static void obey_all(struct sl_usb_rig *rig, int control, unsigned count)
{
    char text[256];
    struct pollfd poll_fd = {.fd = control, .events = POLLIN};
    if (poll(&poll_fd, 1, TICK_MS) <= 0)
        return;
    ssize_t got = read(control, text, sizeof(text) - 1);
    text[got > 0 ? got : 0] = '\0';
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        obey(rig, line, count);
}

int main(int argc, char **argv)
{
    int status = 0;
    must(argc > 3, "usage: usb_lab CONTROL SERIAL=tcp:HOST:PORT... -- PROGRAM [WORD...]");
    int control = open(argv[1], O_RDWR | O_NONBLOCK | O_CLOEXEC);
    must(control >= 0, "no fifo");
    struct sl_usb_rig *rig = sl_usb_rig_new();
    unsigned count = plug_all(rig, argv + 2);
    char **program = argv + 2 + count + 1;
    must(program < argv + argc, "no program");
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    pid_t pid = fork();
    must(pid >= 0, "no process");
    if (pid == 0) {
        execv(program[0], program);
        _exit(127);
    }
    child = pid;
    while (waitpid(pid, &status, WNOHANG) == 0)
        obey_all(rig, control, count);
    for (unsigned port = 1; port <= count; port++)
        keep_violation(rig, port);
    sl_usb_rig_free(rig);
    if (violation[0])
        fprintf(stderr, "usb_lab: %s\n", violation);
    if (violation[0])
        return BROKEN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
