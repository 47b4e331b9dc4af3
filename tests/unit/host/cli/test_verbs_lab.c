/* tests/unit/host/cli/test_verbs_lab.c: the verbs about devices and who may use them, asked of a
 * real server: hosts, device, devices, token, doctor. */
#include <stdio.h>
#include <string.h>

#include "host/cli/exit_code.h"
#include "host/job/runner.h"
#include "tests/support/cli_case.h"
#include "tests/support/http_case.h"
#include "tests/support/test.h"

TEST_GROUP(sl_cli_case_open, sl_cli_case_close);

TEST(hosts_are_listed)
{
    SAY("hosts");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("this (here)");
    SAY("hosts", "--json");
    sl_verb_case_printed("\"name\":\"this\"");
}

TEST(devices_are_listed_and_one_is_shown)
{
    SAY("devices");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("box");
    sl_verb_case_printed("phone");
    SAY("device", "show", "box");
    sl_verb_case_printed("box (counted)\n");
    sl_verb_case_printed("  state    ready\n");
    sl_verb_case_printed("  SME2     not known yet\n");
    SAY("device", "show", "box", "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.device/1\",");
}

TEST(a_device_is_put_aside_and_taken_back)
{
    SAY("device", "quarantine", "box", "--reason", "smells");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed(
        "box is quarantined: smells: 'sme2lab device release box' brings it back\n");
    SAY("device", "show", "box");
    sl_verb_case_printed("  detail   smells: ");
    SAY("device", "release", "box", "-q");
    sl_verb_case_exited(SL_EXIT_DONE);
    assert_string_equal(sl_verb_case.out, "");
    SAY("device", "reserve", "box", "--for", "5m", "--who", "ada");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("ada");
    sl_verb_case_printed("  shell    yours: it is the machine");
    SAY("device", "reserve", "box", "--for", "5x");
    sl_verb_case_exited(SL_EXIT_USAGE);
    SAY("device", "release", "box");
    sl_verb_case_printed("box is ready");
}

/* The daemon is who reaches devices; a server without one has nobody to ask. */
TEST(a_device_that_nobody_can_reach_is_not_added)
{
    SAY("device", "add", "spare", "--kind", "counted", "--cpu", "max,sme512=on", "--tags", "a,b");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_complained("POST /api/v1/devices");
    SAY("device", "show", "spare");
    sl_verb_case_exited(SL_EXIT_USAGE);
}

static void (*serve)(void);

/* A job that the runner has begun is over at once: its device has lost the result. */
static void end_jobs(void)
{
    struct sl_http_case *server = sl_cli_case_server();
    serve();
    if (server->started_job == 0)
        return;
    sl_lab_job_ended(server->lab, server->started_job, "phone", SL_CAUSE_RESULT, "it is gone",
                     NULL);
    server->started_job = 0;
}

TEST(results_of_other_daemons_are_listed_collected_and_forgotten)
{
    sl_http_case_keep(sl_cli_case_server());
    SAY("device", "results", "phone");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("result");
    sl_verb_case_printed("other");
    sl_verb_case_printed("2.0 KiB");
    SAY("device", "results", "phone", "--json");
    sl_verb_case_printed("\"id\":\"00000000000000000000000000000007\"");
    serve = sl_verb_case.meanwhile;
    sl_verb_case.meanwhile = end_jobs;
    SAY("device", "results", "phone", "--collect", "7");
    sl_verb_case.meanwhile = serve;
    sl_verb_case_exited(SL_EXIT_FAILED);
    sl_verb_case_printed("it is gone");
    SAY("device", "results", "phone", "--forget", "8");
    sl_verb_case_exited(SL_EXIT_DONE);
    SAY("device", "results", "phone", "--json");
    sl_verb_case_printed_not("\"id\":\"00000000000000000000000000000008\"");
    SAY("device", "results", "phone", "--collect", "9");
    sl_verb_case_complained("Phone keeps no result 9");
    SAY("device", "results", "phone", "--collect", "7", "--forget", "7");
    sl_verb_case_complained("A result is collected or forgotten, not both");
    SAY("device", "results", "phone", "--forget", "7/8");
    sl_verb_case_complained("'7/8' is no number of a result");
    SAY("device", "results", "phone", "--collect", "7", "--file", "/nowhere/input.bin");
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("/nowhere/input.bin");
}

TEST(what_a_device_cannot_be_asked_is_refused_in_words)
{
    static const struct {
        const char *words[5], *complaint;
    } cases[] = {
        {{"device"}, "what to do, and the device's name"},
        {{"device", "show"}, "'device show' is not it"},
        {{"device", "polish", "box"}, "'device polish' is not it"},
        {{"device", "show", "no/name"}, "'no/name' is no name of a device"},
        {{"device", "show", "nobody"}, "nobody"},
        {{"device", "calibrate", "box"}, "no run that shows its noise"},
        {{"device", "release", "nobody"}, "nobody"},
        {{"token", "add"}, "'token add' is not it"},
        {{"token", "revoke", "x"}, "'x'"},
        {{"token", "revoke", "4711"}, "4711"},
        {{"token", "forge", "x"}, "'token forge' is not it"},
        {{"token"}, "add, list or revoke"},
        {{"token", "add", "ci", "--role", "king"}, "role"},
        {{"token", "add", "ci", "--days", "0"}, "expires_in_s"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *const *w = cases[i].words;
        SAY(w[0], w[1], w[2], w[3], w[4]);
        if (sl_verb_case.code == SL_EXIT_DONE)
            fail_msg("case %zu was taken: %s", i, sl_verb_case.out);
        sl_verb_case_complained(cases[i].complaint);
    }
}

TEST(a_token_is_shown_once_listed_and_revoked)
{
    unsigned id = 0;
    char word[16];
    SAY("token", "list");
    sl_verb_case_printed("No tokens: only the Unix socket lets anybody in.");
    SAY("token", "add", "ci", "--scopes", "read,submit", "--max-jobs", "3", "--days", "2",
        "--json");
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("\"scopes\":\"read,submit\"");
    const char *at = strstr(sl_verb_case.out, "\"id\":");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"id\":%u", &id), 1);
    SAY("token", "add", "other");
    sl_verb_case_complained("This is the only time it is shown.");
    assert_true(strlen(sl_verb_case.out) > 20);
    SAY("token", "list");
    sl_verb_case_printed("ci");
    sl_verb_case_printed("never"); /* the other's end */
    snprintf(word, sizeof(word), "%u", id);
    SAY("token", "revoke", word);
    sl_verb_case_printed("is revoked\n");
    SAY("token", "list");
    sl_verb_case_printed_not("ci ");
}

TEST(the_doctor_looks_at_the_daemon_that_is_there)
{
    SAY("doctor", "--json");
    sl_verb_case_printed("{\"schema\":\"sme2lab.doctor/1\",\"findings\":[{\"level\":");
    sl_verb_case_printed("\"name\":\"store\",\"text\":\"answers\"");
    SAY("doctor");
    sl_verb_case_printed("daemon");
    SAY("doctor", "--server", "unix:/nowhere/socket");
    sl_verb_case_exited(SL_EXIT_LAB);
    sl_verb_case_printed("missing daemon");
    SAY("doctor", "too", "much");
    sl_verb_case_exited(SL_EXIT_USAGE);
}
