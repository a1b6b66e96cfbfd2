// Makes text of clients, models and tools safe to show to a person. Control, bidirectional and invisible characters can
// move the cursor of a terminal, or show something other than what the text says: they are written as \u{…}.

// Joiners (U+200C, U+200D) stay: several languages and emoji need them, and they hide nothing.
export const dangerousCharacters = /(?![\n\t\u200c\u200d])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u{e0100}-\u{e01ef}])/gu

export const escapedCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Keeps line breaks and tabs. */
export const visibleText = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(dangerousCharacters, escapedCharacter)
