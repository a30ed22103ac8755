//! Small pictures, drawn inline so that they take the colour of the text around them.

use leptos::prelude::*;
use reprieve::model::{JobState, StateGroup};

/// Pictures by their lines, drawn on a square of sixteen.
macro_rules! icons {
    ($($(#[$note:meta])* $name:ident = $lines:literal,)+) => {
        /// What there is a picture of. Always beside a word, or with a name on its button.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Icon {
            $($(#[$note])* $name,)+
        }

        impl Icon {
            const fn lines(self) -> &'static str {
                match self {
                    $(Self::$name => $lines,)+
                }
            }
        }
    };
}

icons! {
    /// Waits for its time.
    Clock = "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 4.9V8l2.1 1.5",
    /// Waits for its next attempt.
    ClockBack = "M2.7 6.2A5.6 5.6 0 1 1 2.4 9M2.4 2.9v3.4h3.4M8 5.2V8l1.9 1.4",
    /// Waits for a worker.
    Tray = "M2.4 9.6h3.1l1 1.7h3l1-1.7h3.1M2.4 9.6 4.2 3.8h7.6l1.8 5.8V13H2.4z",
    /// Runs.
    Running = "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 6.6a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.8",
    /// Finished well.
    Check = "M2.8 8.6 6.3 12l6.9-7.8",
    /// Dead.
    CrossedBox = "M2.8 2.8h10.4v10.4H2.8zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
    /// Called off.
    SlashedCircle = "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M4 12 12 4",
    /// On hold.
    PausedCircle = "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M6.3 5.8v4.4M9.7 5.8v4.4",
    /// The overview.
    Gauge = "M2.6 12.2a6.2 6.2 0 1 1 10.8 0M8 9.6l2.8-3.4M7.9 9.7h.2",
    /// Lists of jobs.
    List = "M2.4 4h.4M2.4 8h.4M2.4 12h.4M5.6 4h8M5.6 8h8M5.6 12h8",
    /// Copies.
    Copy = "M5.6 5.6h7.6v7.6H5.6zM10.4 5.6V2.8H2.8v7.6h2.8",
    /// Takes away.
    Close = "M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
    /// Starts.
    Play = "M4.8 3v10l8-5z",
    /// Stops for a while.
    Pause = "M5.4 3.4v9.2M10.6 3.4v9.2",
    /// Light.
    Sun = "M8 5.3a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8",
    /// Dark.
    Moon = "M13.3 9.6A5.7 5.7 0 0 1 6.4 2.7a5.7 5.7 0 1 0 6.9 6.9z",
    /// As the system says.
    Screen = "M2.2 3.2h11.6v7.6H2.2zM6 13.4h4",
    /// Look here.
    Warning = "M8 2.4 14.2 13H1.8zM8 6.4v3M8 11.2v.2",
    /// Takes back.
    Undo = "M3 3.2v3.6h3.6M3.2 6.6A5.3 5.3 0 1 1 3 9.6",
    /// More of it.
    ChevronRight = "M6 3.4 10.6 8 6 12.6",
    /// A new due time.
    Calendar = "M2.6 4h10.8v9.4H2.6zM2.6 6.8h10.8M5.4 2.4V4M10.6 2.4V4",
    /// What else there is to do.
    Dots = "M3.4 8h.2M7.9 8h.2M12.4 8h.2",
    /// The support desk.
    Lifebuoy = "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8M4 4l2.3 2.3M9.7 9.7 12 12M12 4 9.7 6.3M6.3 9.7 4 12",
    /// What repeats.
    Repeat = "M3 7.4A3.4 3.4 0 0 1 6.4 4H13M10.8 1.8 13 4l-2.2 2.2M13 8.6A3.4 3.4 0 0 1 9.6 12H3M5.2 14.2 3 12l2.2-2.2",
    /// Somebody.
    Person = "M8 2.4a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2M2.8 13.6a5.2 5.2 0 0 1 10.4 0",
    /// What works.
    Chip = "M4.6 4.6h6.8v6.8H4.6zM6.4 2.2v2.4M9.6 2.2v2.4M6.4 11.4v2.4M9.6 11.4v2.4M2.2 6.4h2.4M2.2 9.6h2.4M11.4 6.4h2.4M11.4 9.6h2.4",
    /// What was written down.
    Ledger = "M3.2 2.4h8.2a1.4 1.4 0 0 1 1.4 1.4v9.8H4.6a1.4 1.4 0 0 1-1.4-1.4zM5.8 5.6h4.4M5.8 8.2h4.4M5.8 10.8h2.6",
    /// Many jobs at once.
    Stack = "M8 2.2 14 5.2 8 8.2 2 5.2zM2 8l6 3 6-3M2 10.8l6 3 6-3",
    /// A database.
    Disks = "M3 4.2c0-1.2 2.2-2 5-2s5 .8 5 2-2.2 2-5 2-5-.8-5-2M3 4.2v7.6c0 1.2 2.2 2 5 2s5-.8 5-2V4.2M3 8c0 1.2 2.2 2 5 2s5-.8 5-2",
    /// Coming in from elsewhere.
    Inward = "M8 2.4v7.4M4.8 6.8 8 10l3.2-3.2M2.6 10.4v3h10.8v-3",
    /// Settings.
    Sliders = "M2.4 4.6h6M11.6 4.6h2M10 3v3.2M2.4 11.4h2M7.6 11.4h6M6 9.8V13",
    /// The list of pages.
    Menu = "M2.4 4.2h11.2M2.4 8h11.2M2.4 11.8h11.2",
    /// Finds.
    Search = "M7 2.6a4.4 4.4 0 1 0 0 8.8 4.4 4.4 0 0 0 0-8.8M10.2 10.2l3.4 3.4",
    /// What was said.
    Bell = "M3.4 11.4c1-1 1-2.2 1-3.8a3.6 3.6 0 0 1 7.2 0c0 1.6 0 2.8 1 3.8zM6.8 13.6h2.4",
    /// What there is to know.
    Question = "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M6.4 6.4a1.6 1.6 0 1 1 2.3 1.4c-.5.3-.7.6-.7 1.2M8 11.2v.1",
    /// Lowest first.
    ArrowUp = "M8 12.8V3.2M4.4 6.8 8 3.2l3.6 3.6",
    /// Highest first.
    ArrowDown = "M8 3.2v9.6M4.4 9.2 8 12.8l3.6-3.6",
}

impl Icon {
    /// The picture of a state.
    pub(crate) const fn of_state(state: JobState) -> Self {
        match state {
            JobState::Delayed => Self::Clock,
            JobState::Retrying => Self::ClockBack,
            JobState::Ready => Self::Tray,
            JobState::Active => Self::Running,
            JobState::Done => Self::Check,
            JobState::Dead => Self::CrossedBox,
            JobState::Cancelled => Self::SlashedCircle,
            JobState::Held => Self::PausedCircle,
        }
    }

    /// The picture of a list.
    pub(crate) const fn of_group(group: StateGroup) -> Self {
        match group {
            StateGroup::Delay => Self::Clock,
            StateGroup::Ready => Self::Tray,
            StateGroup::Active => Self::Running,
            StateGroup::Dead => Self::CrossedBox,
            StateGroup::Done => Self::Check,
            StateGroup::Cancelled => Self::SlashedCircle,
            StateGroup::Held => Self::PausedCircle,
        }
    }
}

/// Draws it at the size of the text. Hidden from screen readers: the word beside it speaks.
pub(crate) fn icon(icon: Icon) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d=icon.lines()></path>
        </svg>
    }
}

/// Two in one place, for a style sheet that shows either.
pub(crate) fn either_icon(one: Icon, other: Icon) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
            <path d=one.lines()></path>
            <path d=other.lines()></path>
        </svg>
    }
}
