/* host/http/peer_linux.c */
#define _GNU_SOURCE /* struct ucred */
#include "host/http/peer.h"

#include <errno.h>
#include <sys/socket.h>

int sl_http_peer_user(int fd, uint32_t *out_user)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return -errno;
    *out_user = peer.uid;
    return 0;
}
