/* common/format/etdump_slots.h: where the tables of ETDump's schema have their fields. */
#pragma once

enum { ETDUMP_VERSION = 0, ETDUMP_RUNS = 1 };
enum { RUN_NAME = 0, RUN_BUNDLED_INPUT = 1, RUN_EVENTS = 3 };
enum { EVENT_PROFILE = 0, EVENT_ALLOCATION = 1, EVENT_DEBUG = 2 };
enum { PROFILE_NAME = 0, PROFILE_CHAIN = 1, PROFILE_INSTRUCTION = 2, PROFILE_ID_INT = 3 };
enum { PROFILE_ID_STR = 4, PROFILE_METADATA = 5, PROFILE_START = 6, PROFILE_END = 7 };
enum { ALLOCATION_ALLOCATOR = 0, ALLOCATION_SIZE = 1 };
enum { DEBUG_CHAIN = 0, DEBUG_INSTRUCTION = 1, DEBUG_ENTRY = 2, DEBUG_ID_INT = 3 };
enum { DEBUG_ID_STR = 4, DEBUG_NAME = 5 };
enum { VALUE_OUTPUT = 7, BOOL_VALUE = 0 };
