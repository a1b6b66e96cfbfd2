// Whether a value could be found by trying. An estimate: digits and letters have what they can have at most, words have
// what the letters of a language have, and what separates them has nothing.

/** About a trillion tries. A value above it is not found by trying, however fast. */
const minBits = 40

const bitsPerDigit = Math.log2(10)
/** Of a word. Upper and lower case are not told apart, as in the search for values. */
const bitsPerLetter = 2.3
/** Of a code that mixes letters and digits. */
const bitsPerSymbol = Math.log2(36)

/** PINs, dates, phone numbers, names, diagnoses, short codes. */
export function isGuessable(text: string): boolean {
  let bits = 0
  for (const [part] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    bits += bitsOf(part)
    if (bits >= minBits) return false
  }
  return true
}

function bitsOf(part: string): number {
  const digits = part.replace(/\P{Nd}/gu, '').length
  if (digits === part.length) return digits * bitsPerDigit
  return part.length * (digits === 0 ? bitsPerLetter : bitsPerSymbol)
}
