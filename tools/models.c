// SPDX-License-Identifier: MIT
// godwit models: which models are installed, and their cards.
#include "base/memory.h"
#include "base/output.h"
#include "model/config.h"
#include "model/task.h"
#include "store/installed.h"
#include "tools/cli.h"

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

// The first line of a card, without the mark of a heading.
static void print_title(const gw_installed *model) {
    char *card = read_card(model);
    const char *title = card ? card + strspn(card, "# ") : "";
    printf("%.*s", (int)strcspn(title, "\n"), title);
    free(card);
}

static gw_status print_model(const gw_installed *model) {
    gw_config config;
    char *path = gw_join_path(model->folder, "config.json");
    if (!path) return GW_ERR_MEMORY;
    const gw_status status = gw_config_load(path, &config);
    free(path);
    GW_TRY(status);
    printf("%s\t%.1f\t%lld\t%s\t%s\t", model->name, (double)model->bytes / 1e6, (long long)gw_config_longest(&config),
           gw_task_of(config.task)->name, model->folder);
    print_title(model);
    putchar('\n');
    gw_config_free(&config);
    return GW_OK;
}

static gw_status print_list(const gw_installed_list *list) {
    puts("name\tmegabytes\tpositions\ttask\tfolder\ttitle");
    for (int64_t i = 0; i < list->count; i++) GW_TRY(print_model(&list->model[i]));
    return GW_OK;
}

static gw_status print_card(const gw_installed_list *list, const char *name) {
    for (int64_t i = 0; i < list->count; i++) {
        if (strcmp(list->model[i].name, name) != 0) continue;
        char *card = read_card(&list->model[i]);
        if (!card) return gw_fail(GW_ERR_IO, "%s has no %s", list->model[i].folder, card_file);
        fputs(card, stdout);
        free(card);
        return GW_OK;
    }
    return gw_installed_unknown(list, name, "");
}

static gw_status run(void *arguments, char **operands, int count) {
    gw_installed_list list;
    (void)arguments;
    gw_status status = gw_installed_find(&list);
    if (status == GW_OK) status = count > 0 ? print_card(&list, operands[0]) : print_list(&list);
    gw_installed_free(&list);
    return status;
}

static const gw_option options[] = {{.help = NULL}};

const gw_command gw_command_models = {
    .name = "models",
    .group = "Models",
    .summary = "the models that are installed, and their cards",
    .usage = "[NAME]",
    .description =
        "Lists the models that other commands take by their name (-m NAME): the folders below ../share/godwit/models "
        "beside the program, and below those that GODWIT_MODELS names, joined by colons, which come first. A folder "
        "with config.json and model.safetensors is a model. With NAME the model's card is printed: what it was trained "
        "on, by which command, what it reaches and what it is not for.",
    .examples = "godwit models\n"
                "godwit models yeast\n"
                "godwit score -m yeast -f genome.fa calls.vcf.gz -o scored.vcf.gz",
    .options = options,
    .most_operands = 1,
    .run = run,
};
