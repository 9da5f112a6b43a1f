// SPDX-License-Identifier: MIT
// Writes and reads the list of contigs that a model was trained on, and warns of a different genome.
#include "task/trained_on.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/model.h"
#include "store/checkpoint.h"

#include <stdlib.h>

static const double ENOUGH = 0.5; // of a genome's bases: parts of it and other names are the same genome

// Those of a folder or of an installed model; none where it does not say.
static gw_status read_of(const char *model, gw_contig_sizes *sizes) {
    char *folder;
    GW_TRY(gw_checkpoint_folder(model, &folder));
    char *path = gw_join_path(folder, gw_model_genomes_file);
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(path)) status = gw_contig_sizes_read(sizes, path);
    free(folder);
    free(path);
    return status;
}

static gw_status write_to(const char *folder, const gw_contig_sizes *genomes) {
    char *path = gw_join_path(folder, gw_model_genomes_file);
    gw_status status = path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_contig_sizes_write(genomes, path);
    free(path);
    return status;
}

gw_status gw_trained_on_write(const char *folder, const char *start, const gw_contig_sizes *genomes) {
    gw_contig_sizes all = {0};
    gw_status status = start ? read_of(start, &all) : GW_OK;
    const bool known = genomes->count > 0 && (!start || all.count > 0);
    if (status == GW_OK && known) status = gw_contig_sizes_join(&all, genomes);
    if (status == GW_OK && known) status = write_to(folder, &all);
    gw_contig_sizes_free(&all);
    return status;
}

static gw_status write_those_of(const char *folder, const char *start) {
    gw_contig_sizes all = {0};
    gw_status status = start ? read_of(start, &all) : GW_OK;
    if (status == GW_OK && all.count > 0) {
        gw_note("%s: the sequences are assumed to be from the genome that %s was trained on; if they are from another "
                "genome, name it with -f",
                folder, start);
        status = write_to(folder, &all);
    } else if (status == GW_OK) {
        gw_note("%s does not record the genome of its sequences, so score cannot warn if it is given another genome: "
                "name the genome with -f",
                folder);
    }
    gw_contig_sizes_free(&all);
    return status;
}

gw_status gw_trained_on_write_genome(const char *folder, const char *start, gw_genome *genome) {
    if (!genome) return write_those_of(folder, start);
    gw_contig_sizes genomes = {0};
    gw_status status = gw_contig_sizes_add(&genomes, genome);
    if (status == GW_OK) status = gw_trained_on_write(folder, start, &genomes);
    gw_contig_sizes_free(&genomes);
    return status;
}

gw_status gw_keep_reference(gw_genome *genome, gw_config *config) {
    char md5[33];
    GW_TRY(gw_genome_md5(genome, md5));
    free(config->reference_md5);
    config->reference_md5 = gw_strdup(md5);
    return config->reference_md5 ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_trained_on_check(const char *folder, const gw_model *model, const gw_genome *genome) {
    gw_contig_sizes sizes = {0};
    double share = 1;
    gw_status status = read_of(folder, &sizes);
    const bool known = sizes.count > 0;
    if (status == GW_OK && known) status = gw_contig_sizes_share(&sizes, genome, &share);
    gw_contig_sizes_free(&sizes);
    if (status == GW_OK && share < ENOUGH)
        gw_warn("This genome does not look like the one that the model was trained on; do not use these scores. Only "
                "%.2g %% of the bases of %s lie on contigs as long as those of the genome of %s (its %s). A part that "
                "was cut out of that genome looks foreign too",
                100 * share, gw_genome_path(genome), folder, gw_model_genomes_file);
    if (status == GW_OK && !known && model->config.command)
        gw_note("%s does not say which genome it was trained on: make sure that it was %s "
                "(docs/reference/models.md says how to name it in the model's folder)",
                folder, gw_genome_path(genome));
    return status;
}
