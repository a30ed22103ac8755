//! The colours of both themes, worked out anew from the style sheet: what is read against what it stands on, and how far
//! states are apart for eyes that see colours otherwise.

use std::collections::HashMap;

/// Light and dark, in the order of `light-dark()`.
const THEMES: [&str; 2] = ["light", "dark"];
/// What anything may stand on.
const GROUNDS: [&str; 3] = ["ground", "surface", "raised"];
/// What else text may stand on.
const WASHES: [&str; 2] = ["sunken", "accent-wash"];
/// What is text in some place.
const TEXT: [&str; 3] = ["text", "text-soft", "accent"];
/// States with a colour of their own. The others are told by their outline.
const STATES: [&str; 6] = ["delayed", "retrying", "ready", "active", "dead", "done"];
/// WCAG 2.2, 1.4.3: text.
const TEXT_MIN: f64 = 4.5;
/// WCAG 2.2, 1.4.11: pictures, borders of fields, focus.
const GRAPHICS_MIN: f64 = 3.0;
/// How far two states are apart at least (CIE76), in light and dark.
const APART_MIN: [f64; 2] = [19.8, 22.6];

/// Machado, Oliveira, Fernandes (2009), severity 1, on linear light.
const EYES: [(&str, [[f64; 3]; 3]); 3] = [
    ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "deuteranope",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "protanope",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
];

/// Linear light: red, green, blue.
type Light = [f64; 3];

/// The colours of one theme by what they mean, without `--color-`.
fn colours(theme: usize) -> HashMap<String, Light> {
    let sheet = include_str!("../../../style/tokens.css");
    // What asks for more contrast stands in a block of its own at the end.
    let sheet = sheet.split("@media").next().unwrap();
    let mut raw = HashMap::new();
    let mut meant = HashMap::new();
    for line in sheet.lines() {
        let Some((name, value)) = line.trim().trim_end_matches(';').split_once(": ") else { continue };
        if let Some(pair) = value.strip_prefix("light-dark(#").filter(|_| name.starts_with("--raw-")) {
            let digits = pair.trim_end_matches(')').split(", #").nth(theme).unwrap();
            raw.insert(format!("var({name})"), linear(digits));
        } else if let Some(meaning) = name.strip_prefix("--color-") {
            meant.insert(meaning.to_owned(), raw[value]);
        }
    }
    meant
}

/// Six digits as linear light (sRGB).
fn linear(digits: &str) -> Light {
    [0, 2, 4].map(|at| {
        let share = f64::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap()) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    })
}

fn dot(row: Light, light: Light) -> f64 {
    row.iter().zip(light).map(|(factor, part)| factor * part).sum()
}

/// WCAG's contrast, 1 to 21.
fn contrast(a: Light, b: Light) -> f64 {
    let brightness = |light| dot([0.2126, 0.7152, 0.0722], light) + 0.05;
    let (a, b) = (brightness(a), brightness(b));
    a.max(b) / a.min(b)
}

/// CIE L*a*b* under daylight (D65).
fn lab(light: Light) -> [f64; 3] {
    let root = |t: f64| if t > 216.0 / 24_389.0 { t.cbrt() } else { (24_389.0 / 27.0 * t + 16.0) / 116.0 };
    let x = root(dot([0.412_456_4, 0.357_576_1, 0.180_437_5], light) / 0.950_47);
    let y = root(dot([0.212_672_9, 0.715_152_2, 0.072_175_0], light));
    let z = root(dot([0.019_333_9, 0.119_192_0, 0.950_304_1], light) / 1.088_83);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn apart(a: Light, b: Light, eyes: &[[f64; 3]; 3]) -> f64 {
    let seen = |light| lab(eyes.map(|row| dot(row, light).clamp(0.0, 1.0)));
    seen(a).iter().zip(seen(b)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Says which pairs have too little contrast.
fn too_faint(theme: usize, marks: &[String], grounds: &[&str], least: f64) -> Vec<String> {
    let colours = colours(theme);
    let pairs = marks.iter().flat_map(|mark| grounds.iter().map(move |ground| (mark, *ground)));
    pairs
        .map(|(mark, ground)| (mark, ground, contrast(colours[mark], colours[ground])))
        .filter(|(_, _, has)| *has < least)
        .map(|(mark, ground, has)| format!("{}: {mark} on {ground} has {has:.2}", THEMES[theme]))
        .collect()
}

#[test]
fn text_can_be_read_in_both_themes() {
    for theme in [0, 1] {
        let text = TEXT.map(str::to_owned);
        assert_eq!(too_faint(theme, &text, &GROUNDS, TEXT_MIN), [""; 0]);
        assert_eq!(too_faint(theme, &text, &WASHES, TEXT_MIN), [""; 0]);
        assert_eq!(too_faint(theme, &["danger".to_owned()], &GROUNDS, TEXT_MIN), [""; 0]);
        for on in ["accent", "danger"] {
            assert_eq!(too_faint(theme, &[format!("on-{on}")], &[on], TEXT_MIN), [""; 0]);
        }
    }
}

#[test]
fn pictures_borders_and_focus_are_seen_in_both_themes() {
    let marks: Vec<String> = STATES
        .iter()
        .chain(&["cancelled", "held"])
        .map(|state| format!("state-{state}"))
        .chain(["focus", "line-strong", "good", "warning", "bad"].map(str::to_owned))
        .collect();
    for theme in [0, 1] {
        assert_eq!(too_faint(theme, &marks, &GROUNDS, GRAPHICS_MIN), [""; 0]);
    }
}

#[test]
fn states_are_apart_for_eyes_of_every_sort() {
    for (theme, least) in APART_MIN.into_iter().enumerate() {
        let colours = colours(theme);
        for (eyes, matrix) in &EYES {
            for (at, a) in STATES.iter().enumerate() {
                for b in &STATES[at + 1..] {
                    let colour = |state: &str| colours[&format!("state-{state}")];
                    let has = apart(colour(a), colour(b), matrix);
                    assert!(has >= least, "{}, {eyes}: {a} and {b} are {has:.1} apart", THEMES[theme]);
                }
            }
        }
    }
}
