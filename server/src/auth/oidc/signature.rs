//! Signatures of tokens, checked by ring, which does TLS here as well.
//!
//! The library for tokens wants to be told who does its cryptography. What it brings along would compile C for a
//! minute, or bring an RSA whose private half leaks its time; ring is here already, and only checks.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{Error as Wrong, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature as by;
use ring::signature::{RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm};

/// Makes it the one of this process. Another one that an application chose before is as good.
pub(super) fn install() {
    static RING: CryptoProvider = CryptoProvider {
        signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
        verifier_factory: |algorithm, key| verifier(*algorithm, key),
        key_utils: KeyUtils::new_unimplemented(),
    };
    let _ = RING.install_default();
}

/// How an algorithm is checked.
enum Scheme {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

/// Checks signatures of one key by one algorithm.
struct Check {
    algorithm: Algorithm,
    scheme: Scheme,
    key: DecodingKeyKind,
}

fn verifier(algorithm: Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let scheme = match algorithm {
        Algorithm::RS256 => Scheme::Rsa(&by::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Scheme::Rsa(&by::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Scheme::Rsa(&by::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Scheme::Rsa(&by::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Scheme::Rsa(&by::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Scheme::Rsa(&by::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Scheme::Curve(&by::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Scheme::Curve(&by::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Scheme::Curve(&by::ED25519),
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Check { algorithm, scheme, key: key.kind().clone() }))
}

impl Verifier<Vec<u8>> for Check {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Wrong> {
        let checked = match (&self.scheme, &self.key) {
            (Scheme::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Scheme::Curve(algorithm), DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(*algorithm, key).verify(message, signature)
            }
            _ => return Err(Wrong::new()),
        };
        checked.map_err(|_| Wrong::new())
    }
}

impl JwtVerifier for Check {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    /// Signed with OpenSSL, whose private keys are gone.
    const MESSAGE: &[u8] = b"what a provider signs";
    const MODULUS: &str = "td_h7gwwBPatHP6pslhfG0GvwocPYEacTltufhH_9htpGWLBGwlsJoyPUZCMaRR-OspxQb8z0SK1hlX1ByGfyH-YO_QPsap6nxYk\
        fC8hbiIaGCipqStgF_YhzUqLIfANC6uQ2vdWjCM5rirI6ZovYiPWrDt4m7UbqLE90iFvgcGz7EOsMppeTY28-ZKpi4PN9_MYD0d8\
        d7CYjooNF0ni2RS7LsmWgFOknXaUeF43sqdE36ZGJfthB-FY3uR_2qRhwimmxPKI6WuJjLXuHxtBzvz0o8g3hVHTxELvLxe1eXBu\
        72gXcsr3-WO1cdCxvnf0FH-iWpAnjsgIdD4E2XHzhw";
    const RS256: &str = "reSlvQ3tiMwH0_v21RHotDbhV1sxTk2ReWnOjaGjCtmQrI_pOWywynP1NmwUPNCcGMjF2_O0zUeGM7gfduOKd8xJbJ3QJC1doUv6\
        4Q_f5gLN1GdCsY_DGeYYweQAlH3HbMdqc95tphflOterx91DIuwHESKqfcIpL4VjRsz8Y3_BH0flqR60HKdaU4tIUO2n4WKY-s_s\
        vn15xZ_NcgblZ3AL2j_-6MXS04z1gvkcYbEdlO9WK1DdG6nK2klGwPQW8NFckwax33ymK-pXUEHGPQx5dxFcJdKtCg204ct7xx56\
        EB103yzO1Mlk7jWN5eCB2eEtX0gssCzDm7dR8jF9lg";
    const PS256: &str = "cwjEcg2yk0CZP7sdz15t2OPgCaG68zb1hsPlh6Tvj0TxSvc4fEbDvgMg5uwvN5DZ_5ECpipzkBMGRKjcHlp3TNAwf82vaN3J2Wft\
        zsOogFlYq9MusawQzR85mJVuDVgjstesRP1ke-0j8CXuOp6IOZ2zGJiKB7dFvaMevqTMhX4iaQdYa1NYh8ovdQo6XZXt8tVWhCWa\
        l2UPTiBkI8BmBAJSbSi1GY7qM82yq1oX30DBP6szUYuzCwCELkxcZf1t6h0KAWH-A1_-n7Gv9eV3Jzk7HIHZDDxNvDsy-XYMQuRR\
        QR5nMSoGgy-ZQtituK-a-IKbtnryBsA3q9HKKZBbCw";
    const ES384_X: &str = "f2pS8Z8BwEaViISpjUHaT75uKufcvpaTIXkzCUNqSiGQUYJV34Q85nR-VDSGsdNO";
    const ES384_Y: &str = "ZaieSK5sinJVmNOwE3cdMT6aPwVMQ7MgzUZJ9vjD8floKFuffiz-SXnLR-5xrg-g";
    const ES384: &str = "LHxPY5gwwb-1yYOA5Upsb4WOQ-TLrTXEQ7Fx_orAdseT4PHKSZ5dmEVqq5MWwO3SIpsT8maciKFgqEbDpxEtcbkIqqJlpQ1s4dVn\
        mo1wQvHBGcACDMPMtQKiSe95cCkm";
    const ED25519_X: &str = "mbUsncJBA3Wbq0tOJCJxlDyXPrU2dQtplqekI2VWCuw";
    const ED25519: &str =
        "YqvGIc1qxrV41jIgClFHGrLaUlo9Jv3tXcxSTZH1hCFph8MJK04cg6MiaEPa0ypn_Cs9MjxkX73YlhjTKViUAg";

    #[test]
    fn a_signature_is_good_for_its_message_its_key_and_its_algorithm() {
        let rsa = DecodingKey::from_rsa_components(MODULUS, "AQAB").unwrap();
        let curve = DecodingKey::from_ec_components(ES384_X, ES384_Y).unwrap();
        let edwards = DecodingKey::from_ed_components(ED25519_X).unwrap();
        let good = [
            (Algorithm::RS256, &rsa, RS256),
            (Algorithm::PS256, &rsa, PS256),
            (Algorithm::ES384, &curve, ES384),
            (Algorithm::EdDSA, &edwards, ED25519),
        ];
        for (algorithm, key, signature) in good {
            let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
            let checked = |message: &[u8], signature: Vec<u8>| {
                verifier(algorithm, key).unwrap().verify(message, &signature).is_ok()
            };
            assert!(checked(MESSAGE, signature.clone()), "{algorithm:?}");
            assert!(!checked(b"what a provider signS", signature.clone()), "{algorithm:?}");
            let mut other = signature.clone();
            other[10] ^= 1;
            assert!(!checked(MESSAGE, other), "{algorithm:?}");
            assert!(!checked(MESSAGE, Vec::new()), "{algorithm:?}");
        }
        let signature = URL_SAFE_NO_PAD.decode(RS256).unwrap();
        for algorithm in [Algorithm::RS384, Algorithm::RS512, Algorithm::PS256] {
            assert!(verifier(algorithm, &rsa).unwrap().verify(MESSAGE, &signature).is_err(), "{algorithm:?}");
        }
        for (algorithm, key) in [
            (Algorithm::HS256, &rsa),
            (Algorithm::ES384, &rsa),
            (Algorithm::RS256, &curve),
            (Algorithm::EdDSA, &curve),
        ] {
            assert!(verifier(algorithm, key).is_err(), "{algorithm:?} with a key of another kind");
        }
    }
}
