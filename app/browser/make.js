/**
 * Makes an element of that name.
 * @param {string} name
 * @param {Record<string, unknown>} values What it has.
 * @param {...(string | Node)} content
 */
export function make(name, values, ...content) {
  const made = Object.assign(document.createElement(name), values);
  made.append(...content);
  return made;
}
