// Makes text from any source safe to store and to show.

// With the `u` flag a surrogate pair is one character, so this matches lone surrogates only.
const unstorable = /[\0\ud800-\udfff]/gu

/** Replaces U+0000 and lone surrogates, which PostgreSQL rejects, with U+FFFD. */
export const storableText = (text: string): string => text.replace(unstorable, '\ufffd')
