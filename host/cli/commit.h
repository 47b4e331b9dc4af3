/* host/cli/commit.h: what the program was built from; scripts/cmake/SlCommit.cmake writes it. */
#pragma once

/* Twelve digits, "-dirty" behind them where files had changed; "unknown" outside a repository. */
extern const char sl_commit[];
