/* host/http/peer_darwin.c */
#include "host/http/peer.h"

#include <errno.h>
#include <unistd.h>

int sl_http_peer_user(int fd, uint32_t *out_user)
{
    uid_t user;
    gid_t group;
    if (getpeereid(fd, &user, &group) < 0)
        return -errno;
    *out_user = user;
    return 0;
}
