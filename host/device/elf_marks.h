/* host/device/elf_marks.h: finds the counting marks in the agent's ELF file. */
#pragma once

#include "common/base/bytes.h"

struct sl_count_marks;
struct sl_diag;

/* The marks are six functions of 16 bytes each, in one section named "sl_marks", in the order
 * pause, resume, begin, end, zero, one. `file` must be a little-endian ELF64 executable for AArch64
 * at fixed addresses. Returns 0, SL_E_FORMAT, SL_E_TRUNCATED, SL_E_UNSUPPORTED (another machine, a
 * relocatable or position-independent file) or SL_E_NOT_FOUND; `diag` (may be NULL) says what. */
int sl_elf_marks_find(struct sl_bytes file, struct sl_count_marks *out, struct sl_diag *diag);
