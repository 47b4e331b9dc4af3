/* tests/unit/agent/serve/test_serve.c: the verb `serve`, from its words to its end. */
#include "agent/serve/serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "tests/support/verb_case.h"

static const char secret[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
static char folder[32];

static int begin(void **state)
{
    (void)state;
    sl_verb_case.program = sl_serve_main;
    sl_verb_case.name = "serve";
    sl_verb_case.input = secret;
    snprintf(folder, sizeof(folder), "/tmp/sl-serve-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

TEST_GROUP(begin, end);

TEST(help_names_every_option)
{
    static const char *const options[] = {
        "--listen",    "--connect",  "--workdir", "--secret-file", "--allow-unencrypted",
        "--spool-mib", "--blob-mib", "--self",    "--detach",      "--idle-exit"};
    SAY("--help");
    sl_verb_case_exited(0);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        sl_verb_case_printed(options[i]);
}

TEST(words_that_do_not_fit_are_refused)
{
    SAY("--workdir", folder);
    sl_verb_case_exited(2);
    sl_verb_case_complained("give --workdir and one of --listen and --connect");
    SAY("--workdir", folder, "--listen");
    sl_verb_case_exited(2);
    sl_verb_case_complained("a value is missing after --listen");
    SAY("--anything", "x");
    sl_verb_case_exited(2);
    sl_verb_case_complained("unknown option --anything");
    SAY("--spool-mib", "0");
    sl_verb_case_exited(2);
    sl_verb_case_complained("--spool-mib takes a number of MiB, not 0");
    SAY("--idle-exit", "soon");
    sl_verb_case_exited(2);
    sl_verb_case_complained("--idle-exit takes a number of seconds, not soon");
    SAY("--workdir", folder, "--connect", "tcp:127.0.0.1:1", "--detach");
    sl_verb_case_exited(2);
    sl_verb_case_complained("--detach goes with --listen");
}

TEST(without_its_secret_it_does_not_begin)
{
    SAY("--workdir", folder, "--listen", "tcp:127.0.0.1:0", "--secret-file", "/nowhere/secret");
    sl_verb_case_exited(2);
    sl_verb_case_complained("/nowhere/secret");
    sl_verb_case.input = "0001\n";
    SAY("--workdir", folder, "--listen", "tcp:127.0.0.1:0");
    sl_verb_case.input = secret;
    sl_verb_case_exited(2);
    sl_verb_case_complained("no secret on standard input");
    sl_verb_case_printed_not("listening");
}

/* The file is there, and could be read when the agent begins. */
TEST(a_path_of_the_secret_that_cannot_be_kept_is_refused)
{
    char path[600], command[1400];
    int len = snprintf(path, sizeof(path), "%s/", folder);
    while (len < 510)
        len += snprintf(path + len, sizeof(path) - (size_t)len, "./");
    snprintf(path + len, sizeof(path) - (size_t)len, "secret");
    snprintf(command, sizeof(command), "umask 077; printf %.64s > %s", secret, path);
    assert_int_equal(system(command), 0);
    SAY("--workdir", folder, "--listen", "tcp:127.0.0.1:0", "--idle-exit", "1", "--secret-file",
        path);
    sl_verb_case_exited(2);
    sl_verb_case_complained("the path of --secret-file is too long");
}

TEST(an_address_is_of_this_machine_and_free)
{
    char taken[64];
    SAY("--workdir", folder, "--listen", "tcp:192.0.2.1:7000");
    sl_verb_case_exited(2);
    sl_verb_case_complained("what is sent there is not encrypted");
    SAY("--workdir", folder, "--listen", "anywhere");
    assert_int_not_equal(sl_verb_case.code, 0);
    snprintf(taken, sizeof(taken), "unix:%s/none/socket", folder);
    SAY("--workdir", folder, "--listen", taken);
    sl_verb_case_exited(5);
    sl_verb_case_complained("cannot listen");
    sl_verb_case_complained("choose another address");
}

TEST(an_agent_without_a_host_ends_after_its_time)
{
    SAY("--workdir", folder, "--listen", "tcp:127.0.0.1:0", "--allow-unencrypted", "--idle-exit",
        "1");
    sl_verb_case_exited(0);
    sl_verb_case_printed("listening tcp:127.0.0.1:");
}

/* A process beside it that sends the signal once it serves. */
static void send_later(void)
{
    pid_t agent = getpid();
    if (fork() == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
        kill(agent, SIGTERM);
        _exit(0);
    }
}

TEST(a_signal_ends_an_agent_that_looks_for_its_host)
{
    sl_verb_case.prepare = send_later;
    SAY("--workdir", folder, "--connect", "tcp:127.0.0.1:1", "--blob-mib", "1");
    sl_verb_case.prepare = NULL;
    sl_verb_case_exited(0);
}
