/* host/device/adb/pair.h: makes a phone trust this user's adb key, by the code that its wireless
 * debugging shows under "Pair device with pairing code". Blocks, for SL_ADB_PAIR_S at most. */
#pragma once

struct sl_diag;

#include "host/device/adb/pair_packet.h"

enum { SL_ADB_PAIR_CODE_BYTES = 64, SL_ADB_PAIR_S = 20 };

/* `address` is ADDRESS:PORT. `name` is the phone's, as it says; "" where it says none. -EINVAL:
 * that is no code, or no address; -EACCES: the code is not the phone's; SL_E_FORMAT: what answers
 * is no phone that pairs; SL_E_TIMEOUT, -ENOMEM, -errno; all with `diag` set. The key is made where
 * there is none. */
int sl_adb_pair(const char *address, const char *code, char name[SL_ADB_PAIR_NAME_BYTES],
                struct sl_diag *diag);
