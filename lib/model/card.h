// SPDX-License-Identifier: MIT
// The card of a model's folder: README.md, which begins with a few lines between "---" that say, among other things,
// "license: NAME" (the metadata of Hugging Face's model cards).
#ifndef GW_MODEL_CARD_H
#define GW_MODEL_CARD_H

#include "base/status.h"

enum { GW_LICENCE_NAME = 64 };

// Writes the card of weights that another program made and that stay under its licence.
gw_status gw_card_write(const char *folder, const char *program, const char *licence) GW_MUST_CHECK;
// The licence that a folder's card names; "" where there is no card or it names none.
gw_status gw_card_licence(const char *folder, char licence[GW_LICENCE_NAME]) GW_MUST_CHECK;

#endif
