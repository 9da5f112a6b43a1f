// SPDX-License-Identifier: MIT
// godwit labels: makes a set of labelled bases from genes, or from intervals.
#include "base/log.h"
#include "label/base_set_writer.h"
#include "tools/cli/cli.h"
#include "tools/shared_options.h"

#include <string.h>

typedef struct {
    const char *fasta, *prefix, *aliases, *genes, *classes, *where, *windows, *shared, *overlap;
    gw_string_list beds;
    gw_held_out_arguments held_out;
    int64_t window;
} labels_arguments;

static const labels_arguments defaults = {
    .where = "genome", .windows = "all", .shared = "drop", .overlap = "last", .window = 2000};

#define FIELD(name) offsetof(labels_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome (FASTA, plain or BGZF)", .required = true},
    {GW_OPTION_STRING, 'o', "output", "PREFIX", FIELD(prefix),
     "writes PREFIX.bed.gz, .classes.bed.gz, .labels, .names.tsv and .json", .required = true, .writes = true},
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(genes),
     "GFF3, GTF, SGD's table or a gene table of SpliceAI: the canonical transcript of each gene"},
    {GW_OPTION_LIST, 0, "bed", "FILE", FIELD(beds),
     "intervals instead: the class in column 4, the strand in column 6 (both); may be repeated"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in those files, name in the genome"},
    {GW_OPTION_GROUP, .help = "Classes and windows"},
    {GW_OPTION_STRING, 0, "classes", "LIST", FIELD(classes),
     "of genes: " GW_GENE_CLASSES " (acceptor,donor); of intervals: which, and their order (as they are met)"},
    {GW_OPTION_CHOICE, 0, "overlap", "WHICH", FIELD(overlap),
     "of classes that share a base it has the last one, or all", .choices = "last|all"},
    {GW_OPTION_INT, 0, "window", "BP", FIELD(window), "size of a window; windows stand end to end", .min = 1,
     .max = 1e9},
    {GW_OPTION_CHOICE, 0, "where", "WHICH", FIELD(where),
     "windows of all contigs, on both strands, or of genes (-g), on theirs", .choices = "genome|genes"},
    {GW_OPTION_CHOICE, 0, "windows", "WHICH", FIELD(windows), "all windows, or those with at least one class",
     .choices = "all|labelled"},
    GW_OPTION_ROWS_HELD_OUT(FIELD(held_out)),
    {GW_OPTION_CHOICE, 0, "shared", "WHAT", FIELD(shared),
     "windows of which a tenth of the 31-mers occur, on either strand, in windows that are held out from them",
     .choices = "drop|keep"},
    {.help = NULL},
};

static gw_status make_intervals(const labels_arguments *a, gw_genome *genome, gw_gene_models *genes,
                                gw_base_intervals *out) {
    if (a->genes) {
        GW_TRY(gw_coding_genes_read(a->genes, genome, genes));
        return gw_base_intervals_of_genes(out, genes, a->classes ? a->classes : "acceptor,donor");
    }
    for (int i = 0; i < a->beds.count; i++) GW_TRY(gw_base_intervals_read(out, genome, a->beds.items[i], a->classes));
    return GW_OK;
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    const labels_arguments *a = arguments;
    if ((a->genes != NULL) == (a->beds.count > 0))
        return gw_fail(GW_ERR_USAGE, "give either genes (-g) or intervals (--bed)");
    if (!a->genes && strcmp(a->where, "genes") == 0) return gw_fail(GW_ERR_USAGE, "--where genes needs them: -g FILE");
    gw_genome *genome = NULL;
    gw_held_out held_out = {0};
    gw_gene_models genes = {0};
    gw_base_intervals intervals = {0};
    gw_base_set_counts counts;
    const gw_base_set_options set = {.window = a->window,
                                     .genes = strcmp(a->where, "genes") == 0 ? &genes : NULL,
                                     .overlap = strcmp(a->overlap, "all") == 0,
                                     .labelled_only = strcmp(a->windows, "labelled") == 0,
                                     .keep_shared = strcmp(a->shared, "keep") == 0,
                                     .command = gw_command_line()};
    gw_status status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK && a->aliases) status = gw_genome_read_aliases(genome, a->aliases);
    if (status == GW_OK) status = gw_held_out_of(&a->held_out, genome, &held_out);
    if (status == GW_OK) status = make_intervals(a, genome, &genes, &intervals);
    if (status == GW_OK) status = gw_base_set_write(genome, &intervals, &held_out, &set, a->prefix, &counts);
    if (status == GW_OK) {
        gw_note("%lld intervals of %d classes; %lld windows for training, %lld for validation, %lld for testing",
                (long long)intervals.count, intervals.classes, (long long)counts.windows[GW_SPLIT_TRAIN],
                (long long)counts.windows[GW_SPLIT_VALID], (long long)counts.windows[GW_SPLIT_TEST]);
        if (counts.touching > 0)
            gw_note("%lld windows touch held-out or excluded sequence and were dropped", (long long)counts.touching);
        if (counts.shared > 0)
            gw_note(
                "%lld windows share a tenth of their 31-mers with windows that are held out from them and were dropped",
                (long long)counts.shared);
        if (counts.unlabelled > 0) gw_note("%lld windows have no class and were dropped", (long long)counts.unlabelled);
    }
    gw_base_intervals_free(&intervals);
    gw_gene_models_free(&genes);
    gw_held_out_free(&held_out);
    gw_genome_close(genome);
    return status;
}

const gw_command gw_command_labels = {
    .name = "labels",
    .group = "Labelled sets",
    .summary = "make a set of labelled bases from genes or intervals",
    .usage = "-f ref.fa (-g genes.gff3 | --bed intervals.bed) -o PREFIX [options]",
    .description =
        "Cuts a genome into windows on both strands. Each base has a class: from the genes on that strand (an "
        "acceptor is the first base of an exon, a donor the last one), or from intervals. If classes overlap, the "
        "one that --classes names last counts. With --overlap all a base has all its classes, and models give the "
        "probability of each class separately. All other bases are `none`.\n\n"
        "With --test or --valid windows are held out by their middle. Training windows that touch held-out "
        "sequence, or share much of it (paralogues, repeats), are dropped (--shared). finetune --task bases reads "
        "the set; eval reads its test windows.",
    .examples = "godwit labels -f yeast.fa.gz -g SGD_features.tab --classes CDS,start,stop,acceptor,donor "
                "--test VII,XIII --valid XI --exclude Mito -o yeast\n"
                "godwit labels -f GRCh38.fa -g gencode.gtf.gz --where genes --test chr1,chr3 --valid chr2 -o splice",
    .options = options,
    .defaults = &defaults,
    .arguments_size = sizeof defaults,
    .least_operands = 0,
    .most_operands = 0,
    .outputs_together = true,
    .run = run,
};
