/** @type {Record<string, string>} The sentences of this page's language, as the server wrote them. */
const words = JSON.parse(document.querySelector('meta[name=words]')?.getAttribute('content') ?? '{}');

/**
 * A sentence with its values put in.
 * @param {string} name
 * @param {Record<string, string | number>} [values]
 */
export function say(name, values = {}) {
  return (words[name] ?? name).replace(/\{(\w+)\}/g, (place, value) => String(values[value] ?? place));
}

/** A sentence of so many things. @param {string} name @param {number} count */
export const counted = (name, count) => say(count === 1 ? `${name}-one` : name, { count });
