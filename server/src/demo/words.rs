//! What the shop calls its work, for the support desk.

use app::vocabulary::{KindWords, Vocabulary, Word};

/// The shop's words.
#[must_use]
pub fn vocabulary() -> Vocabulary {
    let shown = |step, noun| KindWords { step, noun, hidden: false };
    let hidden = || KindWords { hidden: true, ..KindWords::default() };
    Vocabulary::default()
        .subject("resource", Word::new("Resource", "资源"))
        .subject("account", Word::new("Account", "账户"))
        .subject("invoice", Word::new("Invoice", "发票"))
        .kind("expiry", shown(Word::new("Expiry after 30 days", "30 天到期"), Word::default()))
        .kind("resource.expiry_notice", shown(Word::new("Notice by e-mail", "邮件通知"), Word::default()))
        .kind(
            "resource.delete",
            shown(Word::new("Deletion of the resource", "删除资源"), Word::new("deletion", "删除")),
        )
        .kind(
            "account.close",
            shown(Word::new("Closing of the account", "关闭账户"), Word::new("closing", "关闭账户")),
        )
        .kind("invoice.send", shown(Word::new("Invoice by e-mail", "邮件发送发票"), Word::default()))
        .kind(
            "card.charge",
            shown(Word::new("Charge to the card", "信用卡扣款"), Word::new("charge", "扣款")),
        )
        // What the shop does for itself.
        .kind("backup.create", hidden())
        .kind("crm.sync", hidden())
}
