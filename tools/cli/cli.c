// SPDX-License-Identifier: MIT
// Options by table. Long options take "--name value" and "--name=value"; letters take "-x value" and "-xvalue", and
// flags may be joined; "--" ends the options; options and operands may be mixed.
#include "tools/cli/cli.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/parse.h"
#include "tools/cli/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const gw_option gw_common_options[] = {
    {GW_OPTION_GROUP, .help = "Common"},
    {GW_OPTION_INT, '@', "threads", "N", offsetof(gw_common_arguments, threads), "threads to compute with (0: all)",
     .min = 0, .max = 4096},
    {GW_OPTION_FLAG, 'q', "quiet", NULL, offsetof(gw_common_arguments, quiet), "no progress, no notes; warnings stay"},
    {GW_OPTION_FLAG, 'h', "help", NULL, offsetof(gw_common_arguments, help),
     "print the common options (-m, --task: and those of that kind)"},
    {GW_OPTION_FLAG, 0, "help-all", NULL, offsetof(gw_common_arguments, help_all), "print all options"},
    {.help = NULL},
};

gw_common_arguments gw_common;
gw_program_description gw_program;

static bool *given; // [arguments_size] of the command that runs: whether an option filled the field that begins there
static size_t given_size;

typedef struct {
    const gw_option *option;
    char *target; // address of the field
    bool own;     // of the command, not of gw_common_options
    bool old;     // by the name that it had
} found_option;

static bool is_called(const char *name, const char *text, size_t length) {
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

static found_option find_in(const gw_option *options, void *base, const char *name, size_t length, char letter) {
    for (const gw_option *o = options; o && o->help; o++) {
        if (o->kind == GW_OPTION_GROUP) continue;
        const bool old = name && is_called(o->alias, name, length);
        const bool match = name ? old || is_called(o->name, name, length) : o->letter == letter;
        if (match) return (found_option){.option = o, .target = base ? (char *)base + o->offset : NULL, .old = old};
    }
    return (found_option){0};
}

static found_option find_option(const gw_command *command, void *arguments, const char *name, size_t length,
                                char letter) {
    found_option own = find_in(command->options, arguments, name, length, letter);
    own.own = own.option != NULL;
    return own.own ? own : find_in(gw_common_options, &gw_common, name, length, letter);
}

const gw_option *gw_common_options_beside(const gw_command *command) {
    static gw_option options[sizeof gw_common_options / sizeof *gw_common_options];
    memcpy(options, gw_common_options, sizeof options);
    for (gw_option *o = options; o->help; o++)
        if (o->letter && find_in(command->options, NULL, NULL, 0, o->letter).option) o->letter = 0;
    return options;
}

static gw_status store_choice(const gw_option *o, char *target, const char *value) {
    const size_t length = strlen(value);
    int number = (int)o->min;
    if (length == 0 && gw_value_is_optional(o)) {
        *(const char **)(void *)target = "";
        return GW_OK;
    }
    for (const char *c = o->choices; c; c = gw_next_item(c, '|'), number++) {
        if (!is_called(value, c, strcspn(c, "|"))) continue;
        if (o->kind == GW_OPTION_NAMED) *(int *)(void *)target = number;
        else if (o->kind == GW_OPTION_LETTER) *target = *value;
        else *(const char **)(void *)target = value;
        return GW_OK;
    }
    return gw_fail(GW_ERR_FORMAT, "'%s' is not one of %s", value, o->choices);
}

static gw_status store(const gw_option *o, char *target, const char *value) {
    switch (o->kind) {
    case GW_OPTION_FLAG: *(bool *)(void *)target = true; return GW_OK;
    case GW_OPTION_SETS: *(int *)(void *)target = (int)o->min; return GW_OK;
    case GW_OPTION_STRING: *(const char **)(void *)target = value; return GW_OK;
    case GW_OPTION_LIST: {
        gw_string_list *list = (gw_string_list *)(void *)target;
        const char **items = gw_alloc(list->count + 1, sizeof *items);
        if (!items) return GW_ERR_MEMORY;
        for (int i = 0; i < list->count; i++) items[i] = list->items[i];
        items[list->count] = value;
        free((void *)list->items);
        *list = (gw_string_list){items, list->count + 1};
        return GW_OK;
    }
    case GW_OPTION_CHOICE:
    case GW_OPTION_LETTER:
    case GW_OPTION_NAMED: return store_choice(o, target, value);
    default: {
        const bool bounded = o->min != 0 || o->max != 0;
        const int64_t low = bounded ? (int64_t)o->min : INT64_MIN, high = bounded ? (int64_t)o->max : INT64_MAX;
        if (o->kind == GW_OPTION_INT) return gw_parse_int(value, low, high, (int64_t *)(void *)target);
        if (o->kind == GW_OPTION_RANGE) return gw_parse_range(value, low, high, (int64_t *)(void *)target);
        return gw_parse_double(value, bounded ? o->min : -1e300, bounded ? o->max : 1e300, (double *)(void *)target);
    }
    }
}

static int complain(const gw_command *command, const char *what, const char *which) {
    fprintf(stderr, "%s %s: %s%s\nTry '%s %s --help'.\n", gw_program.name, command->name, what, which, gw_program.name,
            command->name);
    return GW_EXIT_USAGE;
}

// `shown` is not an option; `name` is what it may be a mistaken long name by.
static int complain_of_unknown(const gw_command *command, const char *shown, const char *name) {
    char text[256];
    // The long option of the command that a mistaken one is nearest to; NULL: none is near.
    const gw_option *const tables[] = {command->options, gw_common_options};
    const char *nearest = NULL;
    int least = GW_NEAREST_ANY;
    for (int t = 0; t < 2; t++)
        for (const gw_option *o = tables[t]; o && o->help; o++)
            if (o->name && gw_is_nearer(name, o->name, &least)) nearest = o->name;
    if (!nearest) return complain(command, "unknown option: ", shown);
    snprintf(text, sizeof text, "%.100s; the nearest is --%s", shown, nearest);
    return complain(command, "unknown option: ", text);
}

typedef struct {
    const gw_command *command;
    int argc, at;
    char **argv;
    void *arguments;
} parse_state;

static bool is_flag(const gw_option *o) {
    return o->kind == GW_OPTION_FLAG || o->kind == GW_OPTION_SETS;
}

// Whether this option of the command was given, of those that set one field this one.
static bool was_given(const gw_option *o, const void *arguments) {
    if (o->kind == GW_OPTION_GROUP || !given[o->offset]) return false;
    return o->kind != GW_OPTION_SETS ||
           *(const int *)(const void *)((const char *)arguments + o->offset) == (int)o->min;
}

// Another flag that has set the same field; NULL: none.
static const gw_option *find_excluded(const parse_state *p, const found_option found) {
    if (!found.own || found.option->kind != GW_OPTION_SETS) return NULL;
    for (const gw_option *o = p->command->options; o->help; o++)
        if (o->offset == found.option->offset && o != found.option && was_given(o, p->arguments)) return o;
    return NULL;
}

// Stores one option whose value is `joined` or the next argument.
static int take(parse_state *p, const found_option found, const char *shown, const char *joined) {
    const char *value = joined;
    if (is_flag(found.option)) {
        if (joined) return complain(p->command, "this option takes no value: ", shown);
    } else if (!value && gw_value_is_optional(found.option)) {
        value = ""; // only "--name=value" gives it one
    } else if (!value) {
        if (++p->at >= p->argc) return complain(p->command, "this option needs a value: ", shown);
        value = p->argv[p->at];
    }
    const gw_option *excluded = find_excluded(p, found);
    if (excluded) {
        fprintf(stderr, "%s %s: --%s and --%s exclude each other\n", gw_program.name, p->command->name, excluded->name,
                found.option->name);
        return GW_EXIT_USAGE;
    }
    const gw_status status = store(found.option, found.target, value);
    if (status != GW_OK) {
        fprintf(stderr, "%s %s: %s: %s\n", gw_program.name, p->command->name, shown, gw_message());
        return status == GW_ERR_MEMORY ? GW_EXIT_FAILED : GW_EXIT_USAGE;
    }
    if (found.own) given[found.option->offset] = true;
    return GW_EXIT_DONE;
}

static int take_long(parse_state *p, const char *argument) {
    const char *equals = strchr(argument, '=');
    const size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const found_option found = find_option(p->command, p->arguments, argument + 2, length - 2, 0);
    if (!found.option) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length - 2, argument + 2);
        return complain_of_unknown(p->command, argument, name);
    }
    if (found.old) {
        fprintf(stderr, "%s %s: warning: --%s is called --%s; the old name is taken until version %d\n",
                gw_program.name, p->command->name, found.option->alias, found.option->name, GW_VERSION_MAJOR + 1);
    }
    return take(p, found, argument, equals ? equals + 1 : NULL);
}

static int take_letters(parse_state *p, const char *argument) {
    for (const char *c = argument + 1; *c; c++) {
        const char shown[] = {'-', *c, 0};
        const found_option found = find_option(p->command, p->arguments, NULL, 0, *c);
        if (!found.option) return complain_of_unknown(p->command, shown, argument + 1); // "-lr" for "--lr"
        const bool flag = is_flag(found.option);
        const int result = take(p, found, shown, flag || !c[1] ? NULL : c + 1);
        if (result != GW_EXIT_DONE || !flag) return result;
    }
    return GW_EXIT_DONE;
}

static bool is_of(const gw_option *option, unsigned kind) {
    return kind == 0 || option->of == 0 || option->of & kind;
}

static unsigned kind_of(const gw_command *command, const void *arguments) {
    return command->kind ? command->kind(arguments) : 0;
}

bool gw_option_applies(const gw_option *option, const gw_command *command, const void *arguments) {
    return is_of(option, option->of ? kind_of(command, arguments) : 0);
}

static int check_required(const parse_state *p) {
    const unsigned kind = kind_of(p->command, p->arguments);
    for (const gw_option *o = p->command->options; o && o->help; o++) {
        if (!o->required || gw_option_given(o->offset) || !is_of(o, kind)) continue;
        char shown[64];
        if (o->letter) snprintf(shown, sizeof shown, "-%c %s", o->letter, o->value_name);
        else snprintf(shown, sizeof shown, "--%s %s", o->name, o->value_name);
        return complain(p->command, "this option is required: ", shown);
    }
    return GW_EXIT_DONE;
}

// An option that the work has no use for is a mistake: it would be passed over in silence.
static int check_kind(const parse_state *p) {
    char takers[256];
    const unsigned kind = kind_of(p->command, p->arguments);
    for (const gw_option *o = p->command->options; o && o->help; o++) {
        if (!was_given(o, p->arguments) || is_of(o, kind)) continue;
        p->command->name_kinds(o->of, takers, sizeof takers);
        fprintf(stderr, "%s %s: --%s goes with %s\n", gw_program.name, p->command->name, o->name, takers);
        return GW_EXIT_USAGE;
    }
    return GW_EXIT_DONE;
}

int gw_parse_arguments(const gw_command *command, int argc, char **argv, void *arguments, char ***operands, int *count,
                       bool *help) {
    parse_state p = {.command = command, .argc = argc, .argv = argv, .arguments = arguments};
    memcpy(arguments, command->defaults, command->arguments_size);
    *operands = gw_alloc(argc + 1, sizeof **operands);
    *count = 0;
    given = gw_alloc((int64_t)command->arguments_size, sizeof *given);
    given_size = command->arguments_size;
    if (!*operands || !given) {
        fprintf(stderr, "%s %s: %s\n", gw_program.name, command->name, gw_message());
        return GW_EXIT_FAILED;
    }
    bool options_end = false;
    for (; p.at < argc; p.at++) {
        char *argument = argv[p.at];
        int result = GW_EXIT_DONE;
        if (options_end || argument[0] != '-' || argument[1] == 0) (*operands)[(*count)++] = argument;
        else if (strcmp(argument, "--") == 0) options_end = true;
        else if (argument[1] == '-') result = take_long(&p, argument);
        else result = take_letters(&p, argument);
        if (result != GW_EXIT_DONE) return result;
    }
    *help = gw_common.help || gw_common.help_all;
    if (*help) return GW_EXIT_DONE;
    int result = check_required(&p);
    if (result == GW_EXIT_DONE) result = check_kind(&p);
    if (result != GW_EXIT_DONE) return result;
    if (*count < command->least_operands) return complain(command, "an input file is missing", "");
    if (command->most_operands >= 0 && *count > command->most_operands)
        return complain(command, "unexpected argument: ", (*operands)[command->most_operands]);
    return GW_EXIT_DONE;
}

bool gw_option_given(size_t offset) {
    return offset < given_size && given[offset];
}

void gw_release_arguments(const gw_command *command, void *arguments) {
    for (const gw_option *o = command->options; o && o->help; o++)
        if (o->kind == GW_OPTION_LIST) free((void *)((gw_string_list *)(void *)((char *)arguments + o->offset))->items);
    free(given);
    given = NULL;
    given_size = 0;
}
