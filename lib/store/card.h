// SPDX-License-Identifier: MIT
// The card of a model's folder: README.md, which begins with a few lines "key: value" between "---" (the metadata of
// Hugging Face's model cards): "license", and of models that `godwit models` groups "organism", "question", which is
// what they are asked, and "worth", one measured number.
#ifndef GW_STORE_CARD_H
#define GW_STORE_CARD_H

#include "base/status.h"

enum { GW_CARD_VALUE = 160 };

// Writes the card of weights that another program made and that stay under its licence.
gw_status gw_card_write(const char *folder, const char *program, const char *licence) GW_MUST_CHECK;
// The value that the lines before a card's text give a key; "": none.
void gw_card_value(const char *card, const char *key, char value[GW_CARD_VALUE]);
// The same of a folder; "" where there is no card too.
gw_status gw_card_read_value(const char *folder, const char *key, char value[GW_CARD_VALUE]) GW_MUST_CHECK;

#endif
