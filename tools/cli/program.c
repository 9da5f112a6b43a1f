// SPDX-License-Identifier: MIT
// Finds the command, parses its options, runs it, and turns its status into an exit status.
#include "tools/cli/program.h"

#include "base/input_files.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/string.h"
#include "run/ranks.h"
#include "tools/cli/common.h"
#include "tools/cli/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *const *argument_list;
static int argument_count;
static gw_string command_line, shortened;
unsigned gw_grace_seconds = 5;

// A file must not get the number of a standard stream that the caller has closed (>&-): what is printed would go into
// it. /dev/null takes the number, opened the other way round, so that reading or writing the stream fails.
static void fill_closed_streams(void) {
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", modes[i]) < 0) return;
}

// Signals are taken by a thread of their own, which waits for them; all others have them blocked. A handler would put
// its frame on the stack of whichever thread it meets, and the compiled kernels of oneDNN keep data there that it
// destroys.
//
// The first signal asks running loops to stop, so that they leave through their clean exits; a second one, or one that
// no loop sees within the grace period, removes the temporaries. Either way the process then dies by that signal, as
// those who wait for it expect (a shell's loop over files ends at Ctrl-C).
static volatile sig_atomic_t signal_number;

static _Noreturn void die_by(int number) {
    sigset_t set;
    gw_outputs_discard();
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number);
}

static void *wait_for_signals(void *set) {
    int number;
    if (sigwait(set, &number) != 0) return NULL;
    signal_number = number;
    gw_interrupt();
    const struct timespec moment = {.tv_nsec = 200000000}, none = {0}, grace = {.tv_sec = gw_grace_seconds};
    nanosleep(&moment, NULL);
    while (sigtimedwait(set, NULL, &none) > 0) continue; // timeout(1) and terminals may send one signal twice
    sigtimedwait(set, NULL, &grace);
    die_by(number);
}

static void install_signals(void) {
    static sigset_t set;
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1}; // the last: schedulers before they take a node away
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue; // nohup
        sigaddset(&set, numbers[i]);
    }
    pthread_t thread;
    pthread_sigmask(SIG_BLOCK, &set, NULL); // inherited by every thread made from here on
    if (pthread_create(&thread, NULL, wait_for_signals, &set) == 0) pthread_detach(thread);
    else pthread_sigmask(SIG_UNBLOCK, &set, NULL); // without the thread a signal ends the process as by default
    signal(SIGPIPE, SIG_IGN); // a closed pipe is a write error first, so that temporaries go: finish_failed()
    signal(SIGXFSZ, SIG_IGN); // so is a file that may not grow further
}

// How many arguments from this one on are one of the options with its value: 0, 1 (-oX, --output=X) or 2.
static int option_length(const char *argument, const gw_option_name *options) {
    for (; options && options->name; options++) {
        const size_t length = strlen(options->name);
        if (options->letter && argument[0] == '-' && argument[1] == options->letter) return argument[2] ? 1 : 2;
        if (strncmp(argument, "--", 2) != 0 || strncmp(argument + 2, options->name, length) != 0) continue;
        if (argument[2 + length] == 0 || argument[2 + length] == '=') return argument[2 + length] ? 1 : 2;
    }
    return 0;
}

// The command in one line, since it goes into header lines, as a shell takes it.
static bool join_arguments(const gw_option_name *without, gw_string *line) {
    gw_string_puts(line, gw_program.name);
    for (int i = 1; i < argument_count;) {
        const int left_out = option_length(argument_list[i], without);
        if (left_out == 0) {
            gw_string_putc(line, ' ');
            gw_string_put_argument(line, argument_list[i]);
        }
        i += left_out > 0 ? left_out : 1;
    }
    return gw_string_status(line) == GW_OK;
}

const char *gw_command_line(void) {
    return command_line.data;
}

const char *gw_command_line_without(const gw_option_name *options) {
    gw_string_clear(&shortened);
    return join_arguments(options, &shortened) ? shortened.data : NULL;
}

static const gw_command *find_command(const char *name) {
    for (int i = 0; i < gw_program.command_count; i++)
        if (strcmp(gw_program.commands[i]->name, name) == 0) return gw_program.commands[i];
    return NULL;
}

static int finish_stdout(int result) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return result;
    if (errno == EPIPE) die_by(SIGPIPE);
    fprintf(stderr, "%s: cannot write standard output: %s\n", gw_program.name, strerror(errno));
    return GW_EXIT_FAILED;
}

static int unknown_command(const char *name) {
    const char *nearest = NULL;
    int least = GW_NEAREST_ANY;
    for (int i = 0; i < gw_program.command_count; i++)
        if (gw_is_nearer(name, gw_program.commands[i]->name, &least)) nearest = gw_program.commands[i]->name;
    fprintf(stderr, "%s: unknown command: %s%s%s\nTry '%s help'.\n", gw_program.name, name,
            nearest ? "; the nearest is " : "", nearest ? nearest : "", gw_program.name);
    return GW_EXIT_USAGE;
}

static int print_help_for(const char *name) {
    const gw_command *command = name ? find_command(name) : NULL;
    if (name && !command) return unknown_command(name);
    if (command) gw_print_help(stdout, command, command->defaults, 0, false);
    else gw_print_overview(stdout);
    return finish_stdout(GW_EXIT_DONE);
}

// Hidden, for the Makefile: `godwit man [command]` prints a man page, `godwit list` the commands, `godwit completion
// SHELL` what a shell reads.
static int print_for_makefile(const char *what, const char *name) {
    if (strcmp(what, "completion") == 0) {
        if (gw_print_completion(stdout, name)) return finish_stdout(GW_EXIT_DONE);
        fprintf(stderr, "%s completion: name a shell: bash, zsh or fish\n", gw_program.name);
        return GW_EXIT_USAGE;
    }
    const gw_command *command = name ? find_command(name) : NULL;
    if (name && !command) return unknown_command(name);
    if (strcmp(what, "man") == 0) gw_print_man(stdout, command);
    else
        for (int i = 0; i < gw_program.command_count; i++) puts(gw_program.commands[i]->name);
    return finish_stdout(GW_EXIT_DONE);
}

static void print_failure(const gw_command *command) {
    gw_string text = {0};
    gw_string_put_lines(&text, gw_message());
    fprintf(stderr, "%s %s: %s\n", gw_program.name, command->name, text.data && !text.failed ? text.data : "");
    gw_string_free(&text);
}

// together: of several ranks, which have said it.
static int finish_failed(const gw_command *command, gw_status status, bool together) {
    if (status == GW_ERR_PIPE) die_by(SIGPIPE);
    if (!together && (!command->ranks || gw_launched_rank() == 0)) print_failure(command);
    if (status == GW_ERR_INTERRUPTED && (together || signal_number == SIGUSR1)) return GW_EXIT_AGAIN;
    if (status == GW_ERR_INTERRUPTED && signal_number) die_by(signal_number);
    return status == GW_ERR_USAGE ? GW_EXIT_USAGE : GW_EXIT_FAILED;
}

static gw_status check_paths(const gw_command *command, const void *arguments, char *const *operands, int count) {
    GW_TRY(gw_note_inputs(command, arguments, operands, count));
    const gw_status status = gw_refuse_inputs_as_outputs(command, arguments);
    if (status == GW_OK) return gw_check_endings(command, arguments);
    return status == GW_ERR_MEMORY ? status : GW_ERR_USAGE;
}

// *together: it was one of several ranks. Rank 0 says what they fail with before any of them is gone: launchers end a
// job at the first failure that they see.
static gw_status run_on_ranks(const gw_command *command, void *arguments, char **operands, int count, bool *together) {
    gw_status status = command->choose_device(arguments);
    if (status == GW_OK) status = gw_launch_join(GW_VERSION, command_line.data, gw_common.threads);
    *together = gw_rank_count() > 1;
    if (status == GW_OK) status = command->run(arguments, operands, count);
    status = gw_ranks_agree(status);
    gw_progress_end();
    if (*together && status != GW_OK && gw_is_first_rank()) print_failure(command);
    gw_ranks_end();
    return status;
}

static int run_command(const gw_command *command, int argc, char **argv) {
    void *arguments = gw_alloc(1, (int64_t)command->arguments_size);
    if (!arguments) return finish_failed(command, GW_ERR_MEMORY, false);
    char **operands = NULL;
    int count = 0;
    bool help = false, together = false;
    int result = gw_parse_arguments(command, argc, argv, arguments, &operands, &count, &help);
    if (result == GW_EXIT_DONE && help) {
        unsigned models = 0;
        const bool all = gw_common.help_all;
        gw_common.help = gw_common.help_all = false;
        const gw_status status = command->model_kinds ? command->model_kinds(arguments, &models) : GW_OK;
        if (status == GW_OK) gw_print_help(stdout, command, arguments, models, all);
        result = status == GW_OK ? finish_stdout(GW_EXIT_DONE) : finish_failed(command, status, false);
    } else if (result == GW_EXIT_DONE) {
        if (!command->ranks || gw_launched_rank() == 0) gw_terminal_install();
        if (gw_common.threads > 0) gw_set_threads((int)gw_common.threads);
        if (command->outputs_together) gw_outputs_begin();
        gw_status status = check_paths(command, arguments, operands, count);
        if (status == GW_OK && command->ranks) status = run_on_ranks(command, arguments, operands, count, &together);
        else if (status == GW_OK) status = command->run(arguments, operands, count);
        if (command->outputs_together) status = gw_outputs_end(status);
        gw_progress_end();
        result = status == GW_OK ? finish_stdout(GW_EXIT_DONE) : finish_failed(command, status, together);
    }
    gw_outputs_discard();
    gw_input_files_forget();
    free(operands);
    gw_release_arguments(command, arguments);
    free(arguments);
    return result;
}

// libgomp's threads wait for work by spinning for milliseconds, which on a machine with other work takes the time from
// the very threads they wait for (measured: a small model trains four times slower). Where they sleep at once they are
// woken hundreds of times for each token that a decoder writes. It reads the limit when it is loaded, so the program
// starts itself again with one of less than a millisecond, unless the user has chosen (as one does under valgrind,
// where /proc/self/exe is another program).
static void wait_politely(char **argv) {
    char self[4096];
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY")) return;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1); // by its own name, not as "exe"
    if (length <= 0) return;
    self[length] = 0;
    if (setenv("GOMP_SPINCOUNT", "10000", 1) == 0) execv(self, argv);
}

int gw_program_main(const gw_program_description *program, int argc, char **argv) {
    gw_program = *program;
    fill_closed_streams();
    wait_politely(argv);
    install_signals();
    argument_list = argv;
    argument_count = argc;
    if (!join_arguments(NULL, &command_line)) {
        fprintf(stderr, "%s: %s\n", gw_program.name, gw_message());
        return GW_EXIT_FAILED;
    }
    const char *name = argc > 1 ? argv[1] : NULL;
    int result;
    if (!name) {
        gw_print_overview(stderr);
        result = GW_EXIT_USAGE;
    } else if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        gw_program.print_version(stdout);
        result = finish_stdout(GW_EXIT_DONE);
    } else if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        result = print_help_for(argc > 2 ? argv[2] : NULL);
    } else if (strcmp(name, "man") == 0 || strcmp(name, "list") == 0 || strcmp(name, "completion") == 0) {
        result = print_for_makefile(name, argc > 2 ? argv[2] : NULL);
    } else {
        const gw_command *command = find_command(name);
        result = command ? run_command(command, argc - 2, argv + 2) : unknown_command(name);
    }
    gw_string_free(&command_line);
    gw_string_free(&shortened);
    return result;
}
