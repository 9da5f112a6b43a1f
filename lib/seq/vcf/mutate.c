// SPDX-License-Identifier: MIT
// Writes a VCF header and then one record a change, base by base.
#include "seq/vcf/mutate.h"

#include "base/log.h"
#include "file/lines.h"

#include <stddef.h>

static gw_status write_header(gw_text_writer *writer, const gw_genome *genome, const gw_mutate_options *options) {
    GW_TRY(gw_writer_printf(writer, "##fileformat=VCFv4.2\n##source=%s\n##godwit_command=%s\n##reference=file://%s\n",
                            options->source, options->command, gw_genome_path(genome)));
    for (int i = 0; i < gw_genome_contigs(genome); i++)
        GW_TRY(gw_writer_printf(writer, "##contig=<ID=%s,length=%lld>\n", gw_genome_name(genome, i),
                                (long long)gw_genome_length(genome, i)));
    return gw_writer_printf(writer, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n");
}

static gw_status write_base(gw_text_writer *writer, const char *name, int64_t position, char reference,
                            int64_t *count) {
    if (reference == 'N') return GW_OK;
    for (const char *base = "ACGT"; *base; base++) {
        if (*base == reference) continue;
        GW_TRY(gw_writer_printf(writer, "%s\t%lld\t.\t%c\t%c\t.\t.\t.\n", name, (long long)position + 1, reference,
                                *base));
        ++*count;
    }
    return GW_OK;
}

static gw_status write_region(gw_text_writer *writer, gw_genome *genome, const gw_region *region, int64_t *count) {
    enum { PIECE = 4096 };
    char bases[PIECE];
    for (int64_t at = region->begin; at < region->end; at += PIECE) {
        const int64_t end = at + PIECE < region->end ? at + PIECE : region->end;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_genome_fetch(genome, region->contig, at, end, bases));
        for (int64_t i = at; i < end; i++)
            GW_TRY(write_base(writer, gw_genome_name(genome, region->contig), i, bases[i - at], count));
    }
    return GW_OK;
}

gw_status gw_mutate_write(gw_genome *genome, gw_regions *regions, const gw_mutate_options *options, int64_t *count) {
    *count = 0;
    gw_text_writer *writer;
    GW_TRY(gw_writer_open_as(options->output, options->bgzf, &writer));
    gw_regions_merge(regions);
    gw_status status = write_header(writer, genome, options);
    for (int64_t i = 0; i < regions->count && status == GW_OK; i++)
        status = write_region(writer, genome, &regions->items[i], count);
    return gw_writers_close(status, writer, NULL);
}
