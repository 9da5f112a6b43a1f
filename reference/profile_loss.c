// SPDX-License-Identifier: MIT
// The counts n_i of a sequence as one draw of N = sum of n_i from a multinomial with softmax probabilities, and the
// logarithm of their total as a number (Avsec et al., 2021):
//   loss = -ln(N! / prod n_i!) - sum n_i ln p_i + w (ln(1 + N) - c)^2
// c is the mean of the last column of logits, from `margin` rows before the first row with counts to `margin` rows
// behind the last one.
#include "reference/ref.h"

#include <math.h>

double ref_profile_loss(int64_t rows, int64_t columns, int64_t margin, double count_weight, const double *logit,
                        const double *label, double scale, double *gradient) {
    int64_t first = rows, last = -1;
    double total = 0.0, sum = 0.0, mean = 0.0;
    for (int64_t i = 0; i < rows * (columns + 1); i++) gradient[i] = 0.0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < columns; k++) {
            if (isnan(label[r * columns + k])) continue;
            if (first == rows) first = r;
            last = r;
            total += label[r * columns + k];
            sum += exp(logit[r * (columns + 1) + k]);
        }
    if (last < 0) return NAN;
    const int64_t begin = first > margin ? first - margin : 0;
    const int64_t end = last + 1 + margin < rows ? last + 1 + margin : rows;
    for (int64_t r = begin; r < end; r++) mean += logit[r * (columns + 1) + columns] / (double)(end - begin);
    const double apart = mean - log(1.0 + total);
    double loss = count_weight * apart * apart - lgamma(total + 1.0);
    for (int64_t r = first; r <= last; r++)
        for (int64_t k = 0; k < columns; k++) {
            const double n = label[r * columns + k], p = exp(logit[r * (columns + 1) + k]) / sum;
            if (isnan(n)) continue;
            loss += lgamma(n + 1.0) - n * log(p);
            gradient[r * (columns + 1) + k] = scale * (total * p - n);
        }
    for (int64_t r = begin; r < end; r++)
        gradient[r * (columns + 1) + columns] = scale * count_weight * 2.0 * apart / (double)(end - begin);
    return loss;
}
