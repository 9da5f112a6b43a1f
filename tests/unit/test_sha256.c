// SPDX-License-Identifier: MIT
// SHA-256 on the standard's examples (FIPS 180-4, NIST's example values), whatever the pieces.
#include "file/sha256.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(sha256, .init = scratch_enter, .fini = scratch_leave);

static void expect(const char *text, int64_t repeats, const char *hex) {
    gw_sha256 sha;
    char found[GW_SHA256_HEX];
    gw_sha256_start(&sha);
    for (int64_t i = 0; i < repeats; i++) gw_sha256_add(&sha, text, (int64_t)strlen(text));
    gw_sha256_finish(&sha, found);
    cr_expect_str_eq(found, hex);
}

Test(sha256, examples) {
    expect("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    expect("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
           10000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

Test(sha256, files) {
    char hex[GW_SHA256_HEX];
    int64_t bytes;
    scratch_text("abc", "abc");
    cr_assert_eq(gw_sha256_file("abc", hex, &bytes), GW_OK);
    cr_expect_eq(bytes, 3);
    cr_expect_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cr_expect_eq(gw_sha256_file("nobody", hex, &bytes), GW_ERR_IO);
    cr_expect(strstr(gw_message(), "nobody"), "%s", gw_message());
}
