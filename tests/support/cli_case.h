/* tests/support/cli_case.h: verb_case.h for `sme2lab WORD...`, and a server that it asks. */
#pragma once

#include <stdint.h>

#include "tests/support/verb_case.h"

struct sl_http_case;
struct sl_run_record;

/* Commands from here on are of `sme2lab`; `server` answers meanwhile (NULL: no daemon is named).
 * Their HOME, XDG_STATE_HOME and TMPDIR are a fresh folder, which the second removes. */
void sl_cli_case_begin(struct sl_http_case *server);
int sl_cli_case_end(void);
/* The same for the daemon of another process, at this socket. */
void sl_cli_case_begin_at(const char *path);

/* sl_http_case_add_run() of the server that sl_cli_case_open() opened. */
uint64_t sl_cli_case_add_run(const struct sl_run_record *run, const char *folder);

/* For TEST_GROUP: a server (http_case.h) that all tests of the program ask, and its end. */
int sl_cli_case_open(void **state);
int sl_cli_case_close(void **state);
struct sl_http_case *sl_cli_case_server(void);
