// SPDX-License-Identifier: MIT
// godwit embed: hidden states of a model for regions, sequences or texts, as a NumPy array.
#include "run/embed.h"
#include "base/memory.h"
#include "file/npy.h"
#include "seq/genes/genes.h"
#include "tools/cli/cli.h"
#include "tools/shared_options.h"
#include "tools/texts.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_embed_options of;
    gw_embed_table_options table;
    const char *model, *fasta, *regions, *regions_file, *genes, *aliases, *output, *rows;
    gw_string_list tables;
    gw_inference_arguments inference;
} embed_arguments;

static const embed_arguments defaults = {.of = {.layer = -1, .overlap = -1}};

#define FIELD(name) offsetof(embed_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model), "model folder", .required = true},
    {GW_OPTION_LIST, 'd', "data", "TABLE", FIELD(tables),
     "texts, or sequences, of a table (TSV, CSV, JSONL); may be repeated"},
    {GW_OPTION_STRING, 0, "text", "COLUMN", FIELD(table.column),
     "column of the texts (text, sentence or sequence, whichever is there)"},
    {GW_OPTION_FLAG, 0, "headless", NULL, FIELD(table.table.headless),
     "the first line of a table is a row: columns are called 1, 2 ..."},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome of regions"},
    {GW_OPTION_STRING, 'r', "regions", "LIST", FIELD(regions),
     "regions chr:beg-end, comma separated (1-based); gene:NAME of --genes"},
    {GW_OPTION_STRING, 'R', "regions-file", "FILE", FIELD(regions_file), "regions of a BED file"},
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(genes), "GFF3, GTF or SGD's table, for gene:NAME in -r"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the regions, name in the genome"},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output),
     "array to write, float32 [rows][width] (.npy), or a table of rows and numbers (.tsv, .tsv.gz, .parquet)",
     .required = true, .writes = true, .endings = "|npy|tsv|tsv.gz|parquet"},
    {GW_OPTION_STRING, 0, "rows", "FILE", FIELD(rows),
     "table that names the rows of an array (x.rows.tsv beside x.npy)", .writes = true, .endings = GW_ROWS_ENDINGS},
    {GW_OPTION_GROUP, .help = "Embedding"},
    {GW_OPTION_INT, 0, "layer", "K", FIELD(of.layer),
     "hidden states after layer K; 0: the embeddings; -1: the last layer, -2: the one before", .min = -1e4, .max = 1e4},
    {GW_OPTION_NAMED, 0, "pool", "NAME", FIELD(of.pool),
     "the row of a tile: the state of [CLS], the mean or largest of "
     "its tokens, the mean with [CLS] and [SEP], or a row for each token; auto: as a folder of "
     "sentence-transformers states, of another model the state of [CLS]",
     .choices = GW_EMBED_POOLS},
    {GW_OPTION_INT, 0, "overlap", "N", FIELD(of.overlap),
     "tokens that neighbouring tiles of a long sequence share (-1: 64, or a quarter of a tile where that is less)",
     .min = -1, .max = 1e8},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(of.tokens),
     "tokens computed at a time (0: 8192, or the longest input)", .min = 0, .max = 1e8, .alias = "tokens-per-pass"},
    {GW_OPTION_FLAG, 0, "keep-case", NULL, FIELD(of.keep_case),
     "give a tokenizer of DNA made elsewhere lower-case letters as they are (they would be [UNK])"},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

static gw_status read_regions(const embed_arguments *a, gw_genome *genome, gw_regions *regions, int64_t *bases) {
    if (a->aliases) GW_TRY(gw_genome_read_aliases(genome, a->aliases));
    if (a->regions) GW_TRY(gw_regions_parse_genes(regions, genome, a->regions, a->genes));
    if (a->regions_file) GW_TRY(gw_regions_read_bed(regions, genome, a->regions_file));
    for (int64_t i = 0; i < regions->count; i++) *bases += regions->items[i].end - regions->items[i].begin;
    if (*bases == 0) return gw_fail(GW_ERR_RANGE, "the regions hold no base");
    return GW_OK;
}

// The regions, the tables, or the files where there is neither.
static gw_status embed_all(const embed_arguments *a, gw_embedder *embedder, const gw_model *model, gw_genome *genome,
                           const gw_regions *regions, char **files, int count) {
    if (genome) return gw_embed_regions(embedder, genome, regions);
    if (a->tables.count > 0) {
        gw_embed_table_options read = a->table;
        int64_t row = 0;
        if (!read.column) read.column = GW_TEXT_COLUMNS;
        read.bases = gw_tokenizer_is_dna(model->tokenizer);
        for (int i = 0; i < a->tables.count; i++) GW_TRY(gw_embed_table(embedder, a->tables.items[i], &read, &row));
        return GW_OK;
    }
    gw_status (*read)(gw_embedder *, const char *) =
        gw_tokenizer_is_dna(model->tokenizer) ? gw_embed_fasta : gw_embed_text;
    if (count == 0) return read(embedder, "-");
    for (int i = 0; i < count; i++) GW_TRY(read(embedder, files[i]));
    return GW_OK;
}

static bool is_table(const char *path) {
    return gw_is_parquet(path) || gw_has_suffix(path, ".tsv") || gw_has_suffix(path, ".tsv.gz");
}

static gw_status add_row(void *array, const float *row) {
    return gw_npy_add(array, row);
}

// An array with a table of its rows beside it, or both as one table.
static gw_status embed(const embed_arguments *a, gw_model *model, const gw_embed_options *embed_options,
                       gw_genome *genome, const gw_regions *regions, char **files, int count) {
    const int64_t width = gw_embed_width(model, embed_options);
    const bool whole = is_table(a->output);
    const int stem = (int)(strlen(a->output) - (gw_has_suffix(a->output, ".npy") ? strlen(".npy") : 0));
    gw_npy array = {0};
    gw_columns columns = {0};
    gw_table_writer *rows = NULL;
    gw_embedder *embedder = NULL;
    char *path = whole     ? gw_strdup(a->output)
                 : a->rows ? gw_strdup(a->rows)
                           : gw_strprintf("%.*s.rows.tsv", stem, a->output);
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    gw_embed_columns(embed_options->pool, whole ? width : 0, &columns);
    if (status == GW_OK && !whole) status = gw_npy_open(&array, a->output, width, 0);
    if (status == GW_OK) status = gw_table_writer_open(path, &columns, whole ? "" : ".", &rows);
    const gw_embed_output out = {whole ? NULL : add_row, &array, rows, whole};
    if (status == GW_OK) status = gw_embedder_new(model, embed_options, &out, &embedder);
    if (status == GW_OK) status = embed_all(a, embedder, model, genome, regions, files, count);
    if (status == GW_OK) status = gw_embedder_finish(embedder);
    status = gw_table_writer_end(status, rows);
    if (status == GW_OK && !whole) status = gw_npy_close(&array);
    gw_npy_abandon(&array);
    gw_columns_free(&columns);
    gw_embedder_free(embedder);
    free(path);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const embed_arguments *a = arguments;
    const bool listed = a->regions || a->regions_file, tables = a->tables.count > 0;
    if (a->rows && is_table(a->output))
        return gw_fail(GW_ERR_USAGE, "--rows needs an array (-o x.npy): the table %s names its rows itself", a->output);
    if (listed && !a->fasta) return gw_fail(GW_ERR_USAGE, "regions need their genome: -f ref.fa");
    if (a->fasta && !listed)
        return gw_fail(GW_ERR_USAGE, "a genome needs its regions: -r or -R (whole sequences: without -f)");
    if (a->fasta && a->of.keep_case)
        return gw_fail(GW_ERR_USAGE, "a genome is read in upper case: --keep-case is for sequences");
    if ((a->fasta != NULL) + tables + (count > 0) > 1)
        return gw_fail(GW_ERR_USAGE, "give either regions of a genome (-f), tables (-d) or sequences, not both");
    if (!tables && (a->table.column || a->table.table.headless))
        return gw_fail(GW_ERR_USAGE, "--text and --headless need a table: -d TABLE");
    GW_TRY(gw_device_apply(a->inference.device));
    gw_model *model = NULL;
    gw_genome *genome = NULL;
    gw_regions regions = {0};
    gw_sentence_folder folder;
    gw_embed_options embed_options = a->of;
    embed_options.folder = &folder;
    gw_status status = gw_sentence_folder_read(a->model, &folder);
    if (status == GW_OK) status = gw_model_load(folder.network ? folder.network : a->model, &model);
    if (status == GW_OK) status = gw_inference_apply(&a->inference, model);
    if (status == GW_OK && a->fasta) status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK && genome) status = read_regions(a, genome, &regions, &embed_options.bases);
    if (status == GW_OK) status = embed(a, model, &embed_options, genome, &regions, operands, count);
    gw_regions_free(&regions);
    gw_genome_close(genome);
    gw_model_free(model);
    gw_sentence_folder_free(&folder);
    return status;
}

const gw_command gw_command_embed = {
    .name = "embed",
    .group = "Models",
    .summary = "hidden states of a model for regions, sequences or texts",
    .usage = "-m FOLDER -o out.npy (-f ref.fa -R regions.bed | -d texts.tsv | [seqs.fa...]) [options]",
    .description =
        "Writes a float32 array in NumPy's format and a table that names each row: name, contig, begin, end "
        "(0-based, half-open, of the bases that the row covers), strand, tile, first_token, end_token. With -o "
        "x.tsv or x.parquet both are one table, with the columns e1, e2 ... behind these.\n\n"
        "Sequences come from regions of a genome (reverse complemented on the - strand) or from whole FASTA "
        "records; standard input if no file is named. A model of text reads the lines after each >name as they are. "
        "Tables (-d) have a text or a sequence in each row. The row's number, from 1, is its name. An empty text is "
        "an error.\n\n"
        "A sequence with more tokens than the model's positions P is tiled. The first tile is [CLS], P - 2 tokens, "
        "[SEP]. Each later tile begins --overlap tokens before the end of the one before. Every tile makes one row.\n\n"
        "--pool cls is the state of [CLS]. mean and max are over the sequence's own tokens, without [CLS] and "
        "[SEP]. sentence is the mean with them, as in sentence-transformers. none gives every token a row, also "
        "[CLS] and [SEP], and two more columns: position in the tile and token id. Rows do not depend on the batch.\n\n"
        "A folder of sentence-transformers (with a modules.json) gives its sentence vectors unless --pool is given: "
        "its Pooling and Normalize, its default prompt, one row a text. Texts longer than its max_seq_length are "
        "cut, and a note counts them.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit embed -m model -f ref.fa -R peaks.bed --pool mean -o peaks.npy\n"
                "godwit embed -m bert -d texts.tsv --pool mean -o texts.npy\n"
                "godwit embed -m model --layer 6 --pool none -o tokens.npy seqs.fa",
    GW_COMMAND_TAKES(0, -1),
    .outputs_together = true,
    .run = run,
};
