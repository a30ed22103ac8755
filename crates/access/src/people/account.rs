//! What people change about their own account.

use super::sign_in::{OWN, UNUSED, counters};
use super::{Enrolment, People, SignIn, Visitor, change, is_invited, nobody, second_factor};
use reprieve::internals::{Guess, KeptPerson, Mode, invalid, secret};
use reprieve::model::PersonName;
use reprieve::{Error, Result, wait_seconds};
use std::collections::BTreeMap;

/// A tag of a language is no longer, in bytes: those that are offered have five.
const LANGUAGE_BYTES_MAX: usize = 16;
/// How the refusal of a proof that was not looked at begins.
pub(super) const TOO_OFTEN: &str = "was wrong too often";
pub(super) const HAS_FACTOR: &str = "is set up already; stop it first";

impl People {
    /// Chooses a password with an invitation and signs in. Sessions there were end; a second factor that was lost is
    /// forgotten.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a password that will not do; [`Error::Unavailable`].
    pub async fn accept(
        &self,
        name: &str,
        invitation: &str,
        password: &str,
        visitor: &Visitor<'_>,
    ) -> Result<SignIn> {
        let counters = counters(name, visitor.address);
        if let Guess::Wait(wait) = self.store.guess("", name, &counters).await? {
            return Ok(SignIn::Wait(wait));
        }
        let Ok(name) = name.parse::<PersonName>() else { return Ok(SignIn::Wrong) };
        let (now, kept, _) = self.store.person(&name).await?;
        let Some(kept) = kept.filter(|kept| kept.disabled != "1" && is_invited(kept, invitation, now)) else {
            return Ok(SignIn::Wrong);
        };
        let hash = match self.hash_of(password, &name).await {
            Ok(hash) => hash,
            Err(error) => {
                // The invitation was good; a password that will not do is no guess.
                self.store.guessed_well("", name.as_str(), ("", &counters)).await?;
                return Err(error);
            }
        };
        let fields = BTreeMap::from([
            ("password", hash),
            ("invited", String::new()),
            ("invited_until_ms", String::new()),
            ("totp", String::new()),
            ("totp_pending", String::new()),
            ("totp_step", String::new()),
            ("recovery", String::new()),
        ]);
        let mut change = change(&name, Mode::Change, fields, name.as_str(), "accept_invitation");
        change.revision = Some(kept.revision);
        change.ends_but = Some(String::new());
        self.seen_from(&name, visitor).put(&change).await?;
        let (_, kept, _) = self.store.person(&name).await?;
        let revision = kept.map(|kept| kept.revision).unwrap_or_default();
        self.open(name, (&revision, UNUSED), visitor, ("", &counters), OWN).await
    }

    /// Changes somebody's password and ends all their sessions but the one with this id. `false` when the present one
    /// is wrong.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a password that will not do, and when it was tried too often.
    pub async fn change_password(
        &self,
        name: &PersonName,
        present: &str,
        wanted: &str,
        session: &str,
    ) -> Result<bool> {
        if !self.is_password(name, present).await? {
            return Ok(false);
        }
        let hash = self.hash_of(wanted, name).await?;
        let fields = BTreeMap::from([("password", hash)]);
        let mut change = change(name, Mode::Change, fields, name.as_str(), "change_password");
        change.ends_but = Some(secret::hash(session));
        self.put(&change).await?;
        Ok(true)
    }

    /// Keeps in which language somebody reads the screens, by its tag. `false` when it was that already.
    ///
    /// # Errors
    /// [`Error::Invalid`] for nobody, and for what is no tag; [`Error::Unavailable`] and [`Error::StorageFull`].
    pub async fn choose_language(&self, name: &PersonName, tag: &str) -> Result<bool> {
        let is_tag = (2..=LANGUAGE_BYTES_MAX).contains(&tag.len())
            && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_tag {
            return Err(invalid("language", "is a tag such as zh-CN"));
        }
        let (_, kept, _) = self.store.person(name).await?;
        let before = kept.ok_or_else(nobody)?.language;
        if before == tag {
            return Ok(false);
        }
        let fields = BTreeMap::from([("language", tag.to_owned())]);
        let mut change = change(name, Mode::Change, fields, name.as_str(), "choose_language");
        (change.before, change.after) = (before, tag.to_owned());
        self.put(&change).await?;
        Ok(true)
    }

    /// Begins to set a second factor up: what to tell the app. It is asked for once a code of it was shown. `None` when
    /// the present password is wrong.
    ///
    /// # Errors
    /// [`Error::Invalid`] for nobody, while there is a second factor, and when it was tried too often.
    pub async fn begin_second_factor(&self, name: &PersonName, present: &str) -> Result<Option<Enrolment>> {
        let (_, kept, _) = self.store.person(name).await?;
        refuse_second(&kept.ok_or_else(nobody)?)?;
        if !self.is_password(name, present).await? {
            return Ok(None);
        }
        let secret = second_factor::new_secret()?;
        let told = second_factor::enrolment(&secret, name)?;
        let fields = BTreeMap::from([("totp_pending", secret)]);
        self.put(&change(name, Mode::Change, fields, name.as_str(), "begin_second_factor")).await?;
        Ok(Some(told))
    }

    /// What was told to the app of a second factor that is not set up to its end; `None` for none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn pending_second_factor(&self, name: &PersonName) -> Result<Option<Enrolment>> {
        let (_, kept, _) = self.store.person(name).await?;
        let pending = kept.map(|kept| kept.totp_pending).filter(|pending| !pending.is_empty());
        pending.map(|pending| second_factor::enrolment(&pending, name)).transpose()
    }

    /// Ends setting it up: the codes for when it is lost, shown once; `None` when the code is wrong.
    ///
    /// # Errors
    /// [`Error::Invalid`] for nobody, when none was begun, and while there is one.
    pub async fn confirm_second_factor(&self, name: &PersonName, code: &str) -> Result<Option<Vec<String>>> {
        let (now, kept, _) = self.store.person(name).await?;
        let kept = kept.ok_or_else(nobody)?;
        refuse_second(&kept)?;
        if kept.totp_pending.is_empty() {
            return Err(invalid("second factor", "is not being set up; begin again"));
        }
        self.allow_guess(name).await?;
        let Some(step) = second_factor::step_of(&kept.totp_pending, code, now, "")? else { return Ok(None) };
        let (codes, recovery) = second_factor::recovery_codes()?;
        let fields = BTreeMap::from([
            ("totp", kept.totp_pending),
            ("totp_pending", String::new()),
            ("totp_step", step.to_string()),
            ("recovery", recovery),
        ]);
        let mut change = change(name, Mode::Change, fields, name.as_str(), "set_second_factor");
        change.revision = Some(kept.revision);
        self.put(&change).await?;
        self.forget_guess(name).await?;
        Ok(Some(codes))
    }

    /// Stops asking for a second factor. `false` when the present password is wrong.
    ///
    /// # Errors
    /// [`Error::Invalid`] when it was tried too often.
    pub async fn drop_second_factor(&self, name: &PersonName, present: &str) -> Result<bool> {
        if !self.is_password(name, present).await? {
            return Ok(false);
        }
        let fields = ["totp", "totp_pending", "totp_step", "recovery"].map(|field| (field, String::new()));
        let fields = BTreeMap::from(fields);
        self.put(&change(name, Mode::Change, fields, name.as_str(), "drop_second_factor")).await?;
        Ok(true)
    }

    /// Whether it is somebody's password, within the limits of guessing.
    async fn is_password(&self, name: &PersonName, present: &str) -> Result<bool> {
        self.allow_guess(name).await?;
        let right = self.is_present(name, present).await;
        match right {
            Ok(true) => self.forget_guess(name).await?,
            Ok(false) => {}
            Err(_) => self.unguess("", name.as_str(), &[own_counter(name)]).await,
        }
        right
    }

    /// The same without limits.
    async fn is_present(&self, name: &PersonName, present: &str) -> Result<bool> {
        let (_, kept, _) = self.store.person(name).await?;
        let kept = kept.ok_or_else(nobody)?;
        self.verify(present, Some(&kept.password))
            .await
            .map_err(|_| Error::Unavailable { what: "too many passwords are being checked".to_owned() })
    }

    /// Guesses of somebody who is signed in count apart: they lock nobody out.
    async fn allow_guess(&self, name: &PersonName) -> Result<()> {
        match self.store.guess("", name.as_str(), &[own_counter(name)]).await? {
            Guess::Go | Guess::Last => Ok(()),
            Guess::Wait(wait) => {
                Err(invalid("password", format!("{TOO_OFTEN}; wait {} s", wait_seconds(wait))))
            }
        }
    }

    async fn forget_guess(&self, name: &PersonName) -> Result<()> {
        self.store.guessed_well("", name.as_str(), ("", &[own_counter(name)])).await
    }
}

/// A second factor is not replaced: its owner stops it first, which asks for the password and is in the audit.
fn refuse_second(kept: &KeptPerson) -> Result<()> {
    if kept.totp.is_empty() { Ok(()) } else { Err(invalid("second factor", HAS_FACTOR)) }
}

fn own_counter(name: &PersonName) -> (String, u32) {
    (format!("own:{}", secret::hash(name.as_str())), 5)
}
