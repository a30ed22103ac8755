//! Passwords: which ones will do, and argon2id.

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use reprieve::internals::{invalid, secret};
use reprieve::{Error, Result};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use tokio::sync::{Semaphore, oneshot};

/// Shortest password, in characters.
pub const PASSWORD_CHARS_MIN: usize = 12;
/// Longest, in characters: longer ones are no safer and only make work.
pub const PASSWORD_CHARS_MAX: usize = 128;

// What is wrong with a password, reading on from the word.
pub(super) const SHORT: &str = "needs at least 12 characters";
pub(super) const LONG: &str = "may have 128 characters at most";
pub(super) const COMMON_WHY: &str =
    "is one that is guessed first; take several words that have nothing to do with each other";

/// Memory of one hash, in KiB, and passes over it: what OWASP asks for; about 20 ms.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
/// Most memory in KiB, and most passes, that a kept hash may ask for: earlier and later terms are far below, and one who can
/// write into Redis must not have this process end for want of memory.
const KEPT_MEMORY_KIB_MAX: u32 = 262_144;
const KEPT_PASSES_MAX: u32 = 20;
/// Room asked for at least, in blocks of a KiB, of which a hash uses as much as its terms say. glibc asks the system for more
/// than 32 MiB each time and gives it back at once; of less it learns to keep it, and then keeps twice as much of anything.
const ROOM_BLOCKS: usize = 33 * 1_024;
/// Random bytes that make equal passwords have different hashes.
const SALT_BYTES: usize = 16;
/// Hashes at once: each takes a core and 19 MiB.
const AT_ONCE: usize = 2;
/// By how much their threads stand back behind all others of the machine: they get a tenth where all want to work.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;
/// How many more may wait for that; later ones are sent away.
const WAITING_MAX: usize = 16;

/// Memory of the hashes that this process makes.
static MEMORY: AtomicU32 = AtomicU32::new(MEMORY_KIB);
static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);
static THERE: AtomicUsize = AtomicUsize::new(0);
/// What an unknown name is checked against, so that it takes as long as a known one.
static NOBODYS: LazyLock<String> =
    LazyLock::new(|| make("the password of nobody at all").unwrap_or_default());

/// Too many passwords are being checked already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Busy;

/// Guesses that a password has to be worth, as a power of ten: what holds against hashes that somebody took away, for each
/// costs 20 ms of a core.
const GUESSES_MIN_LOG10: f64 = 9.0;

/// Whether it will do as the password of that person.
///
/// # Errors
/// [`Error::Invalid`] says what is wrong with it.
pub(super) fn check(password: &str, name: &str) -> Result<()> {
    let chars = password.chars().count();
    let why = if chars < PASSWORD_CHARS_MIN {
        SHORT
    } else if chars > PASSWORD_CHARS_MAX {
        LONG
    } else if is_common(password, name) {
        COMMON_WHY
    } else {
        return Ok(());
    };
    Err(invalid("password", why))
}

/// Whether an attacker who knows the usual passwords, the language and the person finds it soon.
fn is_common(password: &str, name: &str) -> bool {
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() >= 3);
    let known: Vec<&str> = [name, "reprieve"].into_iter().chain(parts).collect();
    zxcvbn::zxcvbn(password, &known).guesses_log10() < GUESSES_MIN_LOG10
}

/// The hash to keep of a password.
///
/// # Errors
/// [`Busy`], or [`Error::Refused`] on a system without random numbers.
pub(super) async fn hash(password: &str) -> Result<String, HashError> {
    let password = password.to_owned();
    run(move || make(&password)).await?.map_err(HashError::Failed)
}

/// Why there is no hash.
#[derive(Debug)]
pub(super) enum HashError {
    Busy,
    Failed(Error),
}

impl From<Busy> for HashError {
    fn from(_: Busy) -> Self {
        Self::Busy
    }
}

/// Whether it is the password whose hash this is; `None` for a name without one, which takes as long.
///
/// # Errors
/// [`Busy`].
pub(super) async fn verify(password: &str, kept: Option<&str>) -> Result<bool, Busy> {
    let (password, kept) = (password.to_owned(), kept.map(ToOwned::to_owned));
    run(move || {
        let known = kept.is_some();
        let kept = kept.unwrap_or_else(|| NOBODYS.clone());
        is_of(&password, &kept) && known
    })
    .await
}

fn is_of(password: &str, kept: &str) -> bool {
    let Ok(parsed) = PasswordHash::new(kept) else { return false };
    let is_bearable =
        |terms: &Params| terms.m_cost() <= KEPT_MEMORY_KIB_MAX && terms.t_cost() <= KEPT_PASSES_MAX;
    let Some(terms) = Params::try_from(&parsed).ok().filter(is_bearable) else { return false };
    let Ok(algorithm) = Algorithm::try_from(parsed.algorithm.as_str()) else { return false };
    let Ok(version) = parsed.version.map_or(Ok(Version::V0x13), Version::try_from) else { return false };
    let (Some(salt), Some(expected)) = (parsed.salt, parsed.hash) else { return false };
    // Compared in a time that does not tell how far the two agree.
    digest(&Argon2::new(algorithm, version, terms), password, &salt, expected.len())
        .is_ok_and(|found| found == expected)
}

/// Whether a hash was made on other terms than today's. It is made anew when its password is known.
pub(super) fn is_of_old_terms(kept: &str) -> bool {
    !kept.starts_with(&terms(MEMORY.load(Ordering::Relaxed)))
}

/// How a hash begins that takes so much memory.
fn terms(memory_kib: u32) -> String {
    format!("$argon2id$v=19$m={memory_kib},t={PASSES},p=1$")
}

/// Makes the hashes of this process cheap, for tests that sign in hundreds of times. They took a tenth of all of CI.
#[cfg(feature = "testing")]
pub fn make_cheap_hashes() {
    MEMORY.store(Params::MIN_M_COST, Ordering::Relaxed);
}

fn make(password: &str) -> Result<String> {
    make_in(MEMORY.load(Ordering::Relaxed), password)
}

fn make_in(memory_kib: u32, password: &str) -> Result<String> {
    let refused = |why: String| Error::Refused { why: format!("the password cannot be hashed: {why}") };
    let params = Params::new(memory_kib, PASSES, 1, None)
        .map_err(|why| Error::Refused { why: format!("argon2 takes no such terms: {why}") })?;
    let written = ParamsString::try_from(&params).map_err(|why| refused(why.to_string()))?;
    let salt = Salt::new(&secret::bytes::<SALT_BYTES>()?).map_err(|why| refused(why.to_string()))?;
    let (algorithm, version) = (Algorithm::Argon2id, Version::V0x13);
    let hash = digest(&Argon2::new(algorithm, version, params), password, &salt, Params::DEFAULT_OUTPUT_LEN)
        .map_err(|why| refused(why.to_string()))?;
    let kept = PasswordHash {
        algorithm: algorithm.ident(),
        version: Some(version.into()),
        params: written,
        salt: Some(salt),
        hash: Some(hash),
    };
    Ok(kept.to_string())
}

/// The hash itself, of so many bytes.
fn digest(argon2: &Argon2<'_>, password: &str, salt: &[u8], length: usize) -> argon2::Result<Output> {
    let blocks = argon2.params().block_count();
    let mut memory = Vec::with_capacity(blocks.max(ROOM_BLOCKS));
    memory.resize(blocks, Block::new());
    let mut hash = [0; Output::MAX_LENGTH];
    let hash = hash.get_mut(..length).ok_or(argon2::Error::OutputTooLong)?;
    argon2.hash_password_into_with_memory(password.as_bytes(), salt, hash, memory)?;
    Output::new(hash).map_err(|_| argon2::Error::OutputTooShort)
}

/// Runs a hash as soon as there is a place, on a thread of its own: one that has stood back cannot come forward again.
async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Busy> {
    struct There;
    impl Drop for There {
        fn drop(&mut self) {
            THERE.fetch_sub(1, Ordering::AcqRel);
        }
    }
    let before = THERE.fetch_add(1, Ordering::AcqRel);
    let _there = There;
    if before >= AT_ONCE + WAITING_MAX {
        return Err(Busy);
    }
    // The semaphore is never closed.
    let Ok(place) = PLACES.acquire().await else { return Err(Busy) };
    let (done, waiting) = oneshot::channel();
    let hash = move || {
        stand_back();
        // Nobody hears it whose sign-in was given up.
        drop(done.send(work()));
        // Kept until here, even if nobody waits any more.
        drop(place);
    };
    if let Err(error) = std::thread::Builder::new().name("reprieve-password".to_owned()).spawn(hash) {
        tracing::warn!(%error, "no thread for a password: {error}");
        return Err(Busy);
    }
    waiting.await.map_err(|_| Busy)
}

/// Lets everything else go first: people who are in come before people who want to come in.
fn stand_back() {
    // Elsewhere the whole process would stand back.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!(%error, "a password's thread does not stand back: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does it once there is room: another test of this process takes all places for a while.
    async fn patiently<T>(work: impl AsyncFn() -> Result<T, Busy>) -> T {
        loop {
            match work().await {
                Ok(done) => return done,
                Err(Busy) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_hash_stands_back_behind_everything_else_and_nothing_stands_back_with_it() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let before = niceness();
        let within = patiently(async || run(niceness).await).await;
        assert_eq!(within, (before + NICENESS).min(19));
        assert_eq!(niceness(), before);
        let blocking = tokio::task::spawn_blocking(niceness).await.unwrap();
        assert_eq!(blocking, before);
    }

    #[test]
    fn long_passwords_of_any_characters_will_do_and_those_guessed_first_do_not() {
        for good in [
            "correct horse battery staple",
            "häßlich-grün-7",
            "🐢🐇🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵",
            "  spaces at both ends  ",
            "zebra-9 kiosk umbra-4 fjord lumen-27 oxide pivot-3 quartz swan-8",
        ] {
            assert!(check(good, "ann").is_ok(), "{good}");
        }
        for bad in [
            "",
            "short",
            "elevenchars",
            "password1234",
            "PASSWORD2026!",
            "passwordpassword",
            "qwertyuiop123",
            "111111111111",
            "abababababab",
            "123456789012",
            "314159265358",
            "annabell-1234",
            "Welcome12345",
            "adminadmin123",
            "asdfghjkl1234",
            "iloveyou12345",
            "november-2026",
            "reprieve-admin",
            &"long enough ".repeat(11),
        ] {
            assert!(check(bad, "annabell").is_err(), "{bad}");
        }
    }

    /// The commonest of all lists that leaked, among those that are long enough.
    #[test]
    fn what_everybody_takes_is_refused() {
        let common = [
            "123456789012",
            "1234567890123",
            "1q2w3e4r5t6y",
            "1qaz2wsx3edc",
            "q1w2e3r4t5y6",
            "qwertyuiop12",
            "qwertyuiopas",
            "zxcvbnm12345",
            "asdfghjkl123",
            "abcdefghijkl",
            "abcd1234abcd",
            "aaaaaaaaaaaa",
            "123123123123",
            "111111111111",
            "000000000000",
            "987654321012",
            "121212121212",
            "112233445566",
            "password1234",
            "password12345",
            "passwordpassword",
            "p@ssw0rd1234",
            "iloveyou1234",
            "iloveyouforever",
            "princess1234",
            "sunshine1234",
            "football1234",
            "baseball1234",
            "superman1234",
            "dragon123456",
            "monkey123456",
            "michael12345",
            "jennifer1234",
            "computer1234",
            "internet1234",
            "whatever1234",
            "starwars1234",
            "letmein12345",
            "welcome12345",
            "changeme1234",
            "administrator",
            "trustno1trustno1",
            "christopher1",
            "alexander123",
            "charlie12345",
            "liverpool123",
            "manchester12",
            "butterfly123",
        ];
        for password in common {
            assert!(check(password, "ann").is_err(), "{password}");
        }
    }

    #[tokio::test]
    async fn a_password_is_known_by_its_hash_and_nobody_has_one() {
        let kept = make_in(MEMORY_KIB, "correct horse").unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        let is_it = async |password: &str, kept| patiently(async || verify(password, kept).await).await;
        let cheap = patiently(async || match hash("correct horse").await {
            Err(HashError::Busy) => Err(Busy),
            Err(HashError::Failed(error)) => panic!("{error}"),
            Ok(hash) => Ok(hash),
        });
        let cheap = cheap.await;
        assert!(!is_of_old_terms(&cheap), "{cheap}");
        assert!(is_of_old_terms("$argon2id$v=19$m=4096,t=2,p=1$c2FsdA$aGFzaA"));
        assert!(is_it("correct horse", Some(&*kept)).await);
        assert!(!is_it("correct horse ", Some(&kept)).await);
        assert!(!is_it("the password of nobody at all", None).await);
        assert!(!is_it("correct horse", Some("not a hash")).await);
    }

    #[test]
    fn a_hash_that_asks_for_all_memory_is_nobodys() {
        for terms in ["m=4194304000,t=2,p=1", "m=524288,t=2,p=1", "m=19456,t=4000000000,p=1"] {
            let kept = format!("$argon2id$v=19${terms}$c29tZXNhbHQ$aGFzaGhhc2hoYXNoaGFzaA");
            assert!(!is_of("correct horse", &kept), "{terms}");
        }
    }

    #[tokio::test]
    async fn more_than_may_wait_are_sent_away() {
        let kept = make_in(MEMORY_KIB, "y").unwrap();
        let many = (0..40).map(|_| {
            tokio::spawn({
                let kept = kept.clone();
                async move { verify("x", Some(&kept)).await }
            })
        });
        let mut busy = 0;
        for one in many.collect::<Vec<_>>() {
            busy += u32::from(one.await.unwrap().is_err());
        }
        // Other tests of this process may hold some of the 18 places.
        assert!(busy >= 22, "{busy} were sent away");
    }
}
