//! What must hold, under the names that models, rig and documents share.

/// One rule of Reprieve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    /// A job is in exactly one state's set, the one its record names.
    Conservation,
    /// What was acknowledged exists until it has ended and its retention is over.
    NoLoss,
    /// Leaving `active` needs the present owner's token.
    Fencing,
    /// "Cancelled" means that no worker starts it; "too late" means that one had.
    HonestReprieve,
    /// Nothing starts before its time.
    NeverEarly,
    /// At most one effect for each token; more than one token only for a cause that is on record.
    Effects,
    /// What a person changed has exactly one audit entry, made in the same step.
    Audit,
    /// No script touches more than 500 ids or runs longer than 10 ms.
    Bounded,
    /// Attempts and stalls stay within their limits, counted apart.
    Counters,
    /// When the faults stop, every due job ends.
    Progress,
    /// Repeating an operation gives the first answer and changes nothing.
    SameAnswer,
    /// Losing every hint costs time and nothing else.
    Hints,
}

impl Invariant {
    /// All of them, in order.
    pub const ALL: [Self; 12] = [
        Self::Conservation,
        Self::NoLoss,
        Self::Fencing,
        Self::HonestReprieve,
        Self::NeverEarly,
        Self::Effects,
        Self::Audit,
        Self::Bounded,
        Self::Counters,
        Self::Progress,
        Self::SameAnswer,
        Self::Hints,
    ];

    /// Its number and name, as documents and reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conservation => "I1 conservation",
            Self::NoLoss => "I2 no loss",
            Self::Fencing => "I3 fencing",
            Self::HonestReprieve => "I4 honest reprieve",
            Self::NeverEarly => "I5 never early",
            Self::Effects => "I6 effects",
            Self::Audit => "I7 audit",
            Self::Bounded => "I8 bounded",
            Self::Counters => "I9 counters",
            Self::Progress => "I10 progress",
            Self::SameAnswer => "I11 same operation, same answer",
            Self::Hints => "I12 hints are hints",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Which rules the way to a state has broken: what a look at the state alone cannot tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Broken(u16);

impl Broken {
    /// Notes that a rule is broken unless `holds`.
    pub const fn expect(&mut self, rule: Invariant, holds: bool) {
        if !holds {
            self.0 |= rule.bit();
        }
    }

    /// Whether this one never was.
    #[must_use]
    pub const fn keeps(self, rule: Invariant) -> bool {
        self.0 & rule.bit() == 0
    }
}
