// SPDX-License-Identifier: MIT
// Commands and their options as tables. The parser, --help and the man page read the same rows.
//
// A command is a file tools/<name>.c that defines `const gw_command gw_command_<name>`, and a row in commands.def. The
// options fill the command's argument struct, which starts as a copy of the defaults. Help prints these defaults.
#ifndef GW_TOOLS_CLI_CLI_H
#define GW_TOOLS_CLI_CLI_H

#include "base/option.h"
#include "base/status.h"
#include "godwit.h" // GW_VERSION

typedef struct {
    const char *name, *group; // group heading in `godwit help`
    const char *summary;      // one line
    const char *usage;        // the part behind the command's name: "-f ref.fa [options] [out]"
    const char *description;  // paragraphs for the man page; --help shows the first paragraphs, 120 words or fewer
    const char *examples;     // shell commands, one a line
    const gw_option *options; // ends with a row whose `help` is NULL
    // Long names "model|output" of the options that --help shows together with the options of the named task or model.
    // --help-all shows all options. NULL: --help shows all too.
    const char *common;
    const void *defaults; // the argument struct with its defaults
    size_t arguments_size;
    int least_operands, most_operands;                 // most < 0: any number
    bool ranks;                                        // may run as one process of several (run/ranks.h)
    gw_status (*choose_device)(const void *arguments); // called before the process meets the other ranks; NULL: not
                                                       // needed
    bool outputs_together; // the output files appear together, after a success: see gw_outputs_begin()
    // Runs the command. operands[0 .. count) are the arguments that are no options. The dispatcher prints the message
    // of a failure as "godwit <command>: <message>".
    gw_status (*run)(void *arguments, char **operands, int count);
    // For a command with several kinds of work that do not share all options (gw_option.of). kind() returns the bit of
    // the kind that the arguments request, or 0 if they name none. name_kinds() writes the options that request these
    // kinds.
    unsigned (*kind)(const void *arguments);
    void (*name_kinds)(unsigned kinds, char *text, size_t size);
    // Sets *kinds to the bits of the model that -m names (gw_option.models), or 0 without -m. A missing model is an
    // error.
    gw_status (*model_kinds)(const void *arguments, unsigned *kinds);
} gw_command;

// Fields of a command whose tables are called `options` and `defaults`. It takes `least` to `most` operands (most < 0:
// any number).
#define GW_COMMAND_TAKES(least, most)                                                                                  \
    .options = options, .defaults = &defaults, .arguments_size = sizeof defaults, .least_operands = (least),           \
    .most_operands = (most)

// Whether an option belongs to the kind of work that the arguments request.
bool gw_option_applies(const gw_option *option, const gw_command *command, const void *arguments);

// Options of every command, parsed by the dispatcher: -@/--threads, -q/--quiet, -h/--help, --help-all.
extern const gw_option gw_common_options[];
// The same options, without letters that the command uses itself. Valid until the next call.
const gw_option *gw_common_options_beside(const gw_command *command);

// Exit status of the program. GW_EXIT_AGAIN is EX_TEMPFAIL of sysexits.h: the program was asked to stop early, and the
// same command with --resume continues.
enum { GW_EXIT_DONE = 0, GW_EXIT_FAILED = 1, GW_EXIT_USAGE = 2, GW_EXIT_AGAIN = 75 };

// Parses argv (after the command's name) into `arguments`. Returns GW_EXIT_DONE, or prints the fault to stderr and
// returns GW_EXIT_USAGE. *help is set if --help was given.
int gw_parse_arguments(const gw_command *command, int argc, char **argv, void *arguments, char ***operands, int *count,
                       bool *help);

// Whether the command line gave an option for the field at `offset` of the arguments, with any value. Presets fill only
// the other fields.
bool gw_option_given(size_t offset);

// Frees the lists in `arguments`, and forgets which options were given. The texts belong to argv.
void gw_release_arguments(const gw_command *command, void *arguments);

// The command line as typed, for provenance headers: "godwit score -m model in.vcf".
const char *gw_command_line(void);

// The command line without the named options and their values. The list of names ends with a NULL name. Use this where
// a result must not depend on the name of its file. The text belongs to the program. NULL with a message if memory is
// out.
typedef struct {
    char letter; // 0: none
    const char *name;
} gw_option_name;
const char *gw_command_line_without(const gw_option_name *options);

#endif
