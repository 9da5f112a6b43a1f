// SPDX-License-Identifier: MIT
// Regions of a variant file through its index (.tbi or .csi). Regions name contigs of the genome; the index has the
// file's own names, so each of its contigs is asked which contig of the genome it is.
#include "seq/vcf/vcf_private.h"

#include "base/log.h"
#include "base/memory.h"

#include <htslib/bgzf.h>
#include <stdlib.h>
#include <sys/stat.h>

// The one that HTSlib takes, where it is a file.
static gw_status warn_of_older_index(const char *path) {
    static const char *const suffixes[] = {".csi", ".tbi"};
    struct stat of_index, of_file;
    bool found = stat(path, &of_file) != 0;
    for (int i = 0; i < 2 && !found; i++) {
        char *index = gw_strprintf("%s%s", path, suffixes[i]);
        if (!index) return GW_ERR_MEMORY;
        found = stat(index, &of_index) == 0;
        if (found && of_index.st_mtime < of_file.st_mtime)
            gw_warn("%s is older than %s: records that it does not know are missed (bcftools index -f makes a new one)",
                    index, path);
        free(index);
    }
    return GW_OK;
}

gw_status gw_vcf_open_index(gw_vcf_reader *reader) {
    const htsFormat *format = hts_get_format(reader->file);
    if (format->compression != bgzf)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "regions need a BGZF-compressed, indexed file: bgzip %s and index it, or use targets",
                       reader->path);
    if (gw_vcf_is_bcf(reader)) reader->index = bcf_index_load3(reader->path, NULL, HTS_IDX_SILENT_FAIL);
    else reader->tabix = tbx_index_load3(reader->path, NULL, HTS_IDX_SILENT_FAIL);
    if (!reader->index && !reader->tabix)
        return gw_fail(GW_ERR_IO, "%s has no index (.csi or .tbi), which regions need: make one with bcftools index",
                       reader->path);
    GW_TRY(warn_of_older_index(reader->path));
    if (reader->tabix) reader->names = tbx_seqnames(reader->tabix, &reader->name_count);
    else reader->name_count = gw_vcf_declared_contigs(reader);
    return GW_OK;
}

void gw_vcf_close_index(gw_vcf_reader *reader) {
    if (reader->iterator) hts_itr_destroy(reader->iterator);
    if (reader->tabix) tbx_destroy(reader->tabix);
    if (reader->index) hts_idx_destroy(reader->index);
    free(reader->names);
}

// Looks for the next pair of region and contig of the index that match; *found is false after the last.
static gw_status next_query(gw_vcf_reader *reader, bool *found) {
    const gw_regions *regions = reader->filter.regions;
    *found = false;
    for (; reader->region < regions->count; reader->region++, reader->name = 0) {
        const gw_region *region = &regions->items[reader->region];
        while (reader->name < reader->name_count) {
            const int id = reader->name++;
            const char *name = reader->names ? reader->names[id] : gw_vcf_declared_contig(reader, id);
            if (!name || gw_genome_find(reader->genome, name, -1) != region->contig) continue;
            const gw_region *before = reader->region > 0 ? region - 1 : NULL;
            reader->skip_below = before && before->contig == region->contig ? before->end : INT64_MIN;
            if (reader->iterator) hts_itr_destroy(reader->iterator);
            reader->iterator = reader->tabix ? tbx_itr_queryi(reader->tabix, id, region->begin, region->end)
                                             : bcf_itr_queryi(reader->index, id, region->begin, region->end);
            *found = reader->iterator != NULL;
            return *found ? GW_OK : gw_fail(GW_ERR_FORMAT, "the index of %s cannot be read for %s", reader->path, name);
        }
    }
    return GW_OK;
}

gw_status gw_vcf_next_indexed(gw_vcf_reader *reader, bcf1_t *bcf, bool *got) {
    *got = false;
    for (;;) {
        if (reader->iterator) {
            const int result = bcf ? bcf_itr_next(reader->file, reader->iterator, bcf)
                                   : tbx_itr_next(reader->file, reader->tabix, reader->iterator, &reader->line);
            if (result < -1) return gw_vcf_damaged(reader);
            *got = result >= 0;
            if (*got) return GW_OK;
        }
        bool found;
        GW_TRY(next_query(reader, &found));
        if (!found) return GW_OK;
    }
}
