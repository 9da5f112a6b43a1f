// SPDX-License-Identifier: MIT
// godwit tss: writes the transcription start sites of an annotation as BED.
#include "seq/genes/tss.h"
#include "base/log.h"
#include "tools/cli/cli.h"

typedef struct {
    const char *genes, *feature, *id, *fasta, *aliases, *output;
    bool unique;
} tss_arguments;

static const tss_arguments defaults = {0};

#define FIELD(name) offsetof(tss_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(genes), "annotation: GFF3, GTF or SGD's table of features",
     .required = true},
    {GW_OPTION_STRING, 0, "feature", "TYPES", FIELD(feature),
     "comma-separated types of rows to take, such as gene (default: transcripts)"},
    {GW_OPTION_STRING, 0, "id", "ATTRIBUTES", FIELD(id),
     "the attribute that names a site; of several, comma-separated, the first that a row has"},
    {GW_OPTION_FLAG, 0, "unique", NULL, FIELD(unique), "one row for each place and strand"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "genome: its contig names are written, off it is left out"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the annotation, name in the genome"},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "write here (default: stdout); BGZF where it ends in .gz",
     .writes = true, .endings = GW_BED_ENDINGS},
    {.help = NULL},
};

static gw_status read(const tss_arguments *a, gw_features *features) {
    const char *const asked[] = {a->feature, NULL};
    const gw_gff_options rows = {a->feature ? asked : gw_gff_transcripts, a->id, .coding = true};
    const gw_status status = gw_features_read(a->genes, &rows, features);
    if (status != GW_ERR_MISMATCH || a->feature) return status;
    return gw_fail_in(status, "an annotation without transcripts does not say where transcription starts (--feature "
                              "gene, in SGD's table ORF, takes the starts of genes, which are mostly start codons)");
}

static gw_status write(const tss_arguments *a, const gw_features *features, gw_genome *genome) {
    const gw_tss_options write_options = {genome, a->unique, a->output};
    gw_tss_counts counts;
    GW_TRY(gw_tss_write(features, &write_options, &counts));
    gw_note("%lld start sites of %s features (%s)", (long long)counts.written, features->types,
            gw_gff_kind_name(features->kind));
    if (counts.repeated > 0)
        gw_note("%lld share their position and strand with an earlier start site and were left out",
                (long long)counts.repeated);
    if (features->unnamed > 0)
        gw_warn("%lld features lack the attribute of --id and are written as '.'", (long long)features->unnamed);
    if (features->orphans > 0)
        gw_warn("%lld features name a Parent that %s lacks", (long long)features->orphans, a->genes);
    if (counts.no_strand > 0) gw_warn("%lld features have no strand and were left out", (long long)counts.no_strand);
    if (counts.off_contig > 0)
        gw_warn("%lld features start past the end of their contig and were left out: is %s the annotation's assembly?",
                (long long)counts.off_contig, a->fasta);
    if (counts.no_contig > 0)
        gw_warn("%lld of %lld features lie on contigs that %s lacks, such as '%s', and were left out; it has '%s' and "
                "%d others: --chr-map gives names",
                (long long)counts.no_contig, (long long)features->count, a->fasta, counts.unknown,
                gw_genome_name(genome, 0), gw_genome_contigs(genome) - 1);
    // Models that learn from start codons tell coding sequence from other sequence, and look very good at it.
    static const char measured[] = "Use measured start sites for a promoter set (RegulonDB has those of E. coli)";
    if (2 * features->coding > features->count)
        gw_warn("%lld of %lld %s features start where coding sequence starts: these are start codons, not start sites "
                "of transcription. %s",
                (long long)features->coding, (long long)features->count, features->types, measured);
    else if (features->genes_alone)
        gw_warn("%s has no transcripts: its genes usually start at start codons, not where transcription starts. %s",
                a->genes, measured);
    return GW_OK;
}

static gw_status run(void *arguments, char **operands, int count) {
    const tss_arguments *a = arguments;
    gw_genome *genome = NULL;
    gw_features features = {0};
    (void)operands, (void)count;
    if (a->aliases && !a->fasta) return gw_fail(GW_ERR_USAGE, "--chr-map gives names of a genome: name it by -f");
    gw_status status = a->fasta ? gw_genome_open(a->fasta, &genome) : GW_OK;
    if (status == GW_OK && a->aliases) status = gw_genome_read_aliases(genome, a->aliases);
    if (status == GW_OK) status = read(a, &features);
    if (status == GW_OK) status = write(a, &features, genome);
    gw_features_free(&features);
    gw_genome_close(genome);
    return status;
}

const gw_command gw_command_tss = {
    .name = "tss",
    .group = "Labelled sets",
    .summary = "transcription start sites of an annotation, as BED",
    .usage = "-g genes.gff3|genes.gtf|SGD_features.tab[.gz] [options] > tss.bed",
    .description =
        "Writes BED6: the first base of each feature in the direction of its strand, its name, 0, the strand. The "
        "input is plain, gzip or BGZF, or - for standard input. Its first row tells the format.\n\n"
        "Without --feature the rows of type mRNA and transcript are taken; if there are none, the exons of a GTF, "
        "joined to transcripts. An annotation without transcripts (most of bacteria, SGD's table) does not say "
        "where transcription starts: its genes start at start codons. --feature gene (in SGD's table ORF) takes "
        "them, with a warning. Every file whose features start where CDS start gets this warning. The name is ID in "
        "GFF3, transcript_id (of genes gene_id) in GTF, and the systematic name, feature, in SGD's table, which "
        "also has gene and SGDID. A GFF3 row without the attribute has its parent's.",
    .examples = "godwit tss -g genes.gff3.gz -f genome.fa.gz --id gene_name,Name,ID > tss.bed\n"
                "godwit tss -g genes.gff3.gz -f genome.fa.gz | godwit promoters -f genome.fa.gz -o set.tsv.gz -",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
