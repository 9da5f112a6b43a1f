// SPDX-License-Identifier: MIT
// Prints options by group with their current defaults, as text and as roff.
#include "tools/cli/program.h"

#include "base/parse.h"
#include "tools/cli/common.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 30, HELP_WIDTH = 100, MOST_WORDS = 120, SHOWN_EXAMPLES = 3 };

// "-n, --repeats N" into text.
static void name_option(const gw_option *o, char *text, size_t size) {
    char letter[8] = "", name[64] = "";
    if (o->letter) snprintf(letter, sizeof letter, "-%c", o->letter);
    if (o->name) snprintf(name, sizeof name, "--%s", o->name);
    const bool joined = !o->value_name || gw_value_is_optional(o);
    snprintf(text, size, "%s%s%s%s%s", o->letter ? letter : "    ", o->letter && o->name ? ", " : "", name,
             joined ? "" : " ", o->value_name ? o->value_name : "");
}

// " [10]": the live default, or nothing where there is none to show.
static void name_default(const gw_option *o, const void *defaults, char *text, size_t size) {
    text[0] = 0;
    if (!defaults) return;
    const char *field = (const char *)defaults + o->offset;
    const int64_t *integers = (const int64_t *)(const void *)field;
    const char *string;
    switch (o->kind) {
    case GW_OPTION_INT: snprintf(text, size, " [%" PRId64 "]", integers[0]); break;
    case GW_OPTION_REAL: snprintf(text, size, " [%g]", *(const double *)(const void *)field); break;
    case GW_OPTION_RANGE: snprintf(text, size, " [%" PRId64 "-%" PRId64 "]", integers[0], integers[1]); break;
    case GW_OPTION_STRING:
    case GW_OPTION_CHOICE:
        string = *(const char *const *)(const void *)field;
        if (string) snprintf(text, size, " [%s]", string);
        break;
    case GW_OPTION_LETTER:
        if (*field) snprintf(text, size, " [%c]", *field);
        break;
    case GW_OPTION_NAMED: {
        const char *choices = o->choices;
        int number = *(const int *)(const void *)field - (int)o->min;
        for (; number > 0; number--) choices += strcspn(choices, "|") + 1;
        if (number == 0) snprintf(text, size, " [%.*s]", (int)strcspn(choices, "|"), choices);
    } break;
    default: break;
    }
}

// Words of `text` wrapped at HELP_WIDTH, continuation lines indented.
static void print_wrapped(FILE *out, const char *text, int column, int indent) {
    while (*text) {
        const int length = (int)strcspn(text, " \n"), space = column > indent;
        if (column + space + length > HELP_WIDTH && column > indent) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (space) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length;
        if (*text == '\n') {
            fprintf(out, text[1] == '\n' ? "\n" : "\n%*s", indent, "");
            column = indent;
        }
        if (*text) text++;
    }
    fputc('\n', out);
}

static int count_words(const char *text, size_t length) {
    int count = 0;
    for (size_t i = 0; i < length; i++) count += !strchr(" \n", text[i]) && (i == 0 || strchr(" \n", text[i - 1]));
    return count;
}

static void print_description(FILE *out, const gw_command *command) {
    // How much of a description --help shows: the paragraphs that fit in MOST_WORDS.
    const char *description = command->description;
    size_t shown = 0, end = 0;
    while (description[end]) {
        const char *next = strstr(description + end + (end > 0 ? 2 : 0), "\n\n");
        end = next ? (size_t)(next - description) : strlen(description);
        if (count_words(description, end) > MOST_WORDS) break;
        shown = end;
    }
    char *text = strndup(command->description, shown);
    fputc('\n', out);
    if (text) print_wrapped(out, text, 0, 0);
    free(text);
    if (command->description[shown])
        fprintf(out, "\nThe manual says more: %s man %s | man -l -\n", gw_program.name, command->name);
}

static bool is_listed(const char *list, const char *name) {
    for (const char *at = list; at && name; at = gw_next_item(at, '|')) {
        const size_t length = strcspn(at, "|");
        if (strlen(name) == length && memcmp(name, at, length) == 0) return true;
    }
    return false;
}

// What is asked for.
typedef struct {
    const gw_command *command;
    const void *arguments;
    unsigned models; // kinds of the model that is named; 0: none is
    bool all;
} help_request;

// models: the kinds of model that know the option, 0: all.
static bool is_of_request(const gw_option *o, unsigned models, const help_request *r) {
    if (r->models && models && !(models & r->models)) return false;
    return gw_option_applies(o, r->command, r->arguments);
}

static bool is_shown(const gw_option *o, unsigned models, const help_request *r) {
    if (!is_of_request(o, models, r)) return false;
    if (r->all || !r->command->common || is_listed(r->command->common, o->name)) return true;
    const bool of_task = o->of && r->command->kind && r->command->kind(r->arguments);
    return of_task || (r->models & models) != 0;
}

// Those that are of what the arguments ask for, under the headings that have any. Returns how many are left out.
static int print_options(FILE *out, const gw_option *options, const help_request *r) {
    const gw_option *heading = NULL, *group = NULL; // to be printed; of the rows that follow
    int left_out = 0;
    for (const gw_option *o = options; o && o->help; o++) {
        if (o->kind == GW_OPTION_GROUP) {
            heading = group = o;
            continue;
        }
        const bool own = options == r->command->options;
        const unsigned models = o->models || !group ? o->models : group->models;
        if (own && !is_shown(o, models, r)) {
            left_out += is_of_request(o, models, r);
            continue;
        }
        if (heading) fprintf(out, "\n%s:\n", heading->help);
        heading = NULL;
        char name[128], value[256], help[1024];
        name_option(o, name, sizeof name);
        name_default(o, own ? r->command->defaults : &gw_common, value, sizeof value);
        snprintf(help, sizeof help, "%s%s%s%s%s%s", o->help, o->choices ? " (" : "", o->choices ? o->choices : "",
                 o->choices ? ")" : "", o->required ? " (required)" : "", value);
        int column = fprintf(out, "  %s", name);
        if (column >= HELP_COLUMN - 1) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%*s", HELP_COLUMN - column, "");
        print_wrapped(out, help, HELP_COLUMN, HELP_COLUMN);
    }
    return left_out;
}

static void print_examples(FILE *out, const char *examples, int most) {
    fputs("\nExamples:\n", out);
    for (int i = 0; i < most && examples; i++) {
        fprintf(out, "%.*s\n", (int)strcspn(examples, "\n"), examples);
        examples = gw_next_item(examples, '\n');
    }
}

void gw_print_help(FILE *out, const gw_command *command, const void *arguments, unsigned models, bool all) {
    const help_request request = {command, arguments, models, all};
    fprintf(out, "%s %s: %s\n\nUsage: %s %s %s\n", gw_program.name, command->name, command->summary, gw_program.name,
            command->name, command->usage);
    const bool of_kind = models || (command->kind && command->kind(arguments));
    if (command->description && (all || !of_kind)) print_description(out, command);
    if (command->options && command->options->kind != GW_OPTION_GROUP) fputc('\n', out);
    const int left_out = print_options(out, command->options, &request);
    print_options(out, gw_common_options_beside(command), &request);
    if (left_out > 0)
        fprintf(out, "\n%d more options: %s %s --help-all%s\n", left_out, gw_program.name, command->name,
                models || !command->model_kinds ? "" : "; with -m MODEL --help shows those of that model");
    if (command->examples && (all || !of_kind)) print_examples(out, command->examples, all ? INT_MAX : SHOWN_EXAMPLES);
}

void gw_print_overview(FILE *out) {
    fprintf(out, "%s %s: %s\n\nUsage: %s <command> [options]\n", gw_program.name, GW_VERSION, gw_program.summary,
            gw_program.name);
    if (gw_program.start) fprintf(out, "Start here: %s\n", gw_program.start);
    const char *group = "";
    for (int i = 0; i < gw_program.command_count; i++) {
        const gw_command *command = gw_program.commands[i];
        if (strcmp(command->group, group) != 0) {
            group = command->group;
            fprintf(out, "\n%s:\n", group);
        }
        fprintf(out, "  %-12s %s\n", command->name, command->summary);
    }
    fprintf(out, "\n'%s <command> --help' explains a command; '%s --version' names versions.\n", gw_program.name,
            gw_program.name);
}

// Text with roff's special characters escaped; a list of choices may break behind each |.
static void roff(FILE *out, const char *text) {
    for (bool line_start = true; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        if (*text == '\\') fputs("\\e", out);
        else if (*text == '-') fputs("\\-", out);
        else if (*text == '|') fputs("|\\:", out);
        else fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void roff_options(FILE *out, const gw_option *options, const void *defaults) {
    for (const gw_option *o = options; o && o->help; o++) {
        char name[128], value[256];
        if (o->kind == GW_OPTION_GROUP) {
            fprintf(out, ".SS %s\n", o->help);
            continue;
        }
        name_option(o, name, sizeof name);
        name_default(o, defaults, value, sizeof value);
        fputs(".TP\n.B ", out);
        roff(out, name + strspn(name, " "));
        fputc('\n', out);
        roff(out, o->help);
        if (o->choices) {
            fputs(" (", out);
            roff(out, o->choices);
            fputc(')', out);
        }
        roff(out, o->required ? " (required)" : value);
        fputc('\n', out);
    }
}

static const char outputs_help[] =
    "A file appears when it is whole: until then it is NAME.tmp.HOST-PROCESS, which a run that fails or is stopped "
    "removes. What a killed run left goes when the next one on that host writes the same file.";

static void roff_command(FILE *out, const gw_command *command) {
    fprintf(out, ".SH NAME\ngodwit\\-%s \\- ", command->name);
    roff(out, command->summary);
    fprintf(out, "\n.SH SYNOPSIS\n.B godwit %s\n", command->name);
    roff(out, command->usage);
    if (command->description) {
        fputs("\n.SH DESCRIPTION\n", out);
        for (const char *c = command->description; *c; c++) {
            if (c[0] == '\n' && c[1] == '\n') fputs("\n.PP", out);
            else {
                const char one[] = {*c, 0};
                roff(out, one);
            }
        }
    }
    fputs("\n.SH OPTIONS\n", out);
    roff_options(out, command->options, command->defaults);
    roff_options(out, gw_common_options_beside(command), &gw_common);
    fputs(".SH FILES\n", out);
    roff(out, outputs_help);
    fputs("\n.SH EXIT STATUS\n0 done, 1 the data or the run failed, 2 wrong usage; a run that is stopped dies by its "
          "signal.\n",
          out);
    if (command->examples) {
        fputs(".SH EXAMPLES\n.nf\n", out);
        roff(out, command->examples);
        fputs("\n.fi\n", out);
    }
    fputs(".SH SEE ALSO\n.BR godwit (1)\n", out);
}

void gw_print_man(FILE *out, const gw_command *command) {
    fprintf(out, ".TH \"GODWIT%s%s\" 1 \"\" \"godwit %s\" \"godwit manual\"\n.ad l\n", command ? "\\-" : "",
            command ? command->name : "", GW_VERSION);
    if (command) {
        roff_command(out, command);
        return;
    }
    fputs(".SH NAME\ngodwit \\- ", out);
    roff(out, gw_program.summary);
    fputs("\n.SH SYNOPSIS\n.B godwit\n.I command\n[options]\n.SH COMMANDS\n", out);
    for (int i = 0; i < gw_program.command_count; i++) {
        fprintf(out, ".TP\n.BR godwit\\-%s (1)\n", gw_program.commands[i]->name);
        roff(out, gw_program.commands[i]->summary);
        fputc('\n', out);
    }
}
