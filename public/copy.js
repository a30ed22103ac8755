// A page that shows something once has no script but this: its buttons copy the text beside them.
const SHOWN_MS = 1_500;
for (const button of document.querySelectorAll('.shown-once .copy')) {
  const text = button.previousElementSibling?.textContent ?? '';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text);
    button.setAttribute('data-copied', '');
    setTimeout(() => button.removeAttribute('data-copied'), SHOWN_MS);
  });
}
// Browsers give no clipboard to pages that came without TLS from elsewhere.
if (navigator.clipboard) document.documentElement.setAttribute('data-copies', '');
