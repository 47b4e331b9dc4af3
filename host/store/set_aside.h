/* host/store/set_aside.h: a damaged database makes room for a new one. */
#pragma once

struct sl_diag;

/* Gives the database `path` and its log other names beside it, makes a new one, and takes the rows
 * over that can still be read: of runs those alone that their directories do not tell. Blocks: for
 * start-up. 0 or a negative code with words. */
int sl_set_aside(const char *path, struct sl_diag *diag);
