/* host/store/set_aside.h: a damaged database makes room for a new one. */
#pragma once

struct sl_diag;

/* Makes a new database beside `path`, takes the rows over that can still be read (of runs those
 * alone that their directories do not tell), and only then gives the damaged one and its log other
 * names and the new one theirs: what fails or is stopped can be done again. Blocks: for start-up. 0
 * or a negative code with words. */
int sl_set_aside(const char *path, struct sl_diag *diag);

/* Gives the database `path`, if there is one, and its log the name `aside`, and `made`, which has
 * no log, its name. 0 or -errno. */
int sl_set_aside_replace(const char *path, const char *aside, const char *made);
/* Removes a database with its log. */
void sl_set_aside_remove(const char *path);
