/* agent/executorch/main.c: sme2lab-agent-executorch: the verb `run`, by ExecuTorch's own libraries.
 * It also has the allocator's functions, which those libraries call. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/executorch/apart.h"
#include "agent/executorch/apart_variant.h"
#include "agent/executorch/steady_heap.h"
#include "agent/run/run.h"
#include "common/base/say.h"

void *malloc(size_t bytes)
{
    return sl_steady_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return sl_steady_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return sl_steady_realloc(block, bytes);
}

void free(void *block)
{
    sl_steady_free(block);
}

void *memalign(size_t alignment, size_t bytes)
{
    return sl_steady_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return sl_steady_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    return sl_steady_posix_memalign(out, alignment, bytes);
}

int main(int argc, char **argv)
{
    sl_apart_start(sl_executorch_answer);
    if (argc > 1 && strcmp(argv[1], "version") == 0) {
        sl_say(stdout, "sme2lab-agent-executorch %s\n", SL_VERSION);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "run") == 0)
        return sl_agent_run(argc - 1, argv + 1);
    return sl_agent_run(argc, argv); /* flags alone, as executor_runner takes them */
}
