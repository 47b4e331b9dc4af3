/* tests/unit/agent/probe/test_board.c */
#include "agent/probe/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#define TREE "sys/firmware/devicetree/base"
#define ID "0123456789abcdef0123456789abcdef"

struct board {
    bool found;
    char id[SL_PROBE_BOARD_BYTES];
};

/* The board whose files the shell writes into an empty folder. */
static struct board made_by(const char *files)
{
    char folder[] = "/tmp/sl-board-XXXXXX", command[512];
    struct board board;
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof(command), "cd %s && mkdir -p etc " TREE " && %s", folder, files);
    assert_int_equal(system(command), 0);
    board.found = sl_probe_board_read(folder, board.id);
    assert_int_equal(strlen(board.id), board.found ? SL_PROBE_BOARD_BYTES - 1 : 0);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return board;
}

#define PRINTED(model, serial)                                                                     \
    "printf '" model "\\0' >" TREE "/model && printf '" serial "\\0' >" TREE "/serial-number"

TEST(a_board_is_the_model_and_the_serial_number_of_its_device_tree)
{
    struct board one = made_by(PRINTED("Pi 5", "10000000abcd"));
    assert_true(one.found);
    assert_string_equal(one.id,
                        made_by(PRINTED("Pi 5", "10000000abcd") " && echo " ID " >etc/machine-id")
                            .id); /* a system that was copied has another one's */
    assert_string_not_equal(one.id, made_by(PRINTED("Pi 5", "10000000abce")).id);
    assert_string_not_equal(one.id, made_by(PRINTED("Pi 4", "10000000abcd")).id);
}

TEST(without_a_serial_number_of_its_own_it_is_its_systems_machine_id)
{
    struct board one = made_by("echo " ID " >etc/machine-id");
    assert_true(one.found);
    assert_string_equal(one.id,
                        made_by(PRINTED("Pi 5", "0000") " && echo " ID " >etc/machine-id").id);
    assert_string_not_equal(one.id,
                            made_by("echo f123456789abcdef0123456789abcdef >etc/machine-id").id);
    assert_string_not_equal(one.id, made_by(PRINTED("", ID)).id);
}

TEST(what_many_machines_have_is_nobodys_identity)
{
    static const char *const none[] = {":",
                                       "echo uninitialized >etc/machine-id",
                                       "echo 00000000000000000000000000000000 >etc/machine-id",
                                       "echo 0123 >etc/machine-id",
                                       "echo " ID " >etc/machine-id && mkdir -p system/bin && "
                                       ": >system/bin/getprop",
                                       PRINTED("Pi 5", "unknown"),
                                       PRINTED("Pi 5", "0123456789ABCDEF"),
                                       "head -c 9000 /dev/zero | tr '\\0' a >etc/machine-id"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_false(made_by(none[i]).found);
}
