/* agent/run/help.h: the manual of sme2lab-agent. */
#pragma once

#include <stdio.h>

void sl_help_agent(FILE *out);
