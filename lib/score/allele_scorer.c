// SPDX-License-Identifier: MIT
// Which options exclude or need which, and which are of which models; then the window and the way of scoring that a
// model asks for, and the scorer of that way, which alleles are handed to.
#include "score/allele_scorer.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "model/family.h"
#include "model/task.h"
#include "network/base_network.h"
#include "network/label_predictor.h"
#include "score/score_llr.h"
#include "score/score_profiles.h"
#include "score/score_states.h"
#include "score/splice_scorer.h"
#include "seq/genes/tss.h"

#include <stdlib.h>
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
    const bool pretrained = model && model->config.labels == 0, bases = model && gw_model_labels_bases(model);
    const bool windows = model && !pretrained && !bases; // fine-tuned on these
    const bool sites = bases && (gw_model_splices(model) || gw_family_of(model->config.family)->answer);
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
        {o->constructs && o->input, GW_ERR_USAGE, "--constructs stands in the place of an input file"},
        {o->constructs && bases, GW_ERR_UNSUPPORTED, "--constructs: the model has labels of bases, not of sequences"},
        {o->all_snvs && (written || o->input), GW_ERR_USAGE, "--all-snvs stands in the place of an input file"},
        {o->all_snvs && !o->regions && !o->regions_file, GW_ERR_USAGE, "--all-snvs needs regions: -r or -R"},
        {o->ids && !written && !o->all_snvs, GW_ERR_USAGE,
         "--ids explains the names of --variants and --variants-file"},
        {o->strict && !written, GW_ERR_USAGE, "--strict is of --variants and --variants-file"},
        {o->variants && o->input, GW_ERR_USAGE, "--variants stands in the place of an input file"},
        {o->variants_file && o->input, GW_ERR_USAGE, "--variants-file stands in the place of an input file"},
        {o->index && o->all_snvs && !to_file, GW_ERR_USAGE, "--all-snvs" NEEDS_FILE},
        {o->index && !o->all_snvs && !to_file, GW_ERR_USAGE, "--write-index" NEEDS_FILE},
        {o->index && o->format == 'b' && strcmp(o->index, "tbi") == 0, GW_ERR_USAGE,
         "BCF is indexed by csi, not by tbi"},
        {o->tail && !o->background, GW_ERR_USAGE, "--tail is of e-values, which need a --background"},
        {o->include_if && o->exclude_if, GW_ERR_USAGE, "-i and -e: one of them"},
        {!o->all_snvs && o->targets && o->targets_file && leaves_out(o->targets) != leaves_out(o->targets_file),
         GW_ERR_UNSUPPORTED, "targets by -t and by -T are either both kept or both left out (^)"},
        {o->anywhere && model && !bases, GW_ERR_UNSUPPORTED,
         "--anywhere is for models of splicing and of other labels of bases, which score variants in genes"},
        {bases && (o->profiles || o->sites || o->top > 0 || o->scores || o->background || o->collect || o->shifts ||
                   o->indel_null > 0 || o->haplotypes || o->vep || o->check_ref == 's'),
         GW_ERR_UNSUPPORTED,
         "a model of splicing, or of other labels of bases, has delta scores alone: no --profiles, --sites, "
         "--top, --scores, --background, --shifts, --indel-null, --haplotypes, --vep or --check-ref s"},
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
        {(o->known || o->all_snvs) && model && (!bases || model->config.layers > 0), GW_ERR_UNSUPPORTED,
         "--all-snvs and --known are for models of splicing, and of other labels of bases by convolutions alone"},
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

struct gw_allele_scorer {
    int64_t window;
    gw_regions sites;
    gw_gene_models genes;        // of models of splicing
    gw_profile_scorer *profiles; // one of the three
    gw_llr_scorer *llr;
    gw_splice_scorer *splice;
    gw_state_scorer *states; // beside it, or NULL
};

static gw_status choose_window(const gw_model *model, int64_t asked, int64_t *out) {
    const gw_config *config = &model->config;
    if (config->labels > 0) {
        if (asked > 0 && config->window > 0 && asked != config->window)
            return gw_fail(GW_ERR_MISMATCH, "the model was fine-tuned on windows of %lld bp, not %lld",
                           (long long)config->window, (long long)asked);
        *out = config->window > 0 ? config->window : asked;
        if (*out == 0) return gw_fail(GW_ERR_MISMATCH, "the model's config.json names no window: give --window");
    } else {
        // Tokens of several bases are more in some windows than in the mean: a sixth is left for them.
        const int64_t longest = gw_model_longest_window(model), tokens = gw_config_longest(config);
        const int64_t fits = 2 * longest > 3 * tokens ? longest - longest / 6 : longest;
        *out = asked > 0 ? asked : gw_min(fits, GW_SCORE_DEFAULT_WINDOW);
    }
    return gw_check_window(model, *out);
}

gw_status gw_check_sites(const gw_model *model, bool given) {
    const gw_config *config = &model->config;
    const bool has_offset = gw_task_of(config->task)->keeps_tss && config->tss_offset >= 0;
    if (has_offset && !given)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "this promoter model was trained with the TSS at offset %lld of its window: "
                       "it scores variants near the TSSs of --sites tss.bed",
                       (long long)config->tss_offset);
    if (!has_offset && given)
        return gw_fail(GW_ERR_UNSUPPORTED, "--sites is for promoter models whose config.json has a TSS offset");
    return GW_OK;
}

gw_status gw_check_one_row(const gw_model *model) {
    if (!gw_model_labels_bases(model)) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "a model of splicing, or of other labels of bases, has entries of each gene and "
                                       "strand: `godwit score` writes them");
}

void gw_site_name(gw_string *name, const gw_region *site, const gw_genome *genome) {
    if (site->name && site->name[0] && strcmp(site->name, ".") != 0) gw_percent_encode(name, site->name);
    else
        gw_string_printf(name, "%s:%lld:%c", gw_genome_name(genome, site->contig), (long long)gw_tss_position(site) + 1,
                         site->strand);
}

static gw_status make_splice(gw_model *model, gw_genome *genome, const gw_score_options *o, gw_allele_scorer *s) {
    if (o->genes) GW_TRY(gw_gene_models_read(o->genes, genome, &s->genes));
    if (!o->genes && !o->anywhere)
        gw_note(
            "without --genes both strands are scored, and entries are called + and -: a table brings names of genes "
            "and --mask");
    if (gw_score_is_anywhere(o)) GW_TRY(gw_gene_models_add_strands(&s->genes, genome));
    GW_TRY(gw_splice_scorer_new(model, genome, &s->genes, o, &s->splice));
    s->window = gw_splice_scorer_window(s->splice);
    return GW_OK;
}

static gw_status make(gw_model *model, gw_genome *genome, const gw_score_options *o, gw_allele_scorer *s) {
    GW_TRY(gw_score_options_check(o, model));
    if (gw_model_labels_bases(model)) return make_splice(model, genome, o, s);
    if (model->config.labels > 0) GW_TRY(gw_check_sites(model, o->sites != NULL));
    if (o->sites) GW_TRY(gw_read_tss(&s->sites, genome, o->sites));
    for (int64_t i = 0; i < s->sites.count; i++) {
        gw_region *site = &s->sites.items[i];
        site->begin = gw_tss_position(site);
        site->end = site->begin + 1;
    }
    gw_regions_sort(&s->sites);
    GW_TRY(choose_window(model, o->window, &s->window));
    GW_TRY(model->config.labels == 0
               ? gw_llr_scorer_new(model, genome, s->window, o, &s->llr)
               : gw_profile_scorer_new(model, genome, s->window, o->sites ? &s->sites : NULL, o, &s->profiles));
    if (!gw_score_is_asked(o->scores, "embedding")) return GW_OK;
    return gw_state_scorer_new(model, genome, s->window, o->batch_tokens, &s->states);
}

gw_status gw_allele_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                               gw_allele_scorer **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    const gw_status status = make(model, genome, options, *out);
    if (status == GW_OK) return GW_OK;
    gw_allele_scorer_free(*out);
    *out = NULL;
    return status;
}

void gw_allele_scorer_free(gw_allele_scorer *scorer) {
    if (!scorer) return;
    gw_profile_scorer_free(scorer->profiles);
    gw_llr_scorer_free(scorer->llr);
    gw_splice_scorer_free(scorer->splice);
    gw_state_scorer_free(scorer->states);
    gw_regions_free(&scorer->sites);
    gw_gene_models_free(&scorer->genes);
    free(scorer);
}

void gw_allele_scorer_watch(gw_allele_scorer *scorer, void (*progress)(void *context, int64_t alleles, int64_t windows),
                            void *context) {
    if (scorer->llr) gw_llr_scorer_watch(scorer->llr, progress, context);
}

int64_t gw_allele_scorer_window(const gw_allele_scorer *scorer) {
    return scorer->window;
}

const gw_regions *gw_allele_scorer_sites(const gw_allele_scorer *scorer) {
    return &scorer->sites;
}

const gw_gene_models *gw_allele_scorer_genes(const gw_allele_scorer *scorer) {
    return &scorer->genes;
}

int64_t gw_allele_scorer_values(const gw_allele_scorer *scorer) {
    return scorer->splice ? gw_splice_scorer_values(scorer->splice) : 0;
}

int64_t gw_allele_scorer_span(const gw_allele_scorer *scorer) {
    return scorer->splice ? 4 * GW_SPLICE_LONGEST_ALLELE : scorer->window;
}

gw_status gw_allele_of(gw_genome *genome, int contig, int64_t position, const char *ref, const char *alt,
                       gw_allele *out) {
    *out = (gw_allele){.status = gw_allele_kind(alt)};
    if (out->status != GW_ALLELE_PASS) return GW_OK;
    out->variant = gw_variant_trim(contig, position, ref, alt);
    out->status = GW_ALLELE_NOCONTIG;
    if (contig >= 0) GW_TRY(gw_variant_check_ref(genome, contig, position, ref, &out->status));
    if (out->status == GW_ALLELE_PASS && (gw_allele_is_ambiguous(ref) || gw_allele_is_ambiguous(alt)))
        out->status = GW_ALLELE_AMBIGUOUS;
    return GW_OK;
}

gw_status gw_allele_scorer_run(gw_allele_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) {
    if (scorer->splice) return gw_splice_scorer_run(scorer->splice, alleles, count, raw);
    GW_TRY(scorer->llr ? gw_llr_scorer_run(scorer->llr, alleles, count)
                       : gw_profile_scorer_run(scorer->profiles, alleles, count, raw));
    return scorer->states ? gw_state_scorer_run(scorer->states, alleles, count) : GW_OK;
}
