// Which keys of a JSON document name a secret: the key's words, compared with a fixed list.
//
// How a key is read:
// - Words end at `_`, `-`, `.`, a space and at the humps of camelCase: `userSSN` is user + ssn, `APIKey` is api + key,
//   and the plural of an acronym stays whole (`userSSNs` is user + ssns).
// - A word matches as it is, in the plural, and with digits after it (`password2`, `cvv2`); the letters of a longer word
//   do not match (`secretary`, `tokenizer`, `passwordless`).
// - An entry of two words matches two neighbouring words and also its words written together (`apikey`, `taxids`).
// - One match anywhere in the key is enough (`old_password_hash`).
// - Words for counting are no secrets: `credits`; `token` before count, limit, budget or usage; and `tokens` unless
//   access, api, auth, refresh, bearer, session or id stands right before it.

import type { JsonLocation } from '../json/location.ts'
import { rememberAnswers } from '../remember-answers.ts'

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

// `credit` and `token` have plurals of their own: the first never counts, the second only in company.
const singleWords = new Set([
  ...withPlurals(secretWords),
  ...withPlurals(secretPairs.map((pair) => pair.replace(' ', ''))),
  'credit',
])
const wordPairs = withPlurals(secretPairs)
const countsOfTokens = withPlurals(['count', 'limit', 'budget', 'usage'])
const ownersOfTokens = new Set(['access', 'api', 'auth', 'refresh', 'bearer', 'session', 'id'])

const separators = /[_\-. ]+/
// Between a small letter or digit and a capital, and before the last capital of an acronym that a small letter follows,
// unless that letter is only its plural `s`.
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?:\p{Lu}|\P{L}|$))/u
const trailingDigits = /(?<=\D)\d+$/

const splitWords = (key: string): string[] =>
  key
    .split(separators)
    .flatMap((part) => part.split(humps))
    .map((word) => word.replace(trailingDigits, '').toLowerCase())

function isSecretWord(words: readonly string[], index: number): boolean {
  const word = words[index] ?? ''
  const next = words[index + 1] ?? ''
  if (word === 'token') return !countsOfTokens.has(next)
  if (word === 'tokens') return ownersOfTokens.has(words[index - 1] ?? '')
  return singleWords.has(word) || wordPairs.has(`${word} ${next}`)
}

// A key without any of these cannot match; most keys are done here.
const hints = /pass|pwd|secret|token|key|credential|authorization|cookie|ssn|social|credit|number|cv[vc]|iban|tax/i

export const isSensitiveKey = rememberAnswers((key: string): boolean => {
  if (!hints.test(key)) return false
  const words = splitWords(key)
  return words.some((_, index) => isSecretWord(words, index))
})

/**
 * Where sensitive keys stand, at any depth, in document order, at most `limit` of them. What lies below a sensitive key
 * is not searched: hiding its value hides that too. Recursion is safe on what `parseStrictJson` let through.
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
