/* host/daemon/file_limit.c */
#include "host/daemon/file_limit.h"

#include <sys/resource.h>

#include "common/base/log.h"
#include "host/http/connection.h"

enum { OWN_FILES = 1024 }; /* devices, jobs, the store */

uint64_t sl_file_limit_raise(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 0;
    rlim_t before = limit.rlim_cur;
    if (before >= wanted) /* RLIM_INFINITY is the highest */
        return before;
    limit.rlim_cur = wanted < limit.rlim_max ? (rlim_t)wanted : limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? before : limit.rlim_cur;
}

/* With less, a crowd at the addresses takes the files that jobs need. */
void sl_file_limit_for(size_t addresses)
{
    uint64_t wanted = OWN_FILES + addresses * SL_HTTP_MAX_CONNECTIONS;
    uint64_t have = sl_file_limit_raise(wanted);
    if (have < wanted)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("few_open_files"), SL_LOG_NUMBER("limit", have),
               SL_LOG_NUMBER("wanted", wanted),
               SL_LOG_REASON("raise the hard limit of open files (ulimit -Hn)"));
}
