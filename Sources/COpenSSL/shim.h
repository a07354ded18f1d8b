// The interface of a hash that needs no memory is deprecated in OpenSSL 3, and has no successor.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

// What is a macro, or takes a list of parameters that Swift cannot make.

/// A public key in PEM; NULL if it is none.
static inline EVP_PKEY *versiond_key_pem(const unsigned char *text, int count) {
    BIO *file = BIO_new_mem_buf(text, count);
    EVP_PKEY *key = file ? PEM_read_bio_PUBKEY(file, NULL, NULL, NULL) : NULL;
    BIO_free(file);
    ERR_clear_error();
    return key;
}

static inline EVP_PKEY *versiond_key_make(const char *kind, OSSL_PARAM_BLD *builder) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (parameters && context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    ERR_clear_error();
    return key;
}

/// A public RSA key of its modulus and exponent, the highest byte first.
static inline EVP_PKEY *versiond_key_rsa(
    const unsigned char *n, int n_count, const unsigned char *e, int e_count) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *modulus = BN_bin2bn(n, n_count, NULL), *exponent = BN_bin2bn(e, e_count, NULL);
    if (builder && modulus && exponent && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent))
        key = versiond_key_make("RSA", builder);
    BN_free(modulus);
    BN_free(exponent);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/// A public key on P-256 of its point: 4, and 32 bytes for each coordinate.
static inline EVP_PKEY *versiond_key_p256(const unsigned char *point, size_t count) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0)
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count))
        key = versiond_key_make("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/// Whether a key is one on P-256.
static inline int versiond_key_is_p256(EVP_PKEY *key) {
    char name[32];
    size_t count = 0;
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && EVP_PKEY_get_group_name(key, name, sizeof name, &count) == 1
        && strcmp(name, "prime256v1") == 0;
}

/// The DER form of a signature of two numbers of 32 bytes; its length, or 0.
static inline int versiond_signature_der(const unsigned char *pair, unsigned char *out, int room) {
    int count = 0;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(pair, 32, NULL), *s = BN_bin2bn(pair + 32, 32, NULL);
    if (signature && r && s && ECDSA_SIG_set0(signature, r, s)) {
        r = s = NULL;
        if (i2d_ECDSA_SIG(signature, NULL) <= room) count = i2d_ECDSA_SIG(signature, &out);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(signature);
    return count < 0 ? 0 : count;
}

/// Whether a signature is one of these bytes; `hashes`: of their SHA-256.
static inline int versiond_verify(
    EVP_PKEY *key, int hashes, const unsigned char *signature, size_t signature_count,
    const unsigned char *bytes, size_t count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int is_valid = context
        && EVP_DigestVerifyInit(context, NULL, hashes ? EVP_sha256() : NULL, NULL, key) == 1
        && EVP_DigestVerify(context, signature, signature_count, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return is_valid;
}

/// The state of a SHA-256 that is not complete; it can be copied.
typedef SHA256_CTX versiond_sha256;

// The one-call interface allocates for each hash, and so costs three times as much for a short text.
static inline void versiond_sha256_begin(versiond_sha256 *state) { SHA256_Init(state); }

static inline void versiond_sha256_add(versiond_sha256 *state, const void *bytes, size_t count) {
    SHA256_Update(state, bytes, count);
}

static inline void versiond_sha256_end(versiond_sha256 *state, void *digest) { SHA256_Final(digest, state); }
