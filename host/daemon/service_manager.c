/* host/daemon/service_manager.c */
#include "host/daemon/service_manager.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/socket.h"

void sl_service_tell(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = path ? strlen(path) : 0;
    if (len == 0 || len >= sizeof(to.sun_path) || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(to.sun_path, path, len);
    if (path[0] == '@')
        to.sun_path[0] = '\0'; /* an abstract name */
    int fd = sl_socket(AF_UNIX, SOCK_DGRAM, false);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
    if (fd < 0 ||
        sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to, size) < 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("service_manager_not_told"),
               SL_LOG_TEXT("state", state), SL_LOG_REASON(strerror(errno)));
    if (fd >= 0)
        close(fd);
}

uint64_t sl_service_watchdog_ms(void)
{
    const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    uint64_t half = strtoull(usec, NULL, 10) / 2000;
    return usec[0] == '-' || half > UINT32_MAX ? 0 : half;
}
