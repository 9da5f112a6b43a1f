// SPDX-License-Identifier: MIT
// godwit convert: model folders into safetensors, other types and architectures.
#include "model/convert.h"
#include "model/mixer.h"
#include "tools/cli/cli.h"

#include <string.h>

typedef struct {
    const char *model, *from, *out, *type, *to, *pattern;
    int64_t positions;
} convert_arguments;

static const convert_arguments defaults = {.positions = 4096};

// "|openspliceai|..."
static const char programs[] =
#define GW_FOREIGN(name, licence) "|" #name
#include "model/foreign.def"
#undef GW_FOREIGN
    ;

#define FIELD(name) offsetof(convert_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'm', "model", "MODEL", FIELD(model),
     "model folder, or a file of weights with config.json beside it; with --from the other program's file or folder",
     .required = true},
    {GW_OPTION_CHOICE, 0, "from", "PROGRAM", FIELD(from), "whose weights -m has, where they are in no model folder",
     .choices = programs + 1},
    {GW_OPTION_STRING, 'o', "out", "FOLDER", FIELD(out), "model folder to write", .required = true, .writes = true},
    {GW_OPTION_GROUP, .help = "Weights"},
    {GW_OPTION_CHOICE, 0, "dtype", "TYPE", FIELD(type), "type of the values (the one they have)",
     .choices = "f32|f16|bf16"},
    {GW_OPTION_GROUP, .help = "Architecture"},
    {GW_OPTION_CHOICE, 0, "to", "NAME", FIELD(to), "make BigBird, or one with ETC, of BERT or RoBERTa",
     .choices = "big_bird|etc"},
    {GW_OPTION_STRING, 'p', "pattern", "SPEC", FIELD(pattern), "of the one with ETC (etc:84+hard)"},
    {GW_OPTION_INT, 0, "positions", "N", FIELD(positions), "positions of the BigBird, a multiple of 64", .min = 64,
     .max = 1 << 20},
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    const convert_arguments *a = arguments;
    if (!a->to && gw_option_given(FIELD(positions))) return gw_fail(GW_ERR_USAGE, "--positions goes with --to");
    const gw_store_type type = !a->type || strcmp(a->type, "f32") == 0 ? GW_STORE_F32
                               : strcmp(a->type, "f16") == 0           ? GW_STORE_F16
                                                                       : GW_STORE_BF16;
    if (a->from && a->to) return gw_fail(GW_ERR_USAGE, "--from goes without --to");
    if (a->from) return gw_convert_foreign(a->from, a->model, a->out, type);
    const bool etc = a->to && strcmp(a->to, "etc") == 0;
    if (a->pattern && !etc) return gw_fail(GW_ERR_USAGE, "--pattern goes with --to etc");
    if (a->pattern && gw_mixer_of_pattern(a->pattern) != GW_MIXER_ETC)
        return gw_fail(GW_ERR_USAGE, "--pattern %s: expected one of ETC, such as etc:84+hard", a->pattern);
    const char *const pattern = a->pattern ? a->pattern : etc ? "etc+hard" : NULL; // NULL: the BigBird's own
    const gw_convert_options o = {.from = a->model,
                                  .to = a->out,
                                  .keep_type = !a->type,
                                  .type = type,
                                  .to_bigbird = a->to != NULL,
                                  .pattern = pattern,
                                  .positions = a->positions};
    return gw_convert(&o);
}

const gw_command gw_command_convert = {
    .name = "convert",
    .group = "Models",
    .summary = "model folders as safetensors, in other types; BigBird from BERT or RoBERTa",
    .usage = "-m MODEL -o FOLDER [options]",
    .description =
        "Reads model.safetensors or pytorch_model.bin, whole or in shards, and writes one model.safetensors with "
        "config.json and the tokenizer's files. A .bin is read and never executed; anything but a list of tensors "
        "is refused. Values are rounded to the nearest. A value that f16 cannot hold is an error.\n\n"
        "--to big_bird makes a BigBird as its authors did: the position embeddings are repeated up to --positions, "
        "one token type becomes two, the rest stays. --to etc adds ETC's relative positions, as zeros, and its "
        "pattern (-p); layers of global tokens begin as copies of the text's. Train such a model further with "
        "pretrain or finetune.\n\n"
        "--from openspliceai reads a state dict of OpenSpliceAI, a network of splice acceptors and donors over "
        "single bases with 80 to 10,000 bases of context (docs/reference/splicing.md), or all of a folder as "
        "members of one model whose probabilities are averaged. In the same way --from spliceai reads SpliceAI's "
        "Keras files (.h5), --from spliceformer the networks of SpliceAI's architecture that deCODE published with "
        "Spliceformer (spliceai_encoder_10k_*, state dicts named *.pt), from which human-splice was made, and "
        "--from pangolin Pangolin's, splice sites in four tissues (final.J.I.3.v2). --from aparent2 reads APARENT2 "
        "(.h5), from which human-polya was made. The weights keep their licence, which the folder's card names.",
    .examples = "godwit convert -m bigbird_bin -o bigbird\n"
                "godwit convert -m model -o small --dtype f16\n"
                "godwit convert -m roberta -o bigbird --to big_bird --positions 4096\n"
                "godwit convert -m roberta -o etc --to etc\n"
                "godwit convert --from openspliceai -m model_10000nt_rs10.pt -o splice\n"
                "godwit convert --from spliceai -m spliceai/models -o splice\n"
                "godwit convert --from spliceformer -m spliceai10k_rnaseq -o splice --dtype f16",
    GW_COMMAND_TAKES(0, 0),
    .outputs_together = true,
    .run = run,
};
