/* host/spec/path_stem.c */
#include "host/spec/path_stem.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"

/* Bytes of no character, and of those that steer a terminal, become '_'. */
static void clean(char *text)
{
    for (size_t len; *text; text += len) {
        const unsigned char *at = (const unsigned char *)text;
        size_t known = sl_utf8_length(at);
        len = known > 0 ? known : 1;
        if (known == 0 || sl_utf8_steers(at, len))
            memset(text, '_', len);
    }
}

void sl_path_stem(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot != out)
        *dot = '\0';
    clean(out);
    for (char *at = out; *at == '.'; at++)
        *at = '_';
}

void sl_path_title(const char *path, char *out, size_t size)
{
    sl_path_stem(path, out, size);
    const char *end = strrchr(path, '/');
    if (!end || strcmp(out, "model") != 0)
        return;
    const char *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    size_t length = (size_t)(end - begin);
    char folder[256];
    if (length == 0 || length >= sizeof(folder) || strncmp(begin, "..", length) == 0)
        return;
    /* A dot in a folder's name ends nothing: "mobilenet_v2_1.0". */
    snprintf(folder, sizeof(folder), "%.*s.", (int)length, begin);
    sl_path_stem(folder, out, size);
}

bool sl_path_is_below(const char *path)
{
    for (const char *step = path;;) {
        size_t len = strcspn(step, "/");
        if (len == 0 || (step[0] == '.' && (len == 1 || (len == 2 && step[1] == '.'))))
            return false;
        if (!step[len])
            return true;
        step += len + 1;
    }
}

bool sl_path_is_artifact(const char *path)
{
    static const char *const folders[] = {"streams/", "files/", "reference/"};
    static const char *const files[] = {"config.json", "trace.sltrace"};
    bool is = sl_path_is_below(path);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        is = is && strncmp(path, folders[i], strlen(folders[i])) != 0;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        is = is && strcmp(path, files[i]) != 0;
    return is;
}
