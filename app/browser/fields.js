/** What somebody has opened. */
export const OPEN = ':popover-open, dialog[open]';

/** Whether somebody changed what is in a field since it came. @param {Element} field */
export function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    const first = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(first, field.multiple ? -1 : 0);
  }
  if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
  if (!(field instanceof HTMLInputElement) || field.type === 'hidden') return false;
  const isTick = field.type === 'checkbox' || field.type === 'radio';
  return isTick ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

/** The same of a form. @param {HTMLFormElement} form */
export const isDirty = (form) => [...form.elements].some(isChanged);

/** Opens what a field is folded in. @param {Element} field */
export function unfold(field) {
  for (let at = field.parentElement; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
}
