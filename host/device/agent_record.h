/* host/device/agent_record.h: what a later daemon needs to take over an agent that serves in a
 * working directory. */
#pragma once

#include <stdint.h>

#include "common/net/handshake.h"

struct sl_agent_record {
    int pid;
    uint8_t secret[SL_SECRET_BYTES];
};

/* <workdir>/agent, mode 0600. */
int sl_agent_record_write(const char *workdir, const struct sl_agent_record *record);
/* 0, the file's -errno, or SL_E_FORMAT. */
int sl_agent_record_read(const char *workdir, struct sl_agent_record *out);
void sl_agent_record_remove(const char *workdir);
