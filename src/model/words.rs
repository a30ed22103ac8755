//! Closed sets of words, enums that are stored, sent and shown as one word; and types that are a text in JSON.

/// An enum with one word for each variant: as it is stored, sent and shown, and as it is in JSON.
///
/// After `or` comes the start of the error message, which then lists the words; only with it the enum parses from text. After
/// `|` come other words that parse to the same variant.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident or $otherwise:literal {
            $($(#[$note:meta])* $variant:ident = $word:literal $(| $alias:literal)*,)+
        }
    ) => {
        $crate::words! {
            $(#[$attribute])*
            $visibility enum $name {
                $($(#[$note])* $variant = $word,)+
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::model::UnknownWord;

            fn from_str(text: &str) -> Result<Self, $crate::model::UnknownWord> {
                match text {
                    $($word $(| $alias)* => Ok(Self::$variant),)+
                    _ => Err($crate::model::UnknownWord::new($otherwise, &[$($word),+])),
                }
            }
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$note:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        $visibility enum $name {
            $($(#[$note])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Each of them, in the order of their declaration.
            $visibility const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Its word.
            #[must_use]
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// Types that are a text in JSON: as they are shown, and read from it.
macro_rules! as_text {
    ($type:ident) => {
        impl TryFrom<String> for $type {
            type Error = <Self as ::std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }
    };
}

/// The text is none of the words of a set; says which there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{says}{}", words.join(", "))]
pub struct UnknownWord {
    says: &'static str,
    words: &'static [&'static str],
}

impl UnknownWord {
    /// For the macro.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(says: &'static str, words: &'static [&'static str]) -> Self {
        Self { says, words }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{JobState, Permission};

    #[test]
    fn every_word_reads_back_and_no_other_does() {
        for state in JobState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
            let json = serde_json::to_string(&state).unwrap();
            assert_eq!(json, format!("\"{state}\""));
            assert_eq!(serde_json::from_str::<JobState>(&json).unwrap(), state);
        }
        for permission in Permission::ALL {
            assert_eq!(permission.as_str().parse(), Ok(permission));
        }
        let unknown = "archived".parse::<JobState>().unwrap_err().to_string();
        let states = "delayed, held, ready, active, retrying, done, dead, cancelled";
        assert_eq!(unknown, format!("not a job state; states are {states}"));
    }
}
