//! The fields of a schedule in Simplified Chinese, for the grammar of the library that reads them.
//!
//! The library glues clauses and lists with commas of its own; [`tidied`] makes them those of Chinese.

use croner::describe::Language;
use jiff::SignedDuration;

/// Simplified Chinese.
pub(super) struct Chinese;

/// Full-width punctuation: clauses end with a comma, items of a list with a pause mark.
pub(super) fn tidied(text: &str) -> String {
    let mut text = text.trim_end_matches('.').to_owned();
    if is_time(&text) {
        return format!("每天 {text}。");
    }
    for clause in ["逢", "在", "每", "第"] {
        text = text.replace(&format!(", {clause}"), &format!("，{clause}"));
    }
    text = text.replace(" （", "（").replace(", 和 ", " 和 ").replace(" 或 ", "，或逢").replace(", ", "、");
    // Between two characters there is no space; beside a number there is.
    let mut items = text.split(" 和 ");
    let mut joined = items.next().unwrap_or_default().to_owned();
    for item in items {
        let numbers = joined.ends_with(|c: char| c.is_ascii_digit());
        joined.push_str(if numbers { " 和 " } else { "和" });
        joined.push_str(item);
    }
    joined.push('。');
    of_year(&joined).unwrap_or(joined).replace(MONDAY_TO_FRIDAY, "星期一至星期五")
}

/// Five days as the library tells them, tidied.
const MONDAY_TO_FRIDAY: &str = "逢星期一、星期二、星期三、星期四和星期五";

/// Whether it is a time of the day and nothing else: `09:30`.
fn is_time(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == ':')
}

/// A day of some months is one of the year: `逢每月 1 日，在一月。` is `逢每年一月的 1 日。`
fn of_year(text: &str) -> Option<String> {
    let (before, day) = text.split_once("逢每月 ")?;
    let (day, months) = day.split_once(" 日，在")?;
    let months = months.strip_suffix('。').filter(|months| months.ends_with('月'))?;
    Some(format!("{before}逢每年{months}的 {day} 日。"))
}

/// A span in its units, with a space in front of each number: ` 1 小时 30 分钟`.
pub(super) fn span(span: SignedDuration) -> String {
    let seconds = span.as_secs();
    let parts = [
        (seconds / 3_600, "小时"),
        (seconds % 3_600 / 60, "分钟"),
        (seconds % 60, "秒"),
        (span.subsec_millis().into(), "毫秒"),
    ];
    parts.iter().filter(|(number, _)| *number > 0).map(|(number, unit)| format!(" {number} {unit}")).collect()
}

impl Language for Chinese {
    fn every_minute(&self) -> &'static str {
        "每分钟"
    }
    fn every_second_phrase(&self) -> &'static str {
        "每秒"
    }
    fn every_x_minutes(&self, step: u16) -> String {
        format!("每 {step} 分钟")
    }
    fn every_x_seconds(&self, step: u16) -> String {
        format!("每 {step} 秒")
    }
    fn every_x_hours(&self, step: u16) -> String {
        format!("每 {step} 小时")
    }
    fn every_minute_of_every_x_hours(&self, step: u16) -> String {
        format!("每 {step} 小时内的每分钟")
    }
    fn at_time(&self, time: &str) -> String {
        time.to_owned()
    }
    fn at_time_and_every_x_seconds(&self, time: &str, step: u16) -> String {
        format!("{time} 这一分钟内每 {step} 秒")
    }
    fn at_time_at_second(&self, time: &str, second: &str) -> String {
        format!("{time} 的第 {second} 秒")
    }
    fn at_phrase(&self, phrase: &str) -> String {
        phrase.to_owned()
    }
    fn on_phrase(&self, phrase: &str) -> String {
        format!("逢{phrase}")
    }
    fn in_phrase(&self, phrase: &str) -> String {
        format!("在{phrase}")
    }
    fn second_phrase(&self, s: &str) -> String {
        format!("第 {s} 秒")
    }
    fn minute_phrase(&self, s: &str) -> String {
        format!("第 {s} 分")
    }
    fn minute_past_every_hour_phrase(&self, s: &str) -> String {
        format!("每小时的{s}")
    }
    fn hour_phrase(&self, s: &str) -> String {
        format!("在 {s} 点")
    }
    fn year_phrase(&self, s: &str) -> String {
        format!(" {s} 年")
    }
    fn day_phrase(&self, s: &str) -> String {
        format!("每月 {s} 日")
    }
    fn the_last_day_of_the_month(&self) -> &'static str {
        "每月最后一天"
    }
    fn the_weekday_nearest_day(&self, day: &str) -> String {
        format!("离每月 {day} 日最近的工作日")
    }
    fn the_last_weekday_of_the_month(&self, day: &str) -> String {
        format!("当月最后一个{day}")
    }
    fn the_nth_weekday_of_the_month(&self, n: u8, day: &str) -> String {
        format!("当月的第 {n} 个{day}")
    }
    fn dom_and_dow_if_also(&self, dow: &str) -> String {
        format!("（且为{dow}）")
    }
    fn dom_and_dow_if_also_one_of(&self, dow: &str) -> String {
        format!("（且为其中之一：{dow}）")
    }
    fn list_conjunction_and(&self) -> &'static str {
        "和"
    }
    fn list_conjunction_or(&self) -> &'static str {
        "或"
    }
    fn list_conjunction_and_comma(&self) -> &'static str {
        "和"
    }
    fn day_of_week_names(&self) -> [&'static str; 7] {
        ["星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"]
    }
    fn month_names(&self) -> [&'static str; 12] {
        ["一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"]
    }
    fn every_past_phrase(&self, every: &str, hours: &str) -> String {
        format!("{hours}内{every}")
    }
    fn past_hour_phrase(&self, s: &str) -> String {
        format!("在 {s} 点")
    }
    fn every_x_months(&self, step: u16) -> String {
        format!("每 {step} 个月")
    }
}
