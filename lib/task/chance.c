// SPDX-License-Identifier: MIT
// Compares running means.
#include "task/chance.h"

bool gw_chance_stays(gw_chance *chance, double loss, double guess) {
    static const int64_t memory = 50; // steps
    static const double near = 0.995;
    chance->steps++;
    const double share = 1 / (double)(chance->steps < memory ? chance->steps : memory);
    chance->loss += share * (loss - chance->loss);
    chance->guess += share * (guess - chance->guess);
    if (chance->steps < chance->patience || chance->loss < near * chance->guess) return false;
    chance->patience = 2 * chance->steps;
    return true;
}
