/* host/job/run_count.c */
#include "host/job/run_count.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/path.h"
#include "host/device/count_reader.h"
#include "host/job/run_progress.h"

#define FIFO_PREFIX "count-fifo-"

void sl_job_run_count_look(struct sl_count_reader *reader, struct sl_job_run_progress *progress)
{
    uint64_t spans[2];
    progress->insns = sl_count_reader_counted(reader);
    if (sl_count_reader_answer(reader, spans)) {
        sl_job_run_progress_add(progress, spans[0], spans[1]);
        progress->pending_count--;
        memmove(progress->pending, progress->pending + 1,
                progress->pending_count * sizeof(progress->pending[0]));
    }
    if (progress->pending_count > 0)
        sl_count_reader_ask(reader, progress->pending[0].marks);
}

void sl_job_run_count_fifo(const char *workdir, struct sl_run_id id, char *out, size_t size)
{
    char text[SL_RUN_ID_TEXT];
    sl_run_id_text(id, text);
    sl_path_join(out, size, workdir, FIFO_PREFIX "%s", text);
}

void sl_job_run_count_sweep(const char *workdir)
{
    DIR *folder = opendir(workdir);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, FIFO_PREFIX, sizeof(FIFO_PREFIX) - 1) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}
