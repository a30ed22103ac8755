/** The path that everything is below, without a slash at its end; empty for none. */
export const base = (document.documentElement.dataset.base ?? '/').replace(/\/$/, '');
