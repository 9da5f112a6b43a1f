// SPDX-License-Identifier: MIT
// Model folders of the Hugging Face hub by its public layout of URLs: BASE/OWNER/NAME/resolve/REVISION/FILE.
#ifndef GW_FETCH_HUB_H
#define GW_FETCH_HUB_H

#include "fetch/staging.h"

#define GW_HUB_PREFIX "hf:"

typedef struct {
    char *owner, *name, *revision; // "main" where none was given
} gw_hub_model;

// "hf:OWNER/NAME" or "hf:OWNER/NAME@REVISION". To be released whatever is returned.
gw_status gw_hub_parse(const char *text, gw_hub_model *out) GW_MUST_CHECK;
void gw_hub_free(gw_hub_model *model);
// The page of the model, at the revision; free() it. BASE is HF_ENDPOINT, as for the hub's own programs, else
// https://huggingface.co.
char *gw_hub_url(const gw_hub_model *model, const char *file);
// Takes config.json, the tokenizer's files, the card and the modules of sentence-transformers that are there, and the
// weights: model.safetensors, its shards, or the same of pytorch_model.bin, each held to what the hub says of it. Files
// of a revision of 40 hexadecimal digits, a commit, are taken up where they broke off.
gw_status gw_hub_take(const gw_hub_model *model, gw_staging *staging) GW_MUST_CHECK;

#endif
