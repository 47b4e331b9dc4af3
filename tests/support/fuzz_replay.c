/* tests/support/fuzz_replay.c: gives a fuzz target every file of the directories and files named,
 * once. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long replayed;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    /* Exactly as large as the input, so that AddressSanitizer sees one byte too many. */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    int bad = size < 0 || !data || fread(data, 1, (size_t)size, file) != (size_t)size;
    if (!bad) {
        LLVMFuzzerTestOneInput(data, (size_t)size);
        replayed++;
    }
    free(data);
    fclose(file);
    return bad;
}

static int replay(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(info.st_mode))
        return replay_file(path);
    int bad = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char child[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
        bad |= replay_file(child);
    }
    closedir(folder);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%lu inputs replayed\n", replayed);
    return bad || replayed == 0;
}
