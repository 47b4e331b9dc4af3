/* host/device/adb/listing.c */
#include "host/device/adb/listing.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/device/adb/smart_socket.h"

static const struct {
    const char *word;
    int state;
} states[] = {
    {"device", SL_ADB_ONLINE},
    {"offline", SL_ADB_OFFLINE},
    {"unauthorized", SL_ADB_UNAUTHORIZED},
    {"authorizing", SL_ADB_AUTHORIZING},
    {"connecting", SL_ADB_AUTHORIZING},
    {"no permissions", SL_ADB_NO_PERMISSIONS},
};

static const struct {
    const char *why, *fix;
} words[] = {
    [SL_ADB_ONLINE] = {"", ""},
    [SL_ADB_OFFLINE] = {"it does not answer adb", "re-plug it, or say 'adb reconnect'"},
    [SL_ADB_UNAUTHORIZED] = {"it does not trust this machine's key",
                             "unlock the phone and accept 'Allow USB debugging'"},
    [SL_ADB_AUTHORIZING] = {"it is just connecting", "wait; unlock the phone if it asks"},
    [SL_ADB_NO_PERMISSIONS] = {"this user may not open its USB device",
                               "put this line into /etc/udev/rules.d/60-sme2lab-phones.rules, and "
                               "re-plug it: " SL_ADB_UDEV_RULE},
    [SL_ADB_ELSEWHERE] = {"no Android runs on it now", "boot it into Android: 'adb reboot'"},
};

static const char no_serial[] = "(no serial number)"; /* the server's words for it */

void sl_adb_name_of(const char *serial, char *out)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t i = 0;
    for (; serial[i] && i < SL_ADB_SERIAL_BYTES - 1; i++)
        out[i] = strchr(allowed, serial[i]) && (i > 0 || serial[i] != '.') ? serial[i] : '-';
    out[i] = '\0';
}

const char *sl_adb_state_why(int state)
{
    return words[state].why;
}

const char *sl_adb_state_fix(int state)
{
    return words[state].fix;
}

static bool starts_with(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    return len >= n && memcmp(text, word, n) == 0;
}

static int state_of(const char *text, size_t len, char *said, size_t size)
{
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        size_t n = strlen(states[i].word);
        if (!starts_with(text, len, states[i].word) || (len > n && text[n] != ' '))
            continue;
        snprintf(said, size, "%s", states[i].word);
        return states[i].state;
    }
    size_t n = 0;
    while (n < len && text[n] != ' ')
        n++;
    sl_adb_printable(text, n, said, size);
    return SL_ADB_ELSEWHERE;
}

/* The value behind " name:" in the line; the last one counts, since a state is free text. */
static size_t find_field(const char *line, size_t len, const char *name, const char **out)
{
    size_t n = strlen(name), found = 0;
    for (size_t at = 0; at + n < len; at++) {
        if (memcmp(line + at, name, n) != 0)
            continue;
        size_t end = at + n;
        while (end < len && line[end] != ' ')
            end++;
        *out = line + at + n;
        found = end - at - n;
    }
    return found;
}

bool sl_adb_is_serial(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return len > 0 && len < SL_ADB_SERIAL_BYTES && text[0] != '(';
}

static bool is_port(const char *text, size_t len)
{
    size_t at = starts_with(text, len, "usb:") ? 4 : 0, hyphens = 0;
    if (at == len || text[at] < '0' || text[at] > '9' || text[len - 1] < '0')
        return false;
    for (; at < len; at++) {
        hyphens += text[at] == '-';
        if ((text[at] < '0' || text[at] > '9') && text[at] != '.' && text[at] != '-')
            return false;
    }
    return hyphens == 1 && len < SL_ADB_SERIAL_BYTES;
}

/* A word that is a port, behind the state, whose words are not; "" where there is none. */
static void find_port(const char *line, size_t len, char *out)
{
    out[0] = '\0';
    for (size_t at = 0, end; at < len; at = end + 1) {
        for (end = at; end < len && line[end] != ' ';)
            end++;
        if (is_port(line + at, end - at))
            snprintf(out, SL_ADB_SERIAL_BYTES, "%.*s", (int)(end - at), line + at);
    }
}

static bool parse_line(const char *line, size_t len, struct sl_adb_listed *out)
{
    const char *value = NULL;
    bool nameless = starts_with(line, len, no_serial);
    size_t serial = nameless ? strlen(no_serial) : 0, state;
    while (serial < len && line[serial] != ' ' && line[serial] != '\t')
        serial++;
    for (state = serial; state < len && (line[state] == ' ' || line[state] == '\t');)
        state++;
    if ((!nameless && !sl_adb_is_serial(line, serial)) || state == len)
        return false;
    *out = (struct sl_adb_listed){.state = 0};
    find_port(line + state, len - state, out->port);
    if (!nameless)
        memcpy(out->label, line, serial);
    out->state = state_of(line + state, len - state, out->said, sizeof(out->said));
    size_t n = find_field(line + state, len - state, " model:", &value);
    if (n > 0)
        sl_adb_printable(value, n, out->model, sizeof(out->model));
    n = find_field(line + state, len - state, " transport_id:", &value);
    for (size_t i = 0; i < n && i < 18 && value[i] >= '0' && value[i] <= '9'; i++)
        out->transport_id = out->transport_id * 10 + (uint64_t)(value[i] - '0');
    return !nameless || out->port[0];
}

void sl_adb_name_by_port(struct sl_adb_listed *listed, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool by_port = !listed[i].label[0];
        for (size_t j = 0; j < count && !by_port; j++)
            by_port = j != i && (strcmp(listed[i].label, listed[j].label) == 0 ||
                                 strcmp(listed[i].label, listed[j].port) == 0);
        memcpy(listed[i].serial, by_port && listed[i].port[0] ? listed[i].port : listed[i].label,
               sizeof(listed[i].serial));
    }
}

static const char *without_word(const char *port)
{
    return strncmp(port, "usb:", 4) == 0 ? port + 4 : port;
}

bool sl_adb_same_port(const char *a, const char *b)
{
    return a[0] && strcmp(without_word(a), without_word(b)) == 0;
}

bool sl_adb_same_phone(const struct sl_adb_listed *a, const struct sl_adb_listed *b)
{
    return a->port[0] && b->port[0] ? sl_adb_same_port(a->port, b->port)
                                    : strcmp(a->serial, b->serial) == 0;
}

size_t sl_adb_parse_devices(const char *text, size_t len, struct sl_adb_listed *out, size_t max)
{
    size_t count = 0;
    for (size_t at = 0; at < len && count < max;) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t n = newline ? (size_t)(newline - text) - at : len - at;
        count += parse_line(text + at, n, &out[count]);
        at += n + 1;
    }
    sl_adb_name_by_port(out, count);
    return count;
}

bool sl_adb_find_property(const char *text, size_t len, const char *name, char *out, size_t size)
{
    char head[SL_ADB_WORD_BYTES + 8];
    int n = snprintf(head, sizeof(head), "[%.64s]: [", name);
    out[0] = '\0';
    for (size_t at = 0; at < len;) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t line = newline ? (size_t)(newline - text) - at : len - at;
        if (starts_with(text + at, line, head)) {
            const char *value = text + at + n;
            size_t left = line - (size_t)n;
            while (left > 0 && (value[left - 1] == '\r' || value[left - 1] == ']'))
                left--;
            sl_adb_printable(value, left, out, size);
            return true;
        }
        at += line + 1;
    }
    return false;
}
