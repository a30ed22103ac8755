//! What loads: shapes of its height in its place, and the old data dimmed while new data is read.

use leptos::children::TypedChildren;
use leptos::prelude::*;

use crate::clock::Clock;

/// The bar above a list of jobs, and the heading of its table.
const ABOVE_ROWS: usize = 2;

/// What will stand there, as far as its height goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A table with rows.
    Table,
    /// Panels below each other.
    Panels,
    /// A list of jobs: what stands above its rows, and so many of them.
    Rows {
        /// How many rows are expected; at least one is drawn.
        count: usize,
        /// Whether each has one line instead of two.
        compact: bool,
    },
    /// A job: its head, its way, and panels in columns.
    Job,
    /// What the support desk has of a subject, in its one column.
    Desk,
}

impl Shape {
    /// Its word for the style sheet, and how many blocks it has.
    fn drawn(self) -> (&'static str, usize) {
        match self {
            Self::Table => ("table", 12),
            Self::Panels => ("panels", 4),
            Self::Rows { count, compact } => {
                (if compact { "lines" } else { "rows" }, ABOVE_ROWS + count.max(1))
            }
            Self::Job => ("job", 5),
            Self::Desk => ("desk", 3),
        }
    }
}

/// The part of a page that waits for its data.
///
/// Both the shapes and the dimming come late, by the style sheet: what is read at once does not flicker.
#[component]
pub fn Loading<C>(
    /// What will stand there.
    shape: Shape,
    children: TypedChildren<C>,
) -> impl IntoView
where
    C: IntoView + Send + 'static,
{
    let clock = Clock::get();
    let pending = RwSignal::new(false);
    // Without scripts nothing is read again, and the first render is whole.
    let hydrated = Memo::new(move |_| clock.now_ms().is_some());
    let reading = move || (hydrated.get() && pending.get()).then_some("");
    let shapes = move || view! { <Shapes shape/> };
    // What tells of it outlives the answer, and whatever it would ask is gone by then.
    #[cfg(feature = "ssr")]
    let content = view! { <Transition fallback=shapes>{children.into_inner()()}</Transition> };
    #[cfg(not(feature = "ssr"))]
    let content =
        view! { <Transition fallback=shapes set_pending=pending>{children.into_inner()()}</Transition> };
    view! { <div class="loading" data-reading=reading>{content}</div> }
}

/// Blocks in place of what is not there yet. There is nothing to read in them.
#[component]
pub fn Shapes(
    /// What will stand there.
    shape: Shape,
) -> impl IntoView {
    let (word, blocks) = shape.drawn();
    view! {
        <div class="shapes" data-shape=word data-testid="shapes" aria-hidden="true">
            {(0..blocks).map(|_| view! { <span></span> }).collect_view()}
        </div>
    }
}
