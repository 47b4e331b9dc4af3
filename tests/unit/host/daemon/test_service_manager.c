/* tests/unit/host/daemon/test_service_manager.c */
#include "host/daemon/service_manager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/unit.h"

/* A socket as systemd has it, by an abstract name that the variable writes with '@'. */
static int open_manager(void)
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    char name[64];
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    int len = snprintf(name, sizeof(name), "@sl-service-test-%ld", (long)getpid());
    memcpy(own.sun_path, name, (size_t)len);
    own.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len);
    assert_int_equal(bind(fd, (const struct sockaddr *)&own, size), 0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

TEST(state_arrives_as_it_was_told)
{
    char said[64];
    int fd = open_manager();
    sl_service_tell("READY=1");
    ssize_t len = recv(fd, said, sizeof(said), MSG_DONTWAIT);
    assert_int_equal(len, 7);
    assert_memory_equal(said, "READY=1", 7);
    close(fd);
    sl_service_tell("STOPPING=1"); /* nobody is there: the daemon goes on */
    static const char *const nowhere[] = {"", "relative", "@"};
    for (size_t i = 0; i < 3; i++) {
        setenv("NOTIFY_SOCKET", nowhere[i], 1);
        sl_service_tell("READY=1");
    }
    unsetenv("NOTIFY_SOCKET");
    sl_service_tell("READY=1");
}

TEST(watchdog_is_told_twice_in_its_time)
{
    char pid[24];
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    assert_int_equal(sl_service_watchdog_ms(), 0);
    setenv("WATCHDOG_USEC", "60000000", 1);
    assert_int_equal(sl_service_watchdog_ms(), 30000);
    setenv("WATCHDOG_PID", "1", 1); /* another process is meant */
    assert_int_equal(sl_service_watchdog_ms(), 0);
    snprintf(pid, sizeof(pid), "%ld", (long)getpid());
    setenv("WATCHDOG_PID", pid, 1);
    assert_int_equal(sl_service_watchdog_ms(), 30000);
    static const char *const none[] = {"0", "-5", "soon", "99999999999999999999"};
    for (size_t i = 0; i < 4; i++) {
        setenv("WATCHDOG_USEC", none[i], 1);
        assert_int_equal(sl_service_watchdog_ms(), 0);
    }
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}
