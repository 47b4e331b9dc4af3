/* agent/probe/board.h: which machine a Linux board is, however it is named or reached. */
#pragma once

#include <stdbool.h>

enum { SL_PROBE_BOARD_BYTES = 17 };

/* Sixteen hexadecimal digits over the model and the serial number that its device tree has, else
 * over /etc/machine-id, below `root`: neither can be read in a report. False, and "", where it has
 * neither, or one that many boards have, and for an Android, which is a phone (phone.h). */
bool sl_probe_board_read(const char *root, char out[SL_PROBE_BOARD_BYTES]);
