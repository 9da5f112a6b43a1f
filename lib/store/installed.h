// SPDX-License-Identifier: MIT
// Models that are known by a name: folders below those of GODWIT_MODELS, a list with colons, below the user's own
// folder
// ($XDG_DATA_HOME/godwit/models, which is ~/.local/share/godwit/models where that is not set), below
// ../share/godwit/models beside the program, and below the same beside the shared library.
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

// Calls `use` for each of these folders that may be there, in their order, until one call fails.
gw_status gw_model_folders_each(gw_status (*use)(void *context, const char *folder), void *context) GW_MUST_CHECK;
// The folder in which the user's models are put, to be freed: the first of GODWIT_MODELS, else the user's own.
gw_status gw_model_folder_of_user(char **out) GW_MUST_CHECK;

// All of them by name; of one name the first that is found. Free with gw_installed_free(), also on failure.
gw_status gw_installed_find(gw_installed_list *list) GW_MUST_CHECK;
void gw_installed_free(gw_installed_list *list);
// The error that no model of this name is installed, with the names that are and the nearest one; `also` follows the
// first words.
gw_status gw_installed_unknown(const gw_installed_list *list, const char *name, const char *also);
// *out, to be freed: the path itself where it is there or has a slash, else the folder of the model of that name. Where
// there is none the message names those that are installed.
gw_status gw_installed_path(const char *path, char **out) GW_MUST_CHECK;

// The card of a model's folder: README.md, which begins with a few lines "key: value" between "---" (the metadata of
// Hugging Face's model cards): "license", and of models that `godwit models` groups "organism", "question", which is
// what they are asked, and "worth", one measured number.

enum { GW_CARD_VALUE = 160 };

// Writes the card of weights that another program made and that stay under its licence.
gw_status gw_card_write(const char *folder, const char *program, const char *licence) GW_MUST_CHECK;
// The value that the lines before a card's text give a key; "": none.
void gw_card_value(const char *card, const char *key, char value[GW_CARD_VALUE]);
// The same of a folder; "" where there is no card too.
gw_status gw_card_read_value(const char *folder, const char *key, char value[GW_CARD_VALUE]) GW_MUST_CHECK;

#endif
