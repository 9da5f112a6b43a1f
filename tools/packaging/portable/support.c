// SPDX-License-Identifier: MIT
// Additions of the portable build (portable/README in tools/packaging) to the libraries linked into it: the path of the
// machine's certificates for HTSlib's connections, and a function of newer C libraries that one of the libraries calls.
#include <curl/curl.h>
#include <stdlib.h>
#include <unistd.h>

// Debian's family, Red Hat's, SUSE's, Alpine's and OpenBSD's place, FreeBSD's.
static const char *const bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
};

static const char *certificates(void) {
    const char *named = getenv("SSL_CERT_FILE");
    if (named && *named) return named;
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++)
        if (access(bundles[i], R_OK) == 0) return bundles[i];
    return NULL;
}

CURL *__real_curl_easy_init(void);
CURL *__wrap_curl_easy_init(void);

// By the linker's --wrap=curl_easy_init: every connection of the program begins here.
CURL *__wrap_curl_easy_init(void) {
    CURL *connection = __real_curl_easy_init();
    const char *file = certificates(), *folder = getenv("SSL_CERT_DIR");
    if (connection && file) curl_easy_setopt(connection, CURLOPT_CAINFO, file);
    if (connection && folder && *folder) curl_easy_setopt(connection, CURLOPT_CAPATH, folder);
    return connection;
}

// glibc has it from 2.36 on, and so the expat that was built there calls it.
void arc4random_buf(void *bytes, size_t count);

void arc4random_buf(void *bytes, size_t count) {
    enum { AT_ONCE = 256 }; // what getentropy() gives
    for (char *at = bytes; count > 0;) {
        const size_t part = count < AT_ONCE ? count : AT_ONCE;
        if (getentropy(at, part) != 0) abort();
        at += part, count -= part;
    }
}
