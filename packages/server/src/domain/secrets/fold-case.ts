// Folds upper and lower case, so that texts can be compared without regard to it.

/**
 * The result has the length of the text, so a position in one is the same position in the other. `İ` is the only
 * character whose lower case is longer; `ς` is `σ` at the end of a word, and a part of a text may end elsewhere.
 */
export const foldCase = (text: string): string =>
  /[^\0-\x7f]/.test(text) ? text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ') : text.toLowerCase()
