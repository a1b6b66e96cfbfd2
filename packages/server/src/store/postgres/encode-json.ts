// The one door through which JSON goes to the database: what PostgreSQL cannot store is replaced, never thrown at it.

// JSON.stringify writes lone surrogates and U+0000 as escapes; an escaped backslash before them is no escape of theirs.
const escapedUnstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi

/** JSON text that PostgreSQL accepts: U+0000 and lone surrogates become U+FFFD. */
export function encodeJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('\\u') ? text.replace(escapedUnstorable, '$1\uFFFD') : text
}
