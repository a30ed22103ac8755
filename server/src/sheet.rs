//! Files for spreadsheets: every cell is a text, whatever somebody wrote into it.

use std::io::Error;

/// A sheet that is being written, row by row.
pub(crate) struct Sheet(csv::Writer<Vec<u8>>);

/// By this spreadsheets know UTF-8: without it Excel reads the bytes by the code page of the machine.
const MARK: &[u8] = "\u{feff}".as_bytes();
/// Digits of a number that spreadsheets keep.
const DIGITS_KEPT: usize = 15;

impl Sheet {
    /// The beginning of a file, with its mark and its head.
    pub(crate) fn beginning<T: AsRef<str>>(head: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let mut sheet = Self(csv::Writer::from_writer(MARK.to_vec()));
        sheet.row(head)?;
        Ok(sheet)
    }

    /// A later piece of a file.
    pub(crate) fn new() -> Self {
        Self(csv::Writer::from_writer(Vec::new()))
    }

    /// Adds a row of texts, none of which a spreadsheet takes for a formula, or for a number that it would
    /// write in another way.
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

/// A text that no spreadsheet takes for a formula, nor for a number of which it would drop digits.
fn guarded(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let is_formula = !is_number && text.starts_with(FORMULA);
    if is_formula || (is_number && loses_digits(text)) { format!("'{text}") } else { text.to_owned() }
}

/// Whether a number has zeros in front, more digits than are kept, or an exponent, as ids may.
fn loses_digits(number: &str) -> bool {
    let digits = number.trim_start_matches(['+', '-']);
    let has_zeros = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    let count = digits.bytes().filter(u8::is_ascii_digit).count();
    has_zeros || count > DIGITS_KEPT || (count > 0 && digits.contains(['e', 'E']))
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

    #[test]
    fn a_cell_keeps_its_digits() {
        for text in ["1234567890123456789", "00123", "-007", "1e5", "12E3", "1234567890.123456"] {
            assert_eq!(guarded(text), format!("'{text}"));
        }
        for text in ["123456789012345", "0", "0.5", "-0.25", "19.90", "j1e5", "inf"] {
            assert_eq!(guarded(text), text);
        }
    }

    #[test]
    fn a_file_begins_with_the_mark_of_its_encoding_once() {
        let mut sheet = Sheet::beginning(["name"]).unwrap();
        sheet.row(["Jürgen"]).unwrap();
        assert_eq!(sheet.bytes().unwrap(), "\u{feff}name\nJürgen\n".as_bytes());
        let mut next = Sheet::new();
        next.row(["a"]).unwrap();
        assert_eq!(next.bytes().unwrap(), b"a\n");
    }
}
