/* agent/probe/phone.c */
#include "agent/probe/phone.h"

#include <string.h>

/* Emulators have one serial number for all, and some boards an example of one. */
bool sl_probe_is_serial(const char *serial)
{
    return serial[0] != '\0' && strspn(serial, "0") != strlen(serial) &&
           strcmp(serial, "unknown") != 0 && strcmp(serial, "0123456789ABCDEF") != 0 &&
           strncmp(serial, "EMULATOR", 8) != 0;
}
