// SPDX-License-Identifier: MIT
// MD5 by HTSlib; SHA-1 and SHA-256 by FIPS 180-4, with its names of variables and functions.
#include "file/digest.h"

#include "base/number.h"
#include "base/output.h"

#include <htslib/hts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hts_md5_context *context_of(gw_md5 *md5) {
    return (hts_md5_context *)md5;
}

gw_status gw_md5_start(gw_md5 **md5) {
    *md5 = (gw_md5 *)hts_md5_init();
    return *md5 ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory for an MD5");
}

void gw_md5_add(gw_md5 *md5, const void *bytes, int64_t count) {
    hts_md5_update(context_of(md5), bytes, (unsigned long)count);
}

void gw_md5_finish_hex(gw_md5 *md5, char hex[33]) {
    unsigned char digest[16];
    hts_md5_final(digest, context_of(md5));
    hts_md5_hex(hex, digest);
    hts_md5_destroy(context_of(md5));
}

gw_status gw_md5_file(const char *path, char hex[33]) {
    char *bytes;
    int64_t count;
    gw_md5 *md5;
    GW_TRY(gw_read_file(path, &bytes, &count));
    const gw_status status = gw_md5_start(&md5);
    if (status == GW_OK) {
        gw_md5_add(md5, bytes, count);
        gw_md5_finish_hex(md5, hex);
    }
    free(bytes);
    return status;
}

enum { BLOCK = 64, LENGTH_AT = 56, ROUNDS_1 = 80, ROUNDS_256 = 64 };

static uint32_t rotl(uint32_t x, int n) {
    return x << n | x >> (32 - n);
}

static uint32_t rotr(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}

typedef void compress_block(uint32_t *state, const unsigned char block[BLOCK]);

static void add(uint32_t *state, uint64_t *bytes, unsigned char block[BLOCK], compress_block *compress,
                const unsigned char *from, int64_t count) {
    while (count > 0) {
        const int64_t held = (int64_t)(*bytes % BLOCK), taken = gw_min(count, BLOCK - held);
        memcpy(block + held, from, (size_t)taken);
        *bytes += (uint64_t)taken;
        from += taken;
        count -= taken;
        if (held + taken == BLOCK) compress(state, block);
    }
}

static void finish(uint32_t *state, uint64_t bytes, unsigned char block[BLOCK], compress_block *compress, int words,
                   char *hex) {
    static const unsigned char padding[BLOCK] = {0x80};
    const uint64_t bits = bytes * 8;
    const int64_t held = (int64_t)(bytes % BLOCK);
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    add(state, &bytes, block, compress, padding, held < LENGTH_AT ? LENGTH_AT - held : BLOCK + LENGTH_AT - held);
    add(state, &bytes, block, compress, length, sizeof length);
    for (int i = 0; i < words; i++) snprintf(hex + 8 * i, 9, "%08x", state[i]);
}

// The block's sixteen words, most significant byte first, begin the schedule.
static void first_words(const unsigned char block[BLOCK], uint32_t *w) {
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
}

static void compress_1(uint32_t *state, const unsigned char block[BLOCK]) {
    static const uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t w[ROUNDS_1], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    first_words(block, w);
    for (int t = 16; t < ROUNDS_1; t++) w[t] = rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < ROUNDS_1; t++) {
        const uint32_t choose = (b & c) ^ (~b & d), parity = b ^ c ^ d, majority = (b & c) ^ (b & d) ^ (c & d);
        const uint32_t f = t < 20 ? choose : t >= 40 && t < 60 ? majority : parity;
        const uint32_t next = rotl(a, 5) + f + e + k[t / 20] + w[t];
        e = d, d = c, c = rotl(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

void gw_sha1_start(gw_sha1 *sha) {
    *sha = (gw_sha1){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
}

void gw_sha1_add(gw_sha1 *sha, const void *bytes, int64_t count) {
    add(sha->state, &sha->bytes, sha->block, compress_1, bytes, count);
}

void gw_sha1_finish(gw_sha1 *sha, char hex[GW_SHA1_HEX]) {
    finish(sha->state, sha->bytes, sha->block, compress_1, 5, hex);
}

// The constants are the first 32 bits of the fractions of square and cube roots of primes (FIPS 180-4, 4.2.2, 5.3.3).
static const uint32_t k[ROUNDS_256] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static void compress_256(uint32_t *state, const unsigned char block[BLOCK]) {
    uint32_t w[ROUNDS_256], v[8]; // v: a to h
    first_words(block, w);
    for (int t = 16; t < ROUNDS_256; t++) {
        const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    memcpy(v, state, sizeof v);
    for (int t = 0; t < ROUNDS_256; t++) {
        const uint32_t sigma1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
        const uint32_t sigma0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        const uint32_t ch = (v[4] & v[5]) ^ (~v[4] & v[6]), maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t t1 = v[7] + sigma1 + ch + k[t] + w[t];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + sigma0 + maj;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

void gw_sha256_start(gw_sha256 *sha) {
    *sha = (gw_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void gw_sha256_add(gw_sha256 *sha, const void *bytes, int64_t count) {
    add(sha->state, &sha->bytes, sha->block, compress_256, bytes, count);
}

void gw_sha256_finish(gw_sha256 *sha, char hex[GW_SHA256_HEX]) {
    finish(sha->state, sha->bytes, sha->block, compress_256, 8, hex);
}
