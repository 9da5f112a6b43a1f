// SPDX-License-Identifier: MIT
// Checks which options exclude or require each other, and which fit which models; and names labels.
#include "score/score_options.h"

#include "base/parse.h"
#include "model/family.h"
#include "model/task.h"
#include "network/base_network.h"

#include <string.h>

#define NEEDS_FILE " needs -o FILE, compressed by BGZF: named .vcf.gz or .bcf, or -O z or b"

bool gw_score_is_asked(const char *scores, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = scores; at; at = gw_next_item(at, ','))
        if (strncmp(at, word, length) == 0 && (at[length] == 0 || at[length] == ',')) return true;
    return false;
}

bool gw_profile_reads_one_strand(const gw_model *model) {
    return gw_config_has_numbers(&model->config) && !model->config.both_strands;
}

static bool leaves_out(const char *targets) {
    return targets && targets[0] == '^';
}

bool gw_score_is_anywhere(const gw_score_options *o) {
    return o->anywhere || !o->genes;
}

gw_status gw_score_options_check(const gw_score_options *o, const gw_model *model) {
    const bool pretrained = model && model->config.labels == 0, signals = model && gw_model_reads_signals(model);
    const bool tracks = model && gw_config_has_tracks(&model->config);
    const bool profiles = tracks && gw_family_of(model->config.family)->tracks(&model->config).profiles;
    const bool bases = model && (signals || tracks || gw_model_labels_bases(model)); // scorers of their own
    const bool windows = model && !pretrained && !bases;                             // fine-tuned on these
    const bool sites = bases && (gw_model_splices(model) || gw_family_of(model->config.family)->scoring.change);
    const bool to_file = o->output && strcmp(o->output, "-") != 0 && (o->format == 'z' || o->format == 'b');
    const bool numbers = model && gw_config_has_numbers(&model->config), lower = o->tail && o->tail[0] == 'l';
    const bool written = o->variants || o->variants_file;
    // What is refused, and what is said of it. The first that holds is said.
    const struct {
        bool holds;
        gw_status status;
        const char *message;
    } refused[] = {
        {(o->flank5 || o->flank3) && !o->constructs, GW_ERR_USAGE, "--flank5 and --flank3 are of --constructs"},
        {o->constructs && o->input, GW_ERR_USAGE, "--constructs replaces the input file: give one of the two"},
        {o->constructs && bases, GW_ERR_UNSUPPORTED, "--constructs: the model has labels of bases, not of sequences"},
        {o->all_snvs && (written || o->input), GW_ERR_USAGE, "--all-snvs replaces the input file: give one of the two"},
        {o->all_snvs && !o->regions && !o->regions_file, GW_ERR_USAGE, "--all-snvs needs regions: -r or -R"},
        {o->ids && !written && !o->all_snvs, GW_ERR_USAGE,
         "--ids explains the names of --variants and --variants-file"},
        {o->strict && !written, GW_ERR_USAGE, "--strict is of --variants and --variants-file"},
        {o->variants && o->input, GW_ERR_USAGE, "--variants replaces the input file: give one of the two"},
        {o->variants_file && o->input, GW_ERR_USAGE, "--variants-file replaces the input file: give one of the two"},
        {o->index && o->all_snvs && !to_file, GW_ERR_USAGE, "--all-snvs" NEEDS_FILE},
        {o->index && !o->all_snvs && !to_file, GW_ERR_USAGE, "--write-index" NEEDS_FILE},
        {o->index && o->format == 'b' && strcmp(o->index, "tbi") == 0, GW_ERR_USAGE,
         "BCF is indexed by csi, not by tbi"},
        {o->tail && !o->background, GW_ERR_USAGE, "--tail is of e-values, which need a --background"},
        {o->include_if && o->exclude_if, GW_ERR_USAGE, "-i and -e: one of them"},
        {!o->all_snvs && o->targets && o->targets_file && leaves_out(o->targets) != leaves_out(o->targets_file),
         GW_ERR_UNSUPPORTED, "targets by -t and by -T are either both kept or both left out (^)"},
        {o->around > 0 && model && !tracks, GW_ERR_UNSUPPORTED, "--around is for models of tracks; this one has none"},
        {o->around_tss > 0 && model && (!tracks || profiles), GW_ERR_UNSUPPORTED,
         "--around-tss is for models of tracks; this one has none"},
        {o->around_tss > 0 && !o->genes, GW_ERR_USAGE, "--around-tss is of the start sites of --genes"},
        {o->places && model && !tracks, GW_ERR_UNSUPPORTED, "--places is for models of tracks; this one has none"},
        {o->controls.count > 0 && model && !tracks, GW_ERR_UNSUPPORTED,
         "--control is for models of profiles that have control tracks"},
        {tracks && (o->anywhere || o->mask), GW_ERR_UNSUPPORTED,
         "a model of tracks scores variants anywhere: no --anywhere or --mask"},
        {signals && (o->anywhere || o->mask), GW_ERR_UNSUPPORTED,
         "a model of polyadenylation reads signals on both strands: no --anywhere or --mask"},
        {o->anywhere && model && !bases, GW_ERR_UNSUPPORTED,
         "--anywhere is for models of splicing and of other labels of bases, which score variants in genes"},
        {bases && (o->profiles || o->sites || (o->top > 0 && !tracks) || o->scores || o->tail || o->by || o->shifts ||
                   o->indel_null > 0 || o->haplotypes || o->vep || o->check_ref == 's'),
         GW_ERR_UNSUPPORTED,
         "a model of splicing, of polyadenylation, of tracks or of other labels of bases has scores of its own: no "
         "--profiles, "
         "--sites, --top, --scores, --tail, --by, --shifts, --indel-null, --haplotypes, --vep or --check-ref s"},
        {bases && o->mask && !sites, GW_ERR_UNSUPPORTED, "--mask is of splice sites, which this model does not tell"},
        {o->sample && !o->haplotypes, GW_ERR_USAGE, "--sample says whose --haplotypes are scored"},
        {o->haplotypes && (o->sites || o->check_ref == 's' || o->shards > 0), GW_ERR_UNSUPPORTED,
         "variants of a haplotype are scored together in windows around them, in one run: "
         "no --sites, --check-ref s or --shard with --haplotypes"},
        {pretrained && (o->profiles || o->raw || o->sites), GW_ERR_UNSUPPORTED,
         "--profiles, --raw and --sites are for fine-tuned models; this one is pretrained and has no profiles"},
        {model && o->strand && (bases || o->sites || !gw_profile_reads_one_strand(model)), GW_ERR_UNSUPPORTED,
         "--strand is for models of numbers that read one strand; this one does not"},
        {o->sites && gw_score_is_asked(o->scores, "embedding"), GW_ERR_UNSUPPORTED,
         "the score 'embedding' is of windows around variants, not of start sites"},
        {o->sites && o->indel_null > 0, GW_ERR_UNSUPPORTED,
         "--indel-null is for models that score anywhere, not at the start sites of --sites"},
        {o->approximate && (bases || pretrained), GW_ERR_UNSUPPORTED,
         "--approximate is for fine-tuned models of windows"},
        {bases && o->mask && !o->genes && !o->anywhere, GW_ERR_UNSUPPORTED,
         "--mask compares with annotated splice sites: give --genes"},
        {bases && (o->window > 0 || o->phases > 1 || o->share > 0 || model->pad_to > 0), GW_ERR_UNSUPPORTED,
         "a model of labels of bases reads windows of its own: no --window, --sites, --phases, --share-windows or "
         "--pad-to"},
        {pretrained && o->share > 0 && o->phases > 1, GW_ERR_UNSUPPORTED,
         "windows that sites share have one place: no --phases with --share-windows"},
        {windows && o->share > 0, GW_ERR_UNSUPPORTED,
         "--share-windows is for pretrained models; this one is fine-tuned"},
        {windows && o->sites && o->phases > 1, GW_ERR_UNSUPPORTED,
         "the windows of a promoter model have one place, that of the TSS: no --phases"},
        {o->known_columns && !o->known, GW_ERR_USAGE, "--known-columns is of the table of --known"},
        {o->known && o->vep, GW_ERR_UNSUPPORTED, "--vep writes one key, which does not say what --known had"},
        {pretrained && o->top > 0, GW_ERR_UNSUPPORTED,
         "--top is for fine-tuned models; this one is pretrained and has no profiles"},
        {o->consequence && !o->genes, GW_ERR_UNSUPPORTED, "--consequence needs --genes, whose transcripts it tells of"},
        {o->consequence && o->vep, GW_ERR_UNSUPPORTED,
         "--consequence writes a list of entries, which the key of --vep cannot hold"},
        {lower && model && !pretrained, GW_ERR_UNSUPPORTED,
         "--tail lower is for pretrained models: differences of labels are rare by their size"},
        {numbers && o->scores && strstr(o->scores, "log2fc"), GW_ERR_UNSUPPORTED,
         "log2fc is of probabilities; the model's labels are numbers"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (refused[i].holds) return gw_fail(refused[i].status, "%s", refused[i].message);
    return GW_OK;
}

void gw_label_name(gw_string *name, const gw_config *config, int64_t label) {
    const int64_t before = name->length;
    const char *first = config->label_names ? config->label_names[0] : "label";
    const bool nameless = config->labels == 1 && config->task != GW_TASK_PRETRAIN &&
                          (strcmp(first, "label") == 0 || strcmp(first, "LABEL_0") == 0); // its task says more
    if (nameless) gw_percent_encode(name, gw_task_of(config->task)->name);
    else if (config->label_names) gw_percent_encode(name, config->label_names[label]);
    else gw_string_printf(name, "%s%lld", gw_config_has_tracks(config) ? "track" : "profile", (long long)label);
    if (name->length == before) gw_string_puts(name, "%00"); // an empty name must not end the value
}
