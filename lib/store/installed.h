// SPDX-License-Identifier: MIT
// Models known by name. They are in folders below those of GODWIT_MODELS (joined by colons), below the user's folder
// ($XDG_DATA_HOME/godwit/models, or ~/.local/share/godwit/models without this variable), below ../share/godwit/models
// beside the program, and below the same folder beside the shared library.
#ifndef GW_STORE_INSTALLED_H
#define GW_STORE_INSTALLED_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    char *name, *folder;
    int64_t bytes; // of its weights
} gw_installed;

typedef struct {
    gw_installed *model;
    int64_t count, capacity;
} gw_installed_list;

// Calls `use` for each of these folders, existing or not, in order, until a call fails.
gw_status gw_model_folders_each(gw_status (*use)(void *context, const char *folder), void *context) GW_MUST_CHECK;
// The folder for installing models, to be freed: the first of GODWIT_MODELS, else the user's.
gw_status gw_model_folder_of_user(char **out) GW_MUST_CHECK;

// All installed models by name; if a name occurs twice, the first. Free with gw_installed_free(), also after a failure.
gw_status gw_installed_find(gw_installed_list *list) GW_MUST_CHECK;
void gw_installed_free(gw_installed_list *list);
// Fails because no model of this name is installed. The message lists the installed names and suggests the nearest;
// `also` follows the first words.
gw_status gw_installed_unknown(const gw_installed_list *list, const char *name, const char *also);
// *out, to be freed: the path itself if it exists or has a slash, else the folder of the model with this name. If there
// is none, the message lists the installed models.
gw_status gw_installed_path(const char *path, char **out) GW_MUST_CHECK;

// The card of a model's folder: README.md. It begins with lines "key: value" between "---", the metadata of Hugging
// Face's model cards: "license"; and for models grouped by `godwit models` "organism", "question" (that the model
// answers) and "worth" (one measured number).

enum { GW_CARD_VALUE = 160 };

// Writes the card of weights that another program made, under their licence.
gw_status gw_card_write(const char *folder, const char *program, const char *licence) GW_MUST_CHECK;
// The value of a key in the lines before a card's text; "": none.
void gw_card_value(const char *card, const char *key, char value[GW_CARD_VALUE]);
// The same for a folder; "" also without a card.
gw_status gw_card_read_value(const char *folder, const char *key, char value[GW_CARD_VALUE]) GW_MUST_CHECK;

#endif
