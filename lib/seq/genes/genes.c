// SPDX-License-Identifier: MIT
// Genes overlap and nest, so their ends are not sorted. The largest end so far is sorted, and a search on it finds the
// first gene that can reach a position.
#include "seq/genes/genes.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "base/parse.h"
#include "seq/genes/gene_models.h"
#include "seq/vcf/vcf.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t no_contig, off_contig;
    const char *unknown; // a contig that the genome lacks
} left_out;

// What INFO values may hold, and & apart from that between names.
static char *encode(const char *name) {
    gw_string text = {0};
    for (const char *rest = name; rest;) {
        const char *amp = strchr(rest, '&');
        char *part = amp ? gw_strndup(rest, (size_t)(amp - rest)) : gw_strdup(rest);
        if (part) gw_percent_encode(&text, part);
        else text.failed = true;
        if (amp) gw_string_puts(&text, "%26");
        free(part);
        rest = amp ? amp + 1 : NULL;
    }
    if (!text.failed) return text.data;
    gw_string_free(&text);
    return NULL;
}

static gw_status add_gene(gw_genes *genes, const gw_genome *genome, const gw_feature *f, left_out *out) {
    gw_region gene = {.begin = f->begin, .end = f->end, .strand = f->strand, .line = f->line};
    if (!f->name) return GW_OK;
    gene.contig = gw_genome_find(genome, f->contig, -1);
    if (gene.contig < 0) {
        out->no_contig++;
        out->unknown = f->contig;
        return GW_OK;
    }
    const bool off = gene.begin >= gw_genome_length(genome, gene.contig);
    out->off_contig += off;
    if (off) return GW_OK;
    gene.name = encode(f->name);
    return gene.name ? gw_regions_add(&genes->regions, gene) : GW_ERR_MEMORY;
}

static gw_status say_left_out(const gw_features *features, const char *path, const gw_genome *genome,
                              const left_out *out, int64_t kept) {
    if (features->unnamed > 0)
        gw_warn("%s: %lld genes have no name and are left out", path, (long long)features->unnamed);
    if (out->off_contig > 0)
        gw_warn("%s: %lld genes start past the end of their contig and are left out: is %s the annotation's assembly?",
                path, (long long)out->off_contig, gw_genome_path(genome));
    if (out->no_contig > 0)
        gw_warn("%s: %lld of %lld genes lie on contigs that %s lacks, such as '%s', and are left out; it has '%s' and "
                "%d others: --chr-map gives names",
                path, (long long)out->no_contig, (long long)features->count, gw_genome_path(genome), out->unknown,
                gw_genome_name(genome, 0), gw_genome_contigs(genome) - 1);
    if (kept > 0) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s: none of its %lld genes has a name and lies on %s", path,
                   (long long)features->count, gw_genome_path(genome));
}

gw_status gw_genes_read(const char *path, gw_genome *genome, gw_genes *genes) {
    const gw_gff_options options = {gw_gff_genes, "gene_name,gene,Name,gene_id,ID,feature"};
    gw_features features = {0};
    left_out out = {0};
    *genes = (gw_genes){0};
    gw_status status = gw_features_read(path, &options, &features);
    for (int64_t i = 0; status == GW_OK && i < features.count; i++)
        status = add_gene(genes, genome, &features.items[i], &out);
    if (status == GW_OK) status = say_left_out(&features, path, genome, &out, genes->regions.count);
    const gw_regions *all = &genes->regions;
    if (status == GW_OK) gw_regions_sort(&genes->regions);
    if (status == GW_OK && !(genes->reach = gw_alloc(all->count, sizeof *genes->reach))) status = GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < all->count; i++) {
        const bool goes_on = i > 0 && all->items[i - 1].contig == all->items[i].contig;
        genes->reach[i] = gw_max(goes_on ? genes->reach[i - 1] : 0, all->items[i].end);
    }
    gw_features_free(&features);
    if (status != GW_OK) gw_genes_free(genes);
    return status;
}

void gw_genes_free(gw_genes *genes) {
    gw_regions_free(&genes->regions);
    free(genes->reach);
    genes->reach = NULL;
}

bool gw_genes_at(const gw_genes *genes, int contig, int64_t begin, int64_t end, gw_string *names) {
    const int64_t before = names ? names->length : 0;
    const gw_regions *all = &genes->regions;
    gw_names listed = {0};
    if (contig < 0) return false;
    // The first gene of this contig, or of a later one, with one up to it that ends behind `begin`.
    int64_t i = GW_FIRST_NOT(
        k, all->count, all->items[k].contig < contig || (all->items[k].contig == contig && genes->reach[k] <= begin));
    for (; i < all->count; i++) {
        const gw_region *gene = &all->items[i];
        if (gene->contig != contig || gene->begin >= end) break;
        if (gene->end <= begin) continue;
        if (!names) return true;
        const int64_t known = listed.count;
        int64_t index;
        if (gw_names_add(&listed, gene->name, &index) != GW_OK) {
            names->failed = true;
            break;
        }
        if (index < known) continue;
        if (index > 0) gw_string_putc(names, '&');
        gw_string_puts(names, gene->name);
    }
    gw_names_free(&listed);
    return names && names->length > before;
}

static const char PREFIX[] = "gene:";

bool gw_regions_name_genes(const char *list) {
    for (const char *at = list; at; at = gw_next_item(at, ','))
        if (gw_has_prefix(at, PREFIX)) return true;
    return false;
}

static void append(gw_string *out, const char *text, int64_t length) {
    if (out->length > 0) gw_string_putc(out, ',');
    gw_string_append(out, text, length);
}

// Goes through all transcripts for each name: lists are short.
static gw_status append_gene(const gw_gene_models *models, const gw_genome *genome, const char *path, const char *name,
                             gw_string *out) {
    bool any = false;
    for (int contig = 0; contig < gw_genome_contigs(genome); contig++) {
        int64_t begin = INT64_MAX, end = 0;
        for (int64_t i = models->first[contig]; i < models->first[contig + 1]; i++) {
            const gw_gene_model *gene = &models->items[i];
            if (!gw_gene_is_called(gene, name, strlen(name))) continue;
            begin = gw_min(begin, gene->begin);
            end = gw_max(end, gene->end);
        }
        if (end == 0) continue;
        any = true;
        append(out, gw_genome_name(genome, contig), (int64_t)strlen(gw_genome_name(genome, contig)));
        gw_string_printf(out, ":%lld-%lld", (long long)begin + 1, (long long)end);
    }
    if (any) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s has no gene '%s' on %s", path, name, gw_genome_path(genome));
}

static gw_status write_places(const char *list, const char *path, gw_genome *genome, gw_string *out) {
    gw_gene_models models = {0};
    if (!path) return gw_fail(GW_ERR_USAGE, "regions '%.60s': --genes says where a gene is", list);
    gw_status status = gw_transcripts_read(path, genome, &models);
    for (const char *at = list; at && status == GW_OK;) {
        const char *comma = strchr(at, ',');
        const int64_t length = comma ? comma - at : (int64_t)strlen(at);
        char name[256] = "";
        const int64_t skipped = (int64_t)sizeof PREFIX - 1;
        if (!gw_has_prefix(at, PREFIX)) append(out, at, length);
        else if (length - skipped >= (int64_t)sizeof name)
            status = gw_fail(GW_ERR_USAGE, "region '%.40s...': the name is too long", at);
        else {
            memcpy(name, at + skipped, (size_t)(length - skipped));
            status = append_gene(&models, genome, path, name, out);
        }
        at = comma ? comma + 1 : NULL;
    }
    gw_gene_models_free(&models);
    return status == GW_OK ? gw_string_status(out) : status;
}

gw_status gw_place_genes(const char **list, const char *path, gw_genome *genome, gw_string *own) {
    if (!gw_regions_name_genes(*list)) return GW_OK;
    GW_TRY(write_places(*list, path, genome, own));
    *list = own->data;
    return GW_OK;
}

gw_status gw_regions_parse_genes(gw_regions *regions, gw_genome *genome, const char *list, const char *path) {
    gw_string own = {0};
    gw_status status = gw_place_genes(&list, path, genome, &own);
    if (status == GW_OK) status = gw_regions_parse(regions, genome, list);
    gw_string_free(&own);
    return status;
}
