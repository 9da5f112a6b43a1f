// SPDX-License-Identifier: MIT
// godwit genes: writes the canonical transcripts of an annotation as a gene table, which loads fast.
#include "base/log.h"
#include "seq/genes/gene_models.h"
#include "tools/cli/cli.h"

typedef struct {
    const char *genes, *fasta, *aliases, *output;
} genes_arguments;

static const genes_arguments defaults = {0};

#define FIELD(name) offsetof(genes_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(genes), "annotation: GFF3 or GTF; or such a table, to check it",
     .required = true},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta),
     "genome: its contig names are written, and genes off it are left out", .required = true},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the annotation, name in the genome"},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "write here (default: stdout); BGZF where it ends in .gz",
     .writes = true, .endings = GW_TABLE_ENDINGS},
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    const genes_arguments *a = arguments;
    gw_genome *genome = NULL;
    gw_gene_models models = {0};
    (void)operands, (void)count;
    gw_status status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK && a->aliases) status = gw_genome_read_aliases(genome, a->aliases);
    if (status == GW_OK) status = gw_gene_models_read(a->genes, genome, &models);
    if (status == GW_OK) status = gw_gene_models_write(&models, genome, a->output);
    if (status == GW_OK) gw_note("%lld genes", (long long)models.count);
    gw_gene_models_free(&models);
    gw_genome_close(genome);
    return status;
}

const gw_command gw_command_genes = {
    .name = "genes",
    .group = "Labelled sets",
    .summary = "the canonical transcripts of an annotation, as a table that `score` reads at once",
    .usage = "-g genes.gff3|genes.gtf[.gz] -f ref.fa [-o genes.tsv.gz]",
    .description =
        "Writes SpliceAI's gene table: #NAME CHROM STRAND TX_START TX_END EXON_START EXON_END, starts 0-based. Each "
        "gene has the transcript tagged MANE_Select, else Ensembl_canonical, else the one with the longest CDS, "
        "else the longest. An annotation of the whole human genome takes seconds to read, its table a fraction of "
        "one: write the table once, and give it to score --genes. Scores are the same. The table has no coding "
        "sequence, which --consequence and the names of transcripts need.",
    .examples = "godwit genes -g gencode.gtf.gz -f GRCh38.fa -o genes.tsv.gz\n"
                "godwit score -m human-splice -f GRCh38.fa --genes genes.tsv.gz -o out.vcf.gz in.vcf.gz",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
