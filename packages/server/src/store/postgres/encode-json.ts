// Encodes JSON for the database. Characters that PostgreSQL cannot store are replaced.

// JSON.stringify writes lone surrogates and U+0000 as escapes. After an escaped backslash, `u0000` is plain text.
const escapedUnstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi

/** JSON text that PostgreSQL accepts: U+0000 and lone surrogates become U+FFFD. */
export function encodeJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('\\u') ? text.replace(escapedUnstorable, '$1\uFFFD') : text
}

/** Text that PostgreSQL accepts: likewise. */
export const encodeText = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text)
