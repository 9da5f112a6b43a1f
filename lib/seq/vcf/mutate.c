// SPDX-License-Identifier: MIT
// Makes changes base by base, and writes them as VCF.
#include "seq/vcf/mutate.h"

#include "base/log.h"
#include "base/number.h"
#include "file/lines.h"

#include <stddef.h>

gw_status gw_snvs_next(gw_snvs *of, gw_snv *out, bool *got) {
    static const char bases[] = "ACGT";
    *got = false;
    while (of->region < of->regions->count) {
        const gw_region *region = &of->regions->items[of->region];
        if (of->at >= region->end) {
            of->region++;
            of->at = of->end = 0;
            continue;
        }
        if (of->at < region->begin || of->at >= of->end) { // the piece of the genome that holds the next base
            of->at = of->begin = gw_max(of->at, region->begin);
            of->end = gw_min(of->at + GW_SNVS_PIECE, region->end);
            GW_TRY(gw_check_interrupt());
            GW_TRY(gw_genome_fetch(of->genome, region->contig, of->begin, of->end, of->bases));
        }
        const char ref = of->bases[of->at - of->begin], alt = bases[of->alt];
        *out = (gw_snv){region->contig, of->at, ref, alt};
        if (!bases[++of->alt] || ref == 'N') of->alt = 0, of->at++;
        *got = ref != 'N' && ref != alt;
        if (*got) return GW_OK;
    }
    return GW_OK;
}

void gw_snvs_header(const gw_genome *genome, const char *lines, gw_string *out) {
    gw_string_printf(out, "##fileformat=VCFv4.2\n%s##reference=file://%s\n", lines, gw_genome_path(genome));
    for (int i = 0; i < gw_genome_contigs(genome); i++)
        gw_string_printf(out, "##contig=<ID=%s,length=%lld>\n", gw_genome_name(genome, i),
                         (long long)gw_genome_length(genome, i));
    gw_string_puts(out, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n");
}

static gw_status write_changes(gw_text_writer *writer, gw_snvs *of, int64_t *count) {
    gw_snv snv;
    for (bool got;; ++*count) {
        GW_TRY(gw_snvs_next(of, &snv, &got));
        if (!got) return GW_OK;
        GW_TRY(gw_writer_printf(writer, "%s\t%lld\t.\t%c\t%c\t.\t.\t.\n", gw_genome_name(of->genome, snv.contig),
                                (long long)snv.position + 1, snv.ref, snv.alt));
    }
}

gw_status gw_mutate_write(gw_genome *genome, gw_regions *regions, const gw_mutate_options *options, int64_t *count) {
    gw_snvs changes = {.genome = genome, .regions = regions};
    gw_text_writer *writer;
    *count = 0;
    GW_TRY(gw_writer_open_as(options->output, options->bgzf, &writer));
    gw_regions_merge(regions);
    gw_string lines = {0}, header = {0};
    gw_string_printf(&lines, "##source=%s\n##godwit_command=%s\n", options->source, options->command);
    if (lines.data) gw_snvs_header(genome, lines.data, &header);
    gw_status status = lines.data ? gw_string_status(&header) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_writer_write(writer, header.data, header.length);
    gw_string_free(&lines);
    gw_string_free(&header);
    if (status == GW_OK) status = write_changes(writer, &changes, count);
    return gw_writers_close(status, writer, NULL);
}
