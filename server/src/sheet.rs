//! Files for spreadsheets: every cell is a text, whatever somebody wrote into it.

use std::io::Error;

/// A sheet that is being written, row by row.
pub(crate) struct Sheet(csv::Writer<Vec<u8>>);

impl Sheet {
    pub(crate) fn new() -> Self {
        Self(csv::Writer::from_writer(Vec::new()))
    }

    /// Adds a row of texts, none of which a spreadsheet takes for a formula.
    pub(crate) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) -> Result<(), Error> {
        Ok(self.0.write_record(cells.into_iter().map(|cell| guarded(cell.as_ref())))?)
    }

    /// What was written.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Error> {
        self.0.into_inner().map_err(|error| Error::other(error.to_string()))
    }
}

/// What a formula begins with, or what spreadsheets drop before one. The last four are the first four in full width,
/// which some of them read alike.
const FORMULA: [char; 12] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\0', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// A text that no spreadsheet takes for a formula.
fn guarded(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    if !is_number && text.starts_with(FORMULA) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_no_formula() {
        for text in ["=1+1", "@SUM(A1)", "+cmd", "-cmd", "\tx", "\0=1", "\n=1", "\u{ff1d}1+1"] {
            assert_eq!(guarded(text), format!("'{text}"));
        }
        for text in ["-12.5", "mail", "", "+49"] {
            assert_eq!(guarded(text), text);
        }
    }
}
