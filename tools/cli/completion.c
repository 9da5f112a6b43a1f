// SPDX-License-Identifier: MIT
// Each shell gets the same facts in its own language: the commands, their options, and the kind of an option's value,
// from its name in the help: choices, a folder, a file, or another value.
#include "tools/cli/program.h"

#include "tools/cli/cli.h"
#include "tools/cli/common.h"
#include "tools/cli/paths.h"

#include <string.h>

typedef enum { VALUE_NONE, VALUE_FREE, VALUE_CHOICE, VALUE_FOLDER, VALUE_FILE } value_kind;

static value_kind value_of(const gw_option *o) {
    if (o->kind == GW_OPTION_FLAG || o->kind == GW_OPTION_SETS) return VALUE_NONE;
    if (o->choices) return VALUE_CHOICE;
    switch (gw_option_path(o)) {
    case GW_PATH_FOLDER: return VALUE_FOLDER;
    case GW_PATH_FILE: return VALUE_FILE;
    default: return VALUE_FREE;
    }
}

// Calls print() for every option of the command, the common ones too.
static void for_each_option(FILE *out, const gw_command *command,
                            void (*print)(FILE *, const gw_command *, const gw_option *)) {
    const gw_option *const tables[] = {command->options, gw_common_options_beside(command)};
    for (int t = 0; t < 2; t++)
        for (const gw_option *o = tables[t]; o && o->help; o++)
            if (o->kind != GW_OPTION_GROUP) print(out, command, o);
}

static void for_each_command(FILE *out, void (*print)(FILE *, const gw_command *)) {
    for (int i = 0; i < gw_program.command_count; i++) print(out, gw_program.commands[i]);
}

// The text with a backslash before each of `special`; in single quotes, so that ' becomes '\''.
static void put_escaped(FILE *out, const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\'", out);
        else if (strchr(special, *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_choices(FILE *out, const char *choices) {
    for (; *choices; choices++) fputc(*choices == '|' ? ' ' : *choices, out);
}

static void put_command_names(FILE *out) {
    for (int i = 0; i < gw_program.command_count; i++) fprintf(out, " %s", gw_program.commands[i]->name);
}

// bash: one function with a case for "command:option" that says how values are completed, and one for the command that
// lists its options.

static void bash_value(FILE *out, const gw_command *command, const gw_option *o) {
    const value_kind kind = value_of(o);
    if (kind == VALUE_NONE) return;
    fputs("    ", out);
    if (o->letter) fprintf(out, "%s:-%c%s", command->name, o->letter, o->name ? "|" : "");
    if (o->name && !gw_value_is_optional(o)) fprintf(out, "%s:--%s|", command->name, o->name);
    if (o->name) fprintf(out, "%s:--%s=", command->name, o->name);
    fputs(") ", out);
    if (kind == VALUE_CHOICE) {
        fputs("words='", out);
        put_choices(out, o->choices);
        fputs("' ;;\n", out);
    } else fputs(kind == VALUE_FREE ? ";;\n" : kind == VALUE_FOLDER ? "files=-d ;;\n" : "files=-f ;;\n", out);
}

static void bash_values(FILE *out, const gw_command *command) {
    for_each_option(out, command, bash_value);
}

static void bash_name(FILE *out, const gw_command *command, const gw_option *o) {
    (void)command;
    if (o->letter) fprintf(out, " -%c", o->letter);
    if (o->name) fprintf(out, " --%s", o->name);
}

static void bash_names(FILE *out, const gw_command *command) {
    fprintf(out, "        %s) words='", command->name);
    for_each_option(out, command, bash_name);
    fprintf(out, "' files=%s ;;\n", command->most_operands == 0 ? "" : "-f");
}

static void print_bash(FILE *out) {
    const char *name = gw_program.name;
    fprintf(out,
            "# bash completion of %s\n"
            "_%s() {\n"
            "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} words= files= joined=\n"
            "    COMPREPLY=()\n"
            "    # bash cuts \"--name=value\" in three\n"
            "    if [[ $word == = ]]; then word= joined==\n"
            "    elif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]} joined==; fi\n"
            "    case $COMP_CWORD:${COMP_WORDS[1]} in\n"
            "    1:*|2:help) option= words='",
            name, name);
    put_command_names(out);
    fputs(" help --version' ;;\n    *)\n    case ${COMP_WORDS[1]}:$option$joined in\n", out);
    for_each_command(out, bash_values);
    fputs("    *) case ${COMP_WORDS[1]} in\n", out);
    for_each_command(out, bash_names);
    fprintf(out,
            "        esac\n"
            "        if [[ $word == -* ]]; then files=; else words=; fi ;;\n"
            "    esac ;;\n"
            "    esac\n"
            "    if [[ $words ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"); fi\n"
            "    if [[ $files ]]; then\n"
            "        compopt -o filenames 2>/dev/null\n"
            "        mapfile -t COMPREPLY < <(compgen $files -- \"$word\")\n"
            "    fi\n"
            "}\n"
            "complete -F _%s %s\n",
            name, name);
}

// zsh: a list of specifications for _arguments for each command.

static void zsh_option(FILE *out, const gw_command *command, const gw_option *o) {
    (void)command;
    const bool both = o->letter && o->name, list = o->kind == GW_OPTION_LIST;
    fputs("        ", out);
    if (list) fputs("'*'", out);
    else if (both) fprintf(out, "'(-%c --%s)'", o->letter, o->name);
    const value_kind kind = value_of(o);
    const char *equals = kind == VALUE_NONE ? "" : gw_value_is_optional(o) ? "=-" : "=";
    if (both) fprintf(out, "{-%c%s,--%s%s}", o->letter, kind == VALUE_NONE ? "" : "+", o->name, equals);
    else if (o->name) fprintf(out, "--%s%s", o->name, equals);
    else fprintf(out, "-%c%s", o->letter, kind == VALUE_NONE ? "" : "+");
    fputs("'[", out);
    put_escaped(out, o->help, "]\\");
    fputc(']', out);
    if (kind != VALUE_NONE) {
        fputs(gw_value_is_optional(o) ? "::" : ":", out);
        put_escaped(out, o->value_name, "[]:\\");
        fputc(':', out);
        if (kind == VALUE_CHOICE) {
            fputc('(', out);
            put_choices(out, o->choices);
            fputc(')', out);
        } else fputs(kind == VALUE_FREE ? " " : kind == VALUE_FOLDER ? "_files -/" : "_files", out);
    }
    fputs("' \\\n", out);
}

static void zsh_command(FILE *out, const gw_command *command) {
    fprintf(out, "    %s) _arguments -s -S \\\n", command->name);
    for_each_option(out, command, zsh_option);
    fputs(command->most_operands == 0 ? "        && ret=0 ;;\n" : "        '*:file:_files' && ret=0 ;;\n", out);
}

static void zsh_summary(FILE *out, const gw_command *command) {
    fprintf(out, "        '%s:", command->name);
    put_escaped(out, command->summary, ":\\");
    fputs("'\n", out);
}

static void print_zsh(FILE *out) {
    const char *name = gw_program.name;
    fprintf(out, "#compdef %s\n# zsh completion of %s\n_%s() {\n    local ret=1\n    local -a commands=(\n", name, name,
            name);
    for_each_command(out, zsh_summary);
    fprintf(out, "        'help:commands, or one of them'\n    )\n"
                 "    if ((CURRENT == 2)) || [[ $words[2] == help ]]; then\n"
                 "        _describe command commands\n        return\n    fi\n"
                 "    shift words\n    ((CURRENT--))\n    case $words[1] in\n");
    for_each_command(out, zsh_command);
    fprintf(out,
            "    esac\n    return ret\n}\n"
            "if [[ $funcstack[1] == _%s ]]; then _%s \"$@\"; else compdef _%s %s; fi\n",
            name, name, name, name);
}

// fish: a line an option.

static void fish_option(FILE *out, const gw_command *command, const gw_option *o) {
    const value_kind kind = value_of(o);
    fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from %s'", gw_program.name, command->name);
    if (o->letter) fprintf(out, " -s %c", o->letter);
    if (o->name) fprintf(out, " -l %s", o->name);
    if (kind == VALUE_FREE) fputs(" -x", out);
    if (kind == VALUE_FILE) fputs(" -r -F", out);
    if (kind == VALUE_FOLDER) fputs(" -x -a '(__fish_complete_directories)'", out);
    if (kind == VALUE_CHOICE) {
        fprintf(out, "%s -a '", gw_value_is_optional(o) ? " -f" : " -x");
        put_choices(out, o->choices);
        fputc('\'', out);
    }
    fputs(" -d '", out);
    put_escaped(out, o->help, "\\");
    fputs("'\n", out);
}

static void fish_command(FILE *out, const gw_command *command) {
    fprintf(out, "complete -c %s -n __fish_use_subcommand -f -a %s -d '", gw_program.name, command->name);
    put_escaped(out, command->summary, "\\");
    fputs("'\n", out);
    if (command->most_operands == 0)
        fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from %s' -f\n", gw_program.name, command->name);
    for_each_option(out, command, fish_option);
}

static void print_fish(FILE *out) {
    fprintf(out, "# fish completion of %s\n", gw_program.name);
    for_each_command(out, fish_command);
    fprintf(out, "complete -c %s -n '__fish_seen_subcommand_from help' -f -a '", gw_program.name);
    put_command_names(out);
    fputs("'\n", out);
}

bool gw_print_completion(FILE *out, const char *shell) {
    static const struct {
        const char *name;
        void (*print)(FILE *);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (shell && strcmp(shell, shells[i].name) == 0) return shells[i].print(out), true;
    return false;
}
