// SPDX-License-Identifier: MIT
// Commands and their options as tables: the parser, --help and the man page all read the same rows.
//
// A command is one file tools/<name>.c that defines `const gw_command gw_command_<name>` and a row in commands.def.
// Its options fill a struct of its own, which starts as a copy of the defaults; help prints those live defaults.
#ifndef GW_TOOLS_CLI_CLI_H
#define GW_TOOLS_CLI_CLI_H

#include "base/option.h"
#include "base/status.h"
#include "godwit.h" // GW_VERSION

typedef struct {
    const char *name, *group; // group heading in `godwit help`
    const char *summary;      // one line
    const char *usage;        // what follows the command's name: "-f ref.fa [options] [out]"
    const char *description;  // paragraphs for the man page; --help shows the first ones, 120 words or fewer
    const char *examples;     // lines of shell, each as typed
    const gw_option *options; // ends with a row whose `help` is NULL
    // Long names "model|output" of the options that --help shows beside those of the task or model that is named with
    // it; --help-all shows all. NULL: --help shows all.
    const char *common;
    const void *defaults; // the argument struct with its defaults
    size_t arguments_size;
    int least_operands, most_operands;                 // most < 0: any number
    bool ranks;                                        // it may be one process of several (run/ranks.h)
    gw_status (*choose_device)(const void *arguments); // before it meets the others, where it may be
    bool outputs_together; // the output files appear together, after a success: see gw_outputs_begin()
    // Does the work. operands[0 .. count) are what is left after the options. A failure's message is printed by the
    // dispatcher as "godwit <command>: <message>".
    gw_status (*run)(void *arguments, char **operands, int count);
    // Of a command with several kinds of work, whose options are not all of each (gw_option.of): the bit of that which
    // the arguments ask for, 0 where they do not say; and the options by which kinds of it are asked for, in words.
    unsigned (*kind)(const void *arguments);
    void (*name_kinds)(unsigned kinds, char *text, size_t size);
    // The kinds of model (gw_option.models) that -m names, 0 where it names none; fails where there is no such model.
    gw_status (*model_kinds)(const void *arguments, unsigned *kinds);
} gw_command;

// Fields of a command whose tables are called so, and how many operands it takes (most < 0: any number).
#define GW_COMMAND_TAKES(least, most)                                                                                  \
    .options = options, .defaults = &defaults, .arguments_size = sizeof defaults, .least_operands = (least),           \
    .most_operands = (most)

// Whether an option is of what the arguments ask for.
bool gw_option_applies(const gw_option *option, const gw_command *command, const void *arguments);

// Options that every command has, parsed by the dispatcher: -@/--threads, -q/--quiet, -h/--help, --help-all.
extern const gw_option gw_common_options[];
// The same without the letters that options of the command have; until the next call.
const gw_option *gw_common_options_beside(const gw_command *command);

// Exit status of the program.
// GW_EXIT_AGAIN, EX_TEMPFAIL of sysexits.h: it was asked to make way, and the same command with --resume goes on.
enum { GW_EXIT_DONE = 0, GW_EXIT_FAILED = 1, GW_EXIT_USAGE = 2, GW_EXIT_AGAIN = 75 };

// Parses argv (after the command's name) into `arguments`. Returns GW_EXIT_DONE, or GW_EXIT_USAGE after printing what
// was wrong to stderr. *help is set where help was asked for.
int gw_parse_arguments(const gw_command *command, int argc, char **argv, void *arguments, char ***operands, int *count,
                       bool *help);

// Whether an option that fills the field at `offset` of the arguments was given to the command that runs, whatever its
// value: presets fill the other fields alone.
bool gw_option_given(size_t offset);

// Frees the lists that parsing has put into `arguments`, and which options were given; the texts are argv's.
void gw_release_arguments(const gw_command *command, void *arguments);

// The command line as typed, for provenance headers: "godwit score -m model in.vcf".
const char *gw_command_line(void);

// The same without the options named, and without their values: letter and long name of each, ended by a name NULL. For
// what is to be the same whatever a result's file is called. In memory of the program; NULL with a message.
typedef struct {
    char letter; // 0: none
    const char *name;
} gw_option_name;
const char *gw_command_line_without(const gw_option_name *options);

#endif
