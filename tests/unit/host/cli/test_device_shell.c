/* tests/unit/host/cli/test_device_shell.c: `device reserve` on devices behind each kind of link,
 * with a program adb that says what it is asked and ends with 7. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "host/cli/exit_code.h"
#include "host/http/context.h"
#include "host/job/runner.h"
#include "tests/support/cli_case.h"
#include "tests/support/http_case.h"
#include "tests/support/test.h"

static const char *link_of_all, *path;
static struct sl_http_case *bench;

static const char *on_way(void *user, const char *name)
{
    (void)user;
    (void)name;
    return link_of_all;
}

static int open_case(void **state)
{
    static const char adb[] = "#!/bin/sh\necho \"adb $*\"\ntest \"$1\" = connect || exit 7\n";
    static char program[128];
    int rc = sl_cli_case_open(state);
    bench = sl_cli_case_server();
    bench->http->devices.way = on_way;
    path = getenv("PATH");
    snprintf(program, sizeof(program), "%s/adb", bench->folder);
    return rc + sl_buf_write_file(program, adb, sizeof(adb) - 1) + chmod(program, 0700);
}

TEST_GROUP(open_case, sl_cli_case_close);

static void reserve(const char *link, const char *option)
{
    link_of_all = link;
    setenv("PATH", bench->folder, 1);
    SAY("device", "reserve", "phone", "--for", "1h", "--who", "ann", option);
    setenv("PATH", path, 1);
}

TEST(how_to_reach_it_depends_on_the_link)
{
    static const char *const told[][2] = {
        {"adb:S1", "\n  shell    adb -s S1 shell\n"},
        {"adb-usb:usb:1-2.3", "\n  shell    adb -s usb:1-2.3 shell\n  after    adb kill-server"},
        {"adb-tcp:10.0.0.7:5555",
         "\n  shell    adb connect 10.0.0.7:5555 && adb -s 10.0.0.7:5555 shell\n"},
        {"adb:$(reboot)", "\n  shell    sme2lab device reserve phone --shell\n"},
        {"tcp:board:7070", "its agent serves at board:7070\n"},
        {"", "\n  shell    yours: it is the machine"}};
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        reserve(told[i][0], NULL);
        sl_verb_case_exited(SL_EXIT_DONE);
        sl_verb_case_printed("phone is reserved: reserved for ann until ");
        sl_verb_case_printed(told[i][1]);
    }
    reserve("adb:S1", "--json");
    sl_verb_case_printed("\"link\":\"adb:S1\"");
    sl_verb_case_printed_not("adb -s");
}

TEST(a_shell_is_adbs_own_and_its_exit_code_ours)
{
    reserve("adb:$(reboot)", "--shell");
    sl_verb_case_exited(7);
    sl_verb_case_printed("adb -s $(reboot) wait-for-device shell\n");
    reserve("adb-tcp:10.0.0.7:5555", "--shell");
    sl_verb_case_exited(7);
    sl_verb_case_printed("adb connect 10.0.0.7:5555\nadb -s 10.0.0.7:5555 shell\n");
    link_of_all = "adb:S1";
    setenv("PATH", "/nonexistent", 1);
    SAY("device", "reserve", "phone", "--shell");
    setenv("PATH", path, 1);
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("There is no program adb");
    reserve("tcp:board:7070", "--shell");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("This device has no shell over adb");
}

static void (*serve)(void);
static uint64_t asked;

/* The job ends once the command has seen that it is not the person's turn. */
static void end_job(void)
{
    serve();
    if (bench->started_job == 0 || bench->http->counts.requests[2] < asked + 2)
        return;
    sl_lab_job_ended(bench->lab, bench->started_job, "phone", SL_CAUSE_USER, "cancelled", NULL);
    bench->started_job = 0;
}

TEST(a_shell_waits_for_the_end_of_the_job)
{
    SAY("device", "release", "phone");
    assert_int_equal(
        sl_http_case_curl(bench, false, "/api/v1/jobs", "-H", "Content-Type: application/json",
                          "-d", "{\"model\":\"" SL_HTTP_CASE_MODEL "\",\"device\":\"phone\"}",
                          (const char *)NULL),
        201);
    while (bench->started_job == 0)
        uv_run(&bench->loop, UV_RUN_ONCE);
    asked = bench->http->counts.requests[2];
    serve = sl_verb_case.meanwhile;
    sl_verb_case.meanwhile = end_job;
    reserve("adb:S1", "--shell");
    sl_verb_case.meanwhile = serve;
    sl_verb_case_exited(7);
    sl_verb_case_complained("waits for the end of job ");
    sl_verb_case_printed("adb -s S1 wait-for-device shell\n");
}

TEST(one_in_quarantine_has_no_shell)
{
    SAY("device", "quarantine", "phone", "--reason", "smells");
    reserve("adb:S1", "--shell");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("The device is quarantined");
}
