/* host/job/run_count.c */
#include "host/job/run_count.h"

#include <string.h>

#include "host/device/count_reader.h"
#include "host/job/run_progress.h"

void sl_run_count_look(struct sl_count_reader *reader, struct sl_run_progress *progress)
{
    uint64_t spans[2];
    progress->insns = sl_count_reader_counted(reader);
    if (sl_count_reader_answer(reader, spans)) {
        sl_run_progress_add(progress, spans[0], spans[1]);
        progress->pending_count--;
        memmove(progress->pending, progress->pending + 1,
                progress->pending_count * sizeof(progress->pending[0]));
    }
    if (progress->pending_count > 0)
        sl_count_reader_ask(reader, progress->pending[0].marks);
}
