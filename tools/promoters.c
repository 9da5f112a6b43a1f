// SPDX-License-Identifier: MIT
// godwit promoters: makes a labelled set of windows around transcription start sites, and negatives.
#include "base/log.h"
#include "label/promoter_set.h"
#include "seq/genes/tss.h"
#include "tools/cli/cli.h"
#include "tools/shared_options.h"

typedef struct {
    gw_promoter_options of;
    const char *fasta, *output, *aliases;
    gw_held_out_arguments held_out;
} promoters_arguments;

static const promoters_arguments defaults = {.of = {.upstream = 5000, .downstream = 3000, .distance = 5000, .seed = 1}};

#define FIELD(name) offsetof(promoters_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome (FASTA, plain or BGZF)", .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "the set, a TSV; BGZF where it ends in .gz",
     .required = true, .writes = true, .endings = GW_TABLE_ENDINGS},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the BED, name in the genome"},
    {GW_OPTION_GROUP, .help = "Windows"},
    {GW_OPTION_INT, 0, "upstream", "BP", FIELD(of.upstream), "bases before the TSS", .min = 0, .max = 1e9},
    {GW_OPTION_INT, 0, "downstream", "BP", FIELD(of.downstream), "bases from the TSS on", .min = 1, .max = 1e9},
    {GW_OPTION_GROUP, .help = "Negatives, one for each promoter"},
    {GW_OPTION_NAMED, 0, "negatives", "KIND", FIELD(of.negatives),
     "genomic: GC-matched windows far from any TSS; substitute: 12 of 20 pieces become random bases, as in BigBird; "
     "shuffle: they change places",
     .choices = "genomic|substitute|shuffle"},
    {GW_OPTION_INT, 0, "distance", "BP", FIELD(of.distance),
     "genomic: least distance from any TSS; halved until there is room for all", .min = 0, .max = 1e12},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.seed), "seed of the negatives", .min = 0, .max = 9e15},
    GW_OPTION_ROWS_HELD_OUT(FIELD(held_out)),
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    (void)count;
    const promoters_arguments *a = arguments;
    gw_genome *genome = NULL;
    gw_held_out held_out = {0};
    gw_regions tss = {0};
    gw_promoter_counts counts;
    gw_status status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK && a->aliases) status = gw_genome_read_aliases(genome, a->aliases);
    if (status == GW_OK) status = gw_held_out_of(&a->held_out, genome, &held_out);
    if (status == GW_OK) status = gw_read_tss(&tss, genome, operands[0]);
    if (status == GW_OK) status = gw_promoter_set_write(genome, &tss, &held_out, &a->of, a->output, &counts);
    if (status == GW_OK) {
        const int64_t asked = a->of.negatives == GW_NEGATIVES_GENOMIC ? a->of.distance : 0;
        gw_note("%lld promoters for training, %lld for validation, %lld for testing, each with one negative",
                (long long)counts.positives[GW_SPLIT_TRAIN], (long long)counts.positives[GW_SPLIT_VALID],
                (long long)counts.positives[GW_SPLIT_TEST]);
        if (counts.off_contig > 0)
            gw_note("%lld windows leave their contig and were dropped", (long long)counts.off_contig);
        if (counts.touching > 0)
            gw_note("%lld windows touch held-out or excluded sequence and were dropped", (long long)counts.touching);
        if (counts.duplicates > 0)
            gw_note("%lld windows also occur, on either strand, in another split and were dropped",
                    (long long)counts.duplicates);
        if (counts.distance < asked)
            gw_note(
                "the negatives lie at least %lld bp from every TSS: %lld bp away (--distance) not all of them could "
                "lie side by side",
                (long long)counts.distance, (long long)asked);
        if (counts.overlapping > 0)
            gw_warn("%lld negatives share bases with another one", (long long)counts.overlapping);
        if (counts.far_gc > 0)
            gw_note("%lld negatives differ from their promoter by more than 2 %% GC", (long long)counts.far_gc);
    }
    gw_regions_free(&tss);
    gw_held_out_free(&held_out);
    gw_genome_close(genome);
    return status;
}

const gw_command gw_command_promoters = {
    .name = "promoters",
    .group = "Labelled sets",
    .summary = "make a promoter set from transcription start sites",
    .usage = "-f ref.fa -o set.tsv.gz [options] tss.bed",
    .description =
        "Writes the window [TSS - upstream, TSS + downstream) of every record, in the direction of its strand, with "
        "label 1, and a negative with label 0. The BED needs six columns. The TSS is the first base of a record on "
        "the + strand and its last base on the - strand, so a record of one base is its TSS.\n\n"
        "With --test or --valid the column `split` is train, valid or test. Rows in the named contigs or regions "
        "(chr or chr:beg-end, comma separated) are held out, and training windows that touch them are dropped. "
        "finetune and eval read their part by this column. A negative is always in its promoter's split. A window "
        "whose sequence also occurs in a part held out from its own, on either strand, is dropped. --fold I/K "
        "divides the contigs, from the longest down, into K shares with about as many bases.\n\n"
        "Genomic negatives (the default) differ from promoters only by biology. Substituted pieces have as much G "
        "and C as A and T, so in most genomes counts of four-letter words recognise them. Substituted and shuffled "
        "negatives have junctions at fixed places, which a model of single bases can find.",
    .examples = "godwit promoters -f yeast.fa.gz --upstream 250 --downstream 50 --test VII,XIII --valid XI -o "
                "set.tsv.gz tss.bed",
    GW_COMMAND_TAKES(1, 1),
    .run = run,
};
