//! Fields of JSON that is read as one structure for several sorts of a thing.

/// A field that the sort at hand has.
///
/// # Errors
/// Which one is missing, in the words of serde.
pub fn required<T>(field: Option<T>, name: &str) -> Result<T, String> {
    field.ok_or_else(|| format!("missing field `{name}`"))
}
