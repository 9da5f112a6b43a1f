// SPDX-License-Identifier: MIT
// godwit models: lists installed models, shows their cards, and installs models from elsewhere.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "fetch/catalogue.h"
#include "fetch/get_model.h"
#include "model/config.h"
#include "model/task.h"
#include "store/installed.h"
#include "tools/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char card_file[] = "README.md";

// The card's text, or NULL where there is none.
static char *read_card(const gw_installed *model) {
    char *path = gw_join_path(model->folder, card_file), *text = NULL;
    int64_t length;
    if (path && gw_file_exists(path) && gw_read_file(path, &text, &length) != GW_OK) text = NULL;
    free(path);
    return text;
}

// What the table says of a model beside its config: of whom it is asked, what, and what its answers are worth.
typedef struct {
    const gw_installed *model;
    char *card; // or NULL
    char organism[GW_CARD_VALUE], question[GW_CARD_VALUE], worth[GW_CARD_VALUE];
} described;

// Models of one organism stand together, and of these those of one question; others come last.
static int by_group(const void *a, const void *b) {
    const described *x = a, *y = b;
    if (!x->organism[0] != !y->organism[0]) return x->organism[0] ? -1 : 1;
    const int organism = strcmp(x->organism, y->organism), question = strcmp(x->question, y->question);
    return organism ? organism : question ? question : strcmp(x->model->name, y->model->name);
}

static gw_status print_model(const described *d) {
    gw_config config;
    char *path = gw_join_path(d->model->folder, "config.json");
    if (!path) return GW_ERR_MEMORY;
    const gw_status status = gw_config_load(path, &config);
    free(path);
    GW_TRY(status);
    gw_string line = {0};
    gw_string_put_field(&line, d->model->name);
    gw_string_printf(&line, "\t%.1f\t%lld\t%s\t", (double)d->model->bytes / 1e6, (long long)gw_config_longest(&config),
                     gw_task_of(config.task)->name);
    gw_string_put_field(&line, d->model->folder);
    gw_string_putc(&line, '\t');
    // The first line of a card, without the mark of a heading, behind the lines between "---" that it may begin with
    // (the metadata of Hugging Face's).
    static const char fence[] = "---\n";
    const char *title = d->card ? d->card : "";
    if (gw_has_prefix(title, fence)) {
        const char *end = strstr(title + strlen(fence) - 1, "\n---\n");
        if (end) title = end + strlen(fence) + 1;
    }
    title += strspn(title, "# \r\n");
    char *first = gw_strndup(title, strcspn(title, "\r\n"));
    if (first) gw_string_put_field(&line, first);
    else line.failed = true;
    free(first);
    const char *const values[] = {d->organism, d->question, d->worth};
    for (int i = 0; i < 3; i++) {
        gw_string_putc(&line, '\t');
        gw_string_put_field(&line, values[i]);
    }
    gw_config_free(&config);
    const gw_status built = gw_string_status(&line);
    if (built == GW_OK) puts(line.data);
    gw_string_free(&line);
    return built;
}

static gw_status print_list(const gw_installed_list *list) {
    described *rows = gw_alloc(list->count, sizeof *rows);
    if (!rows) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < list->count; i++) {
        described *d = &rows[i];
        d->model = &list->model[i];
        d->card = read_card(d->model);
        gw_card_value(d->card ? d->card : "", "organism", d->organism);
        gw_card_value(d->card ? d->card : "", "question", d->question);
        gw_card_value(d->card ? d->card : "", "worth", d->worth);
    }
    if (list->count > 1) qsort(rows, (size_t)list->count, sizeof *rows, by_group);
    puts("name\tmegabytes\tpositions\ttask\tfolder\ttitle\torganism\tquestion\tworth");
    for (int64_t i = 0; i < list->count; i++) {
        if (print_model(&rows[i]) != GW_OK) gw_warn("%s is left out: %s", rows[i].model->name, gw_message());
        free(rows[i].card);
    }
    free(rows);
    return GW_OK;
}

static gw_status print_card(const gw_installed_list *list, const char *name) {
    for (int64_t i = 0; i < list->count; i++) {
        if (strcmp(list->model[i].name, name) != 0) continue;
        char *card = read_card(&list->model[i]);
        if (!card) return gw_fail(GW_ERR_IO, "%s has no %s", list->model[i].folder, card_file);
        gw_string text = {0};
        gw_string_put_lines(&text, card);
        free(card);
        const gw_status status = gw_string_status(&text);
        if (status == GW_OK && text.data) fputs(text.data, stdout);
        gw_string_free(&text);
        return status;
    }
    return gw_installed_unknown(list, name, "");
}

typedef struct {
    gw_get_options get;
    bool available;
} models_arguments;

static const models_arguments defaults = {0};

static gw_status list_available(const gw_installed_list *installed) {
    gw_catalogue catalogue;
    const gw_status status = gw_catalogue_read(&catalogue);
    if (status == GW_OK) {
        // A line a model, whatever the number of its files.
        puts("name\tmegabytes\tinstalled\tlicence\tpurpose");
        for (int64_t i = 0, end; i < catalogue.count; i = end) {
            const gw_catalogue_row *row = &catalogue.rows[i];
            int64_t bytes = 0;
            for (end = i; end < catalogue.count && strcmp(catalogue.rows[end].name, row->name) == 0; end++)
                bytes += catalogue.rows[end].bytes;
            bool there = false;
            for (int64_t m = 0; m < installed->count; m++)
                there = there || strcmp(installed->model[m].name, row->name) == 0;
            printf("%s\t%.1f\t%s\t%s\t%s\n", row->name, (double)bytes / 1e6, there ? "yes" : "no", row->licence,
                   row->purpose);
        }
    }
    gw_catalogue_free(&catalogue);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const models_arguments *a = arguments;
    gw_installed_list list;
    if ((a->get.source != NULL) + a->available + (count > 0) > 1)
        return gw_fail(GW_ERR_USAGE, "give only one of --get, --available and a name");
    if ((a->get.as || a->get.kind || a->get.sha256 || a->get.member) && !a->get.source)
        return gw_fail(GW_ERR_USAGE, "--as, --kind, --sha256 and --member need --get");
    if (a->get.source) return gw_get_model(&a->get);
    gw_status status = gw_installed_find(&list);
    if (status == GW_OK && a->available) status = list_available(&list);
    else if (status == GW_OK) status = count > 0 ? print_card(&list, operands[0]) : print_list(&list);
    gw_installed_free(&list);
    return status;
}

// "|openspliceai|..."
static const char programs[] =
#define GW_FOREIGN(name, licence) "|" #name
#include "model/foreign.def"
#undef GW_FOREIGN
    ;

#define FIELD(name) offsetof(models_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 0, "get", "NAME", FIELD(get.source),
     "fetch a model: one that --available lists, hf:OWNER/NAME[@REVISION] of the Hugging Face hub, or a URL"},
    {GW_OPTION_STRING, 0, "as", "NAME", FIELD(get.as), "install it under this name (its own)"},
    {GW_OPTION_CHOICE, 0, "kind", "KIND", FIELD(get.kind), "of a URL: whose weights they are", .choices = programs + 1},
    {GW_OPTION_STRING, 0, "sha256", "HEX", FIELD(get.sha256), "of a URL: the file's SHA-256"},
    {GW_OPTION_STRING, 0, "member", "TEXT", FIELD(get.member),
     "of a URL of a tar archive with several networks: the one that has TEXT in its name (the first by name)"},
    {GW_OPTION_FLAG, 0, "available", NULL, FIELD(available), "list the models that --get knows by name"},
    {.help = NULL},
};

const gw_command gw_command_models = {
    .name = "models",
    .group = "Models",
    .summary = "the models that are installed, their cards, and models from elsewhere",
    .usage = "[NAME | --available | --get NAME]",
    .description =
        "Lists the models that other commands take by name (-m NAME). Models are the folders with config.json and "
        "model.safetensors below the folders of GODWIT_MODELS (joined by colons), below the user's own "
        "($XDG_DATA_HOME/godwit/models, else ~/.local/share/godwit/models) and below ../share/godwit/models beside "
        "the program. They are grouped by organism and question. worth is one measured number of the card. With "
        "NAME the model's card is printed: training data, command, figures, uses and limits.\n\n"
        "--get downloads a model, checks and converts it. It installs the model completely or not at all in the "
        "first folder of GODWIT_MODELS, else in the user's own, with a card and sources.tsv: files, URLs, sizes and "
        "SHA-256. Only --get uses the network. The same command continues an interrupted download. A model by name "
        "must have the SHA-256 in the table available.tsv of a folder of models. For a model of the hub, name a "
        "commit to get the same files again. HF_ENDPOINT is another address of the hub.",
    .examples = "godwit models\n"
                "godwit models yeast\n"
                "godwit models --available\n"
                "godwit models --get hf:AIRI-Institute/gena-lm-bigbird-base-t2t\n"
                "godwit score -m yeast -f genome.fa calls.vcf.gz -o scored.vcf.gz",
    GW_COMMAND_TAKES(0, 1),
    .run = run,
};
