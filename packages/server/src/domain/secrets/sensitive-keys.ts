// Finds the keys of a JSON document that name a secret, by comparing the key's words with a fixed list.
//
// How a key is read:
// - Words are separated by `_`, `-`, `.`, a space and camelCase: `userSSN` is user + ssn, `APIKey` is api + key, and
//   the plural of an acronym is one word (`userSSNs` is user + ssns).
// - A word matches in the singular, in the plural and with trailing digits (`password2`, `cvv2`), but not as part of a
//   longer word (`secretary`, `tokenizer`, `passwordless`).
// - An entry of two words matches two adjacent words, and also the two written as one (`apikey`, `taxids`).
// - One match anywhere in the key is enough (`old_password_hash`).
// - Words for counts do not match: `credits`; `token` before count, limit, budget or usage; and `tokens`, unless
//   access, api, auth, refresh, bearer, session or id comes right before it.
import type { JsonLocation } from '@runwright/contract'
import { memoize } from '../memoize.ts'

const secretWords = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'apikey',
  'credential',
  'authorization',
  'cookie',
  'ssn',
  'cvv',
  'cvc',
  'iban',
  'passport',
]
const secretPairs = [
  'api key',
  'access key',
  'private key',
  'social security',
  'card number',
  'account number',
  'tax id',
]

const plural = (word: string) => (word.endsWith('y') && !word.endsWith('key') ? `${word.slice(0, -1)}ies` : `${word}s`)
const withPlurals = (words: readonly string[]) => new Set(words.flatMap((word) => [word, plural(word)]))

// `credit` and `token` have no plural here: `credits` never matches, and `tokens` only after one of `tokenOwners`.
const singleWords = new Set([
  ...withPlurals(secretWords),
  ...withPlurals(secretPairs.map((pair) => pair.replace(' ', ''))),
  'credit',
])
const wordPairs = withPlurals(secretPairs)
const tokenCounts = withPlurals(['count', 'limit', 'budget', 'usage'])
const tokenOwners = new Set(['access', 'api', 'auth', 'refresh', 'bearer', 'session', 'id'])

const separators = /[_\-. ]+/
// Between a lower case letter or digit and a capital, and before the last capital of an acronym if a lower case letter
// follows, unless that letter is the plural `s` of the acronym.
const camelCaseBoundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?:\p{Lu}|\P{L}|$))/u
const trailingDigits = /(?<=\D)\d+$/

const splitWords = (key: string): string[] =>
  key
    .split(separators)
    .flatMap((part) => part.split(camelCaseBoundary))
    .map((word) => word.replace(trailingDigits, '').toLowerCase())

function isSecretWord(words: readonly string[], index: number): boolean {
  const word = words[index] ?? ''
  const next = words[index + 1] ?? ''
  if (word === 'token') return !tokenCounts.has(next)
  if (word === 'tokens') return tokenOwners.has(words[index - 1] ?? '')
  return singleWords.has(word) || wordPairs.has(`${word} ${next}`)
}

// A key without any of these cannot match, which settles most keys.
const hints = /pass|pwd|secret|token|key|credential|authorization|cookie|ssn|social|credit|number|cv[vc]|iban|tax/i

export const isSensitiveKey = memoize((key: string): boolean => {
  if (!hints.test(key)) return false
  const words = splitWords(key)
  return words.some((_, index) => isSecretWord(words, index))
})

/**
 * The locations of sensitive keys at any depth, in document order, at most `limit` of them. The value of a sensitive
 * key is not searched, because it is hidden as a whole. Recurses, so the document must have passed `parseStrictJson`.
 */
export function findSensitiveKeys(document: unknown, limit = Number.POSITIVE_INFINITY): JsonLocation[] {
  const search: Search = { path: [], found: [], limit }
  searchValue(document, search)
  return search.found
}

interface Search {
  readonly path: (string | number)[]
  readonly found: JsonLocation[]
  readonly limit: number
}

function searchValue(value: unknown, search: Search): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) searchBelow(index, value[index], search)
  } else {
    for (const key of Object.keys(value)) {
      if (search.found.length >= search.limit) return
      if (isSensitiveKey(key)) search.found.push([...search.path, key])
      else searchBelow(key, (value as Record<string, unknown>)[key], search)
    }
  }
}

function searchBelow(part: string | number, value: unknown, search: Search): void {
  if (typeof value !== 'object' || value === null) return
  search.path.push(part)
  searchValue(value, search)
  search.path.pop()
}
