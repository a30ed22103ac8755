//! More than one machine: cells, whom to trust, and what replicas must have.

use super::draft::Draft;
use super::mistake::{Given, Mistakes};
use super::namespaces::NamespaceConfig;
use crate::text;
use reprieve::model::CELLS_MAX;

/// Most replicas a write may wait for: nobody has more, and a mistyped number would make every act wait in vain.
const REPLICAS_MAX: u32 = 20;

/// How the Redis behind the jobs is spread.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MachinesConfig {
    /// How many cells the namespace has; fixed at its first use.
    pub cells: u16,
    /// Certificates in PEM, one of which must have signed for the server; `None` for the usual authorities.
    pub ca: Option<Vec<u8>>,
    /// How many replicas must have what a person does; 0 for none.
    pub confirm_replicas: u32,
}

impl MachinesConfig {
    /// `own_cells` is what the namespace's own entry in the file says: more than what the file or a variable says of
    /// whichever namespace, which those beside it get where theirs says nothing, and less than a flag.
    pub(super) fn settle(
        draft: &Draft,
        own_cells: Option<u16>,
        beside: &mut [NamespaceConfig],
        mistakes: &mut Mistakes,
    ) -> Self {
        let said = read_cells(draft.cells.as_ref(), mistakes);
        let cells = read_cells(draft.cells_flag.as_ref(), mistakes).or(own_cells).or(said);
        for namespace in beside {
            namespace.cells = namespace.cells.or(said);
        }
        let ca = mistakes
            .read(draft.redis_ca_file.as_ref(), |path| read_certificates(path).map(String::into_bytes));
        let confirm_replicas = mistakes.read(draft.confirm_replicas.as_ref(), |text| {
            let known = text.parse::<u32>().ok().filter(|&replicas| replicas <= REPLICAS_MAX);
            known
                .ok_or_else(|| format!("{text:?} is no number of replicas; 0 to {REPLICAS_MAX} are possible"))
        });
        Self { cells: cells.unwrap_or(1), ca, confirm_replicas: confirm_replicas.unwrap_or_default() }
    }
}

/// Certificates in PEM, out of a file.
///
/// # Errors
/// A sentence with the file, when it cannot be read or holds none.
pub(crate) fn read_certificates(path: &str) -> Result<String, String> {
    let pem = std::fs::read(path).map_err(|why| format!("{path} cannot be read: {why}"))?;
    text::of(pem)
        .ok()
        .filter(|pem| pem.contains("-----BEGIN CERTIFICATE-----"))
        .ok_or_else(|| format!("{path} holds no certificate in PEM"))
}

fn read_cells(given: Option<&Given<String>>, mistakes: &mut Mistakes) -> Option<u16> {
    mistakes.read(given, |text| {
        let known = text.parse::<u16>().ok().filter(|cells| (1..=CELLS_MAX).contains(cells));
        known.ok_or_else(|| format!("{text:?} is no number of cells; 1 to {CELLS_MAX} are possible"))
    })
}
