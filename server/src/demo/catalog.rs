//! Who the shop's customers are, and what they have.

use rand::Rng;
use rand::seq::IndexedRandom;

const CUSTOMERS: [(&str, &str); 16] = [
    ("Amara Okafor", "amara@okafor-studio.example"),
    ("Bengt Lindqvist", "bengt@lindqvist-bygg.example"),
    ("Carla Mendes", "carla@mendes-foto.example"),
    ("Dmitri Volkov", "dmitri@volkov-audio.example"),
    ("Elif Yılmaz", "elif@yilmaz-mimarlik.example"),
    ("Fiona Walsh", "fiona@walsh-and-daughters.example"),
    ("Giorgio Bianchi", "giorgio@bianchi-vini.example"),
    ("Hana Sato", "hana@sato-keramik.example"),
    ("Imran Qureshi", "imran@qureshi-travel.example"),
    ("Jeanne Moreau", "jeanne@atelier-moreau.example"),
    ("Kwame Mensah", "kwame@mensah-logistics.example"),
    ("Lena Vogel", "lena@vogel-yoga.example"),
    ("Mateo García", "mateo@garcia-bikes.example"),
    ("Nadia Haddad", "nadia@haddad-pharmacy.example"),
    ("Oskar Nowak", "oskar@nowak-games.example"),
    ("Priya Raman", "priya@raman-analytics.example"),
];

const RESOURCES: [&str; 12] = [
    "Photo archive 2019",
    "Web shop (staging)",
    "Newsletter list",
    "Podcast storage",
    "Floor plans",
    "Booking calendar",
    "Customer portal",
    "Game server EU-2",
    "Sensor readings",
    "Video course",
    "Mail archive",
    "Tax documents 2022",
];

/// Somebody and something of theirs.
#[derive(Debug, Clone)]
pub(super) struct Rental {
    pub(super) number: u32,
    pub(super) name: &'static str,
    pub(super) customer: &'static str,
    pub(super) email: &'static str,
    /// Tells the jobs of one rental from those of an earlier one of the same resource; empty for the only one.
    pub(super) term: String,
}

impl Rental {
    /// Some customer's something, under that number.
    pub(super) fn of(number: u32) -> Self {
        let mut rng = rand::rng();
        let (customer, email) = CUSTOMERS.choose(&mut rng).copied().unwrap_or(CUSTOMERS[0]);
        let name = RESOURCES.choose(&mut rng).copied().unwrap_or(RESOURCES[0]);
        Self { number, name, customer, email, term: String::new() }
    }

    /// The one resource that people are told to look at: rented again and again.
    pub(super) fn of_the_story(term: u32) -> Self {
        Self { term: format!(":rental-{term}"), ..Self::of(4711) }
    }

    /// What jobs about it have as their subject.
    pub(super) fn subject(&self) -> String {
        format!("resource:{}", self.number)
    }
}

/// An amount of money as the invoices write it.
pub(super) fn amount() -> String {
    let mut rng = rand::rng();
    format!("{}.{:02} EUR", rng.random_range(9..240), rng.random_range(0..100))
}
