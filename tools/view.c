// SPDX-License-Identifier: MIT
// godwit view: draws the known data of a region as a picture.
#include "tools/view/view_picture.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genes/gene_models.h"
#include "seq/genes/genes.h"
#include "seq/vcf/vcf.h"
#include "tools/cli/cli.h"
#include "tools/picture/picture.h"
#include "tools/scored_vcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
    const char *fasta, *region, *output, *genes, *key, *aliases;
    gw_string_list tracks;
    int64_t named;
} view_arguments;

static const view_arguments defaults = {.named = 5};

enum { MOST_TRACKS = 100, MOST_VARIANTS = 200000 };

#define FIELD(name) offsetof(view_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome", .required = true},
    {GW_OPTION_STRING, 'r', "region", "REGION", FIELD(region), "chr:beg-end (1-based), chr, or gene:NAME of --genes",
     .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "picture to write, .svg or .png", .required = true,
     .writes = true, .endings = GW_PICTURE_ENDINGS},
    {GW_OPTION_LIST, 0, "track", "FILE", FIELD(tracks),
     "bigWig or bedGraph to draw, or a folder of predict --bigwig; may be repeated"},
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(genes),
     "GFF3, GTF, SGD's table, or SpliceAI's table of genes and exons: draw the genes and their exons"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the files, name in the genome"},
    {GW_OPTION_GROUP, .help = "Variants"},
    {GW_OPTION_STRING, 0, "key", "KEY", FIELD(key),
     "INFO key of the scores, a number for each ALT (GW_DIFF, GW_LLR, GW_SPLICE, GW_POLYA, GW_DELTA or GW_LFC, "
     "whichever the file has)"},
    {GW_OPTION_INT, 0, "named", "N", FIELD(named), "name the N largest scores", .min = 0, .max = 1000},
    {.help = NULL},
};

// What is drawn, with all that it owns.
typedef struct {
    gw_genome *genome;
    gw_region region;
    gw_view_track *tracks;
    int64_t track_count, track_capacity;
    gw_view_variant *variants;
    int64_t variant_count, variant_capacity;
    char *key;
    bool numbers; // it is of a model of measured numbers
    gw_view_gene *genes;
    int64_t gene_count, gene_capacity;
} viewed;

static gw_status read_region(const char *text, const char *genes, viewed *v) {
    gw_regions regions = {0};
    gw_status status = gw_regions_parse_genes(&regions, v->genome, text, genes);
    if (status == GW_OK && regions.count != 1)
        status =
            gw_fail(GW_ERR_UNSUPPORTED, "a picture shows one region, '%s' are %lld", text, (long long)regions.count);
    if (status == GW_OK) v->region = regions.items[0];
    gw_regions_free(&regions);
    return status;
}

static gw_status add_track(viewed *v, const char *path, const char *name) {
    if (v->track_count >= MOST_TRACKS)
        return gw_fail(GW_ERR_UNSUPPORTED, "a picture shows at most %d tracks", MOST_TRACKS);
    GW_TRY(gw_reserve(&v->tracks, &v->track_capacity, v->track_count + 1, sizeof *v->tracks));
    gw_view_track *track = &v->tracks[v->track_count++];
    *track = (gw_view_track){.name = gw_strdup(name)};
    return track->name ? gw_track_read(path, v->genome, &v->region, &track->values) : GW_ERR_MEMORY;
}

typedef struct {
    viewed *v;
    const char *folder;
} folder_reader;

static gw_status add_listed(void *context, const gw_line_reader *lines, char *line) {
    const folder_reader *r = context;
    char *fields[2];
    if (gw_lines_number(lines) == 1) return GW_OK; // the header
    if (gw_split(line, '\t', fields, 2) != 2)
        return gw_lines_fail(lines, GW_ERR_FORMAT, "expected a label and its file, joined by a tab");
    char *path = gw_join_path(r->folder, fields[1]);
    const gw_status status = path ? add_track(r->v, path, fields[0]) : GW_ERR_MEMORY;
    free(path);
    return status;
}

static gw_status add_folder(viewed *v, const char *folder) {
    char *list = gw_join_path(folder, "tracks.tsv");
    if (!list) return GW_ERR_MEMORY;
    folder_reader reader = {v, folder};
    const gw_status status = gw_lines_each(list, add_listed, &reader);
    free(list);
    return status;
}

static gw_status read_tracks(const gw_string_list *paths, viewed *v) {
    for (int i = 0; i < paths->count; i++) {
        struct stat info;
        const char *path = paths->items[i], *slash = strrchr(path, '/');
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) GW_TRY(add_folder(v, path));
        else GW_TRY(add_track(v, path, slash ? slash + 1 : path));
    }
    return GW_OK;
}

// A gene of the region, with the exons of its model.
static gw_status add_gene(viewed *v, char *name, char strand, int64_t begin, int64_t end, const gw_gene_model *model) {
    if (!name) return GW_ERR_MEMORY;
    gw_view_gene gene = {name, strand, begin, end, NULL, model ? model->boundary_count / 2 : 0};
    gw_status status = gw_reserve(&v->genes, &v->gene_capacity, v->gene_count + 1, sizeof *v->genes);
    if (status == GW_OK && gene.exon_count > 0 && !(gene.exons = gw_alloc(gene.exon_count, sizeof *gene.exons)))
        status = GW_ERR_MEMORY;
    if (status != GW_OK) {
        free(name);
        return status;
    }
    for (int64_t e = 0; e < gene.exon_count; e++)
        gene.exons[e] = (gw_view_exon){model->boundaries[e], model->boundaries[gene.exon_count + e] + 1};
    v->genes[v->gene_count++] = gene;
    return GW_OK;
}

static bool is_seen(const viewed *v, int contig, int64_t begin, int64_t end) {
    return contig == v->region.contig && end > v->region.begin && begin < v->region.end;
}

// The model of that name and strand within the gene; NULL: there is none.
static const gw_gene_model *model_of(const gw_gene_models *models, const gw_region *gene, const char *name) {
    for (int64_t i = models->first ? models->first[gene->contig] : 0;
         models->first && i < models->first[gene->contig + 1]; i++) {
        const gw_gene_model *m = &models->items[i];
        if (m->strand == gene->strand && m->begin >= gene->begin && m->end <= gene->end && strcmp(m->name, name) == 0)
            return m;
    }
    return NULL;
}

// Of an annotation the rows that are genes, with the exons of their canonical transcripts; genes without any, as those
// of bacteria, are drawn as a whole.
static gw_status read_annotation(const char *path, viewed *v) {
    gw_genes genes = {0};
    gw_gene_models models = {0};
    GW_TRY(gw_genes_read(path, v->genome, &genes));
    gw_status status = gw_coding_genes_read(path, v->genome, &models);
    if (status == GW_ERR_FORMAT || status == GW_ERR_MISMATCH) {
        gw_note("%s: genes are drawn without exons", gw_message());
        status = GW_OK;
    }
    for (int64_t i = 0; status == GW_OK && i < genes.regions.count; i++) {
        const gw_region *gene = &genes.regions.items[i];
        if (!is_seen(v, gene->contig, gene->begin, gene->end)) continue;
        char *name = gw_scored_names(gene->name);
        status = add_gene(v, name, gene->strand, gene->begin, gene->end, name ? model_of(&models, gene, name) : NULL);
    }
    gw_gene_models_free(&models);
    gw_genes_free(&genes);
    return status;
}

static gw_status read_genes(const char *path, viewed *v) {
    gw_gene_models models = {0};
    if (!gw_is_gene_table(path)) return read_annotation(path, v);
    gw_status status = gw_gene_models_read(path, v->genome, &models);
    for (int64_t i = 0; status == GW_OK && i < models.count; i++) {
        const gw_gene_model *m = &models.items[i];
        if (is_seen(v, m->contig, m->begin, m->end))
            status = add_gene(v, gw_strdup(m->name), m->strand, m->begin, m->end, m);
    }
    gw_gene_models_free(&models);
    return status;
}

static gw_status choose_key(const gw_vcf_reader *reader, const char *wanted, char **key) {
    if (wanted && !gw_scored_has(reader, wanted))
        return gw_fail(GW_ERR_MISMATCH, "%s has no INFO key %s", gw_vcf_path(reader), wanted);
    if (wanted) return (*key = gw_strdup(wanted)) ? GW_OK : GW_ERR_MEMORY;
    GW_TRY(gw_scored_key(reader, key));
    return *key
               ? GW_OK
               : gw_fail(GW_ERR_MISMATCH,
                         "%s has none of GW_DIFF, GW_LLR, GW_SPLICE, GW_POLYA, GW_DELTA and GW_LFC: name its scores by "
                         "--key",
                         gw_vcf_path(reader));
}

// "rs12 A>G" or "1234 A>G", with what splicing does and the worst consequence behind it; long alleles are cut.
static char *name_of(const gw_vcf_record *record, int alt, const char *splicing, const char *consequences) {
    const bool named = record->id && record->id[0] && strcmp(record->id, ".") != 0;
    char *place = named ? gw_strdup(record->id) : gw_strprintf("%lld", (long long)record->position + 1);
    const char *ref = record->ref, *to = record->alt[alt];
    const int first = (int)strcspn(consequences, "&");
    char *name = place ? gw_strprintf("%s %.8s%s>%.8s%s%s%s%s%.*s", place, ref, strlen(ref) > 8 ? "..." : "", to,
                                      strlen(to) > 8 ? "..." : "", *splicing ? ", " : "", splicing,
                                      first > 0 ? ", " : "", first, consequences)
                       : NULL;
    free(place);
    return name;
}

static gw_status add_variant(viewed *v, const gw_vcf_reader *reader, const gw_vcf_record *record, int alt,
                             double score) {
    gw_string text = {0}, terms = {0};
    gw_scored_splice splice = {.what = ""};
    if (v->variant_count >= MOST_VARIANTS)
        return gw_fail(GW_ERR_UNSUPPORTED, "a picture shows at most %d variants", MOST_VARIANTS);
    GW_TRY(gw_reserve(&v->variants, &v->variant_capacity, v->variant_count + 1, sizeof *v->variants));
    gw_scored_consequences(reader, record, v->key, alt, &text, &terms);
    const bool splices = gw_score_is_splicing(v->key) && gw_scored_splicing(reader, record, alt, &text, &splice);
    const char *consequences = terms.data ? terms.data : "";
    char *name = name_of(record, alt, splices ? splice.what : "", consequences);
    if (name)
        v->variants[v->variant_count++] =
            (gw_view_variant){record->position, score, name, strstr(consequences, "stop_gained") != NULL};
    gw_string_free(&text);
    gw_string_free(&terms);
    return name ? GW_OK : GW_ERR_MEMORY;
}

static gw_status add_record(viewed *v, const gw_vcf_reader *reader, const gw_vcf_record *record, gw_string *text) {
    const bool found = gw_vcf_info(reader, record, v->key, text);
    GW_TRY(gw_string_status(text));
    char *value = found && text->data ? text->data : NULL;
    for (int a = 0; a < record->alts; a++) {
        char *comma = value ? strchr(value, ',') : NULL;
        double score = NAN;
        if (comma) *comma = 0;
        if (value && strcmp(value, ".") != 0 && gw_parse_double(value, -1e300, 1e300, &score) != GW_OK)
            return gw_vcf_fail(reader, record, GW_ERR_FORMAT, "%s: %s", v->key, gw_message());
        value = comma ? comma + 1 : NULL;
        GW_TRY(add_variant(v, reader, record, a, score));
    }
    return GW_OK;
}

static gw_status read_records(viewed *v, gw_vcf_reader *reader) {
    gw_vcf_record record = {0};
    gw_string text = {0};
    gw_status status = GW_OK;
    for (bool got = true; status == GW_OK && got;) {
        status = gw_vcf_next(reader, &record, &got);
        if (status == GW_OK && got) status = add_record(v, reader, &record, &text);
        if (status == GW_OK) status = gw_check_interrupt();
    }
    gw_string_free(&text);
    gw_vcf_record_free(&record);
    return status;
}

static bool has_index(const char *path) {
    bool found = false;
    for (int i = 0; !found && i < 2; i++) {
        char *index = gw_strprintf("%s%s", path, i == 0 ? ".csi" : ".tbi");
        found = index && gw_file_exists(index);
        free(index);
    }
    return found;
}

// Through the file's index where it has one.
static gw_status read_variants(const view_arguments *a, const char *path, viewed *v) {
    gw_vcf_reader *reader;
    const gw_regions one = {.items = &v->region, .count = 1};
    gw_vcf_filter filter = {.targets = &one};
    if (has_index(path)) filter.regions = &one;
    GW_TRY(gw_vcf_open(path, v->genome, &filter, &reader));
    gw_status status = choose_key(reader, a->key, &v->key);
    if (status == GW_OK) v->numbers = gw_scored_of_numbers(reader, v->key);
    if (status == GW_OK) status = read_records(v, reader);
    gw_vcf_close(reader);
    return status;
}

static gw_status draw(const view_arguments *a, viewed *v) {
    const gw_view view = {.genome = v->genome,
                          .region = v->region,
                          .tracks = v->tracks,
                          .track_count = (int)v->track_count,
                          .genes = v->genes,
                          .gene_count = v->gene_count,
                          .variants = v->variants,
                          .variant_count = v->variant_count,
                          .score_name = v->key,
                          .numbers = v->numbers,
                          .named = a->named};
    return gw_view_draw(&view, a->output);
}

static gw_status collect(const view_arguments *a, const char *variants, viewed *v) {
    if (a->aliases) GW_TRY(gw_genome_read_aliases(v->genome, a->aliases));
    GW_TRY(read_region(a->region, a->genes, v));
    GW_TRY(read_tracks(&a->tracks, v));
    if (a->genes) GW_TRY(read_genes(a->genes, v));
    if (variants) GW_TRY(read_variants(a, variants, v));
    return draw(a, v);
}

static void free_viewed(viewed *v) {
    for (int64_t i = 0; i < v->track_count; i++) {
        free(v->tracks[i].name);
        gw_track_values_free(&v->tracks[i].values);
    }
    for (int64_t i = 0; i < v->variant_count; i++) free(v->variants[i].name);
    free(v->tracks);
    free(v->variants);
    free(v->key);
    for (int64_t i = 0; i < v->gene_count; i++) {
        free(v->genes[i].name);
        free(v->genes[i].exons);
    }
    free(v->genes);
    gw_genome_close(v->genome);
}

static gw_status run(void *arguments, char **operands, int count) {
    const view_arguments *a = arguments;
    viewed v = {0};
    if (count == 0 && a->tracks.count == 0 && !a->genes)
        return gw_fail(GW_ERR_USAGE, "there is nothing to draw: give a VCF, --track or --genes");
    if (a->key && count == 0) return gw_fail(GW_ERR_USAGE, "--key is for the scores of a VCF");
    gw_status status = gw_genome_open(a->fasta, &v.genome);
    if (status == GW_OK) status = collect(a, count > 0 ? operands[0] : NULL, &v);
    free_viewed(&v);
    return status;
}

const gw_command gw_command_view = {
    .name = "view",
    .group = "Variants",
    .summary = "a region as a picture: tracks, genes and scored variants",
    .usage = "-f ref.fa -r chr:beg-end -o region.svg [options] [scored.vcf.gz]",
    .description =
        "Draws each --track, the scores of the variants, and the genes, one above the other. A variant stands at "
        "its POS, as high as its score, red above zero and blue below. A variant without a score is a grey mark on "
        "the line. A variant that creates a stop has a black square. Delta scores of splicing (GW_SPLICE) have "
        "lines at 0.2, 0.5 and 0.8. Exons are boxes on the line of their gene.\n\n"
        "Tracks and scores are scaled to the values of the region, between round numbers that include 0. If a "
        "track's stretches are too narrow to be seen, they share a column from the least to the largest value. "
        "Names of scores without room are left out. Genes whose names have no room stand in a last row and are "
        "counted. A VCF with an index is read through it.",
    .examples =
        "godwit predict -m profiles -f ref.fa -r chr20:1-1000000 --bigwig tracks\n"
        "godwit view -f ref.fa -r chr20:400001-420000 --track tracks --genes genes.gtf.gz -o region.svg scored.vcf.gz",
    GW_COMMAND_TAKES(0, 1),
    .run = run,
};
