// SPDX-License-Identifier: MIT
// Pangolin (Zeng and Li, 2022): SpliceAI's trunk, with the probability of each base to be a splice site in a tissue. A
// file final.J.I.3.v2 is the J-th network trained for output I of eight. Outputs 0, 2, 4, 6 are sites in heart, liver,
// brain and testis: conv_last1, 3, 5 and 7 of the file, a softmax of two channels. The odd outputs are usage, which
// scores of variants do not need. The second value of a softmax of two is the logistic function of their difference.
//
// Each network has its own label, TISSUE_J. A variant's change in a tissue is the mean over the networks of ALT - REF.
// Its gain is the largest change in any tissue, its loss the lowest, at any position.
#include "model/config_reader.h"
#include "model/convert.h"
#include "model/family.h"
#include "model/splice_weights.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 32, TISSUES = 4 };

static const char files[] = "final.[1-9].[0246].3.v2";
static const char *const tissues[TISSUES] = {"heart", "liver", "brain", "testis"};

static void describe(gw_builder *b) {
    gw_splice_describe(b, "pangolin.");
}

// Means over the networks of each tissue at a row: REF and ALT.
static void average(const gw_base_rows *of, int64_t row, double ref[TISSUES], double alt[TISSUES], int count[TISSUES]) {
    const int64_t labels = of->config->labels;
    memset(count, 0, TISSUES * sizeof *count);
    for (int t = 0; t < TISSUES; t++) ref[t] = alt[t] = 0;
    for (int64_t l = 1; l < labels; l++) {
        const char *label = of->config->label_names[l];
        int t = 0; // TISSUE_J
        while (t < TISSUES && !(gw_has_prefix(label, tissues[t]) && label[strlen(tissues[t])] == '_')) t++;
        if (t == TISSUES) continue;
        ref[t] += (double)of->ref[row * labels + l];
        alt[t] += (double)of->alt[row * labels + l];
        count[t]++;
    }
    for (int t = 0; t < TISSUES; t++) ref[t] /= count[t] > 0 ? count[t] : 1;
    for (int t = 0; t < TISSUES; t++) alt[t] /= count[t] > 0 ? count[t] : 1;
}

static void change(const gw_base_rows *of, float values[GW_ANSWER_VALUES]) {
    for (int64_t row = 0; row < of->rows; row++) {
        double ref[TISSUES], alt[TISSUES];
        int count[TISSUES];
        average(of, row, ref, alt, count);
        for (int loss = 0; loss < 2; loss++) {
            int best = -1;
            for (int t = 0; t < TISSUES; t++) {
                const double more = best < 0 ? 1 : (alt[t] - ref[t]) - (alt[best] - ref[best]);
                if (count[t] > 0 && (best < 0 || (loss ? more < 0 : more > 0))) best = t;
            }
            if (best < 0) return;
            float size = (float)(loss ? ref[best] - alt[best] : alt[best] - ref[best]);
            if (of->boundary && of->boundary[row] != loss && size > 0) size = 0;
            if (row > 0 && !(size > values[loss])) continue;
            values[loss] = size;
            values[2 + loss] = (float)(row - of->at);
            values[4 + loss] = (float)ref[best];
            values[6 + loss] = (float)alt[best];
        }
    }
}

// A network fills a label of its own: the model's classes are sums.
static double share(int64_t members) {
    (void)members;
    return 1;
}

// Pangolin reads beyond the ends of genes.
static void read_contig(int64_t contig_length, int64_t *begin, int64_t *end) {
    *begin = 0;
    *end = contig_length;
}

// It compares rows to so many behind REF's last base, not behind POS.
static int64_t rows_from(int64_t distance, int64_t ref_length) {
    return ref_length + distance;
}

const gw_family_row gw_family_pangolin = {
    .model_type = "godwit",
    .prefix = "Pangolin",
    .set_defaults = gw_splice_defaults,
    .read = gw_config_read_bases,
    .describe = describe,
    .scoring = {.name = "site", .change = change, .share = share, .read = read_contig, .rows_from = rows_from},
};

// ---- files

static void name_layer(gw_splice_layer_kind kind, int units, char out[GW_SPLICE_LAYER_NAME]) {
    static const char *const of_unit[] = {[GW_SPLICE_NORM] = "bn1",
                                          [GW_SPLICE_CONVOLUTION] = "conv1",
                                          [GW_SPLICE_SECOND_NORM] = "bn2",
                                          [GW_SPLICE_SECOND] = "conv2"};
    if (kind == GW_SPLICE_FIRST) snprintf(out, GW_SPLICE_LAYER_NAME, "conv1");
    else if (kind != GW_SPLICE_SKIP) snprintf(out, GW_SPLICE_LAYER_NAME, "resblocks.%d.%s", units, of_unit[kind]);
    else if (units == 0) snprintf(out, GW_SPLICE_LAYER_NAME, "skip");
    else snprintf(out, GW_SPLICE_LAYER_NAME, "convs.%d", units / GW_SPLICE_STAGE_UNITS - 1);
}

// J and the tissue are said by the name alone: every file has all eight outputs.
static gw_status parse_name(const char *path, int *network, int *tissue) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (fnmatch(files, name, 0) != 0)
        return gw_fail(GW_ERR_FORMAT,
                       "%s: expected a name like final.1.0.3.v2, of network J and output I (0, 2, 4 or 6)", path);
    *network = name[strlen("final.")] - '0';
    *tissue = (name[strlen("final.1.")] - '0') / 2;
    return GW_OK;
}

static gw_status name_label(const char *path, gw_string *name) {
    int network, tissue;
    GW_TRY(parse_name(path, &network, &tissue));
    gw_string_printf(name, "%s_%d", tissues[tissue], network);
    return GW_OK;
}

static gw_status read_logit(gw_splice_source *from, const char *path, float *weight, float *bias) {
    int network, tissue;
    GW_TRY(parse_name(path, &network, &tissue));
    for (int output = 0; output < 2 * TISSUES; output++) { // all are read, so that what is missing is named
        const int64_t channels = output % 2 == 0 ? 2 : 1;
        const float *values;
        char name[GW_SPLICE_LAYER_NAME];
        snprintf(name, sizeof name, "conv_last%d.weight", output + 1);
        GW_TRY(gw_splice_source_read(from, name, (const int64_t[3]){channels, CHANNELS, 1}, &values));
        for (int c = 0; output == 2 * tissue && c < CHANNELS; c++) weight[c] = values[CHANNELS + c] - values[c];
        snprintf(name, sizeof name, "conv_last%d.bias", output + 1);
        GW_TRY(gw_splice_source_read(from, name, (const int64_t[3]){channels}, &values));
        if (output == 2 * tissue) *bias = values[1] - values[0];
    }
    return GW_OK;
}

gw_status gw_model_from_pangolin(const char *path, gw_model **out) {
    static const gw_family family = GW_FAMILY_PANGOLIN;
    static const gw_splice_weights layout = {.are = "a state dict of Pangolin",
                                             .files = files,
                                             .unit = "unit",
                                             .weight = ".weight",
                                             .bias = ".bias",
                                             .norm = {".weight", ".bias", ".running_mean", ".running_var"},
                                             .batches = ".num_batches_tracked",
                                             .epsilon = 1e-5,
                                             .name = name_layer,
                                             .family = &family,
                                             .label = name_label,
                                             .logit = read_logit};
    return gw_splice_weights_read(&layout, path, out);
}
