/* host/report/inspector_tsv.h: an ETDump as the table that ExecuTorch's Inspector saves
 * (save_data_to_tsv of ExecuTorch 1.5, nanoseconds to milliseconds), byte for byte: same rows, same
 * order of floating-point operations, same digits. */
#pragma once

struct sl_buf;
struct sl_diag;
struct sl_etdump;
struct sl_etrecord;

/* Appends the table; `record` may be NULL. Returns 0, SL_E_UNSUPPORTED where the Inspector refuses
 * the file as well (`diag` says why), SL_E_LIMIT or -ENOMEM. */
int sl_inspector_tsv(struct sl_buf *out, const struct sl_etdump *etdump,
                     const struct sl_etrecord *record, struct sl_diag *diag);

/* Appends a finite double as Python's repr() prints it. Returns as sl_buf_append(). */
int sl_python_float(struct sl_buf *out, double value);
