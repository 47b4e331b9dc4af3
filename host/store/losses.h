/* host/store/losses.h: rows that the database lost, and numbers that it must not give out again. */
#pragma once

struct sl_database;
struct sl_diag;
struct sl_numbers;

/* Opens the numbers beside the database `path`. Where the database is new or has lower ones than
 * were given out, its rows are made again from the directories of runs; of both the higher are kept
 * in both. The numbers move to *out. 0 or a negative code with words. */
int sl_losses_make_up(struct sl_database *db, const char *path, struct sl_numbers *out,
                      struct sl_diag *diag);
