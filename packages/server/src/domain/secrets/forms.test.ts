import { describe, expect, test } from 'vitest'
import { foldCase } from './fold-case.ts'
import { countForms, foldAlphabet, formsOf } from './forms.ts'
import type { Pattern } from './pattern-index.ts'

const awkward = 'pä"s\\s\n w/ört & 50% + (ok)! 漢字 😀'
const secrets = ['hunter2', 'a b+c/d?', awkward, '1234', 'é'.repeat(5), 'x'.repeat(1_000)]
const wholeOf = ({ head, whole }: Pattern) => whole?.() ?? head
const patternsOf = (secret: string) => {
  const { raw, escaped, base64 } = formsOf(secret)
  return [raw, ...escaped, ...base64]
}
const found = (secret: string, text: string) => {
  const { raw, escaped, base64 } = formsOf(secret)
  return (
    [raw, ...escaped].some((form) => foldCase(text).includes(wholeOf(form))) ||
    base64.some((form) => foldAlphabet(text).includes(wholeOf(form)))
  )
}
const lowerHex = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
const asciiJson = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const writers: [string, (text: string) => string][] = [
  ['as it is', (text) => `before ${text} after`],
  ['JSON', (text) => JSON.stringify({ a: text })],
  ['JSON of JSON', (text) => JSON.stringify(JSON.stringify({ a: text }))],
  ['JSON in ASCII', asciiJson],
  [
    'JSON in ASCII with large digits',
    (text) => asciiJson(text).replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`),
  ],
  ['JSON with escaped slashes', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['encodeURIComponent', (text) => `?q=${encodeURIComponent(text)}&x`],
  ['encodeURIComponent in small digits', (text) => lowerHex(encodeURIComponent(text))],
  ['encodeURIComponent with plus for space', (text) => encodeURIComponent(text).replaceAll('%20', '+')],
  ['encodeURI', (text) => `https://x.test/${encodeURI(text)}`],
  ['a form', (text) => new URLSearchParams({ a: text, b: '1' }).toString()],
  ['a form in small digits', (text) => lowerHex(new URLSearchParams({ a: text }).toString())],
]

describe.each(writers)('written as %s', (_, write) => {
  test.each(secrets)('%.20s is among the forms', (secret) => {
    expect(found(secret, write(secret))).toBe(true)
  })
})

describe('in base64', () => {
  const places = [0, 1, 2, 3].flatMap((before) => [0, 1, 2].map((after): [number, number] => [before, after]))

  test.each(places)('it is found with %i bytes before it and %i after', (before, after) => {
    for (const secret of secrets) {
      const bytes = Buffer.from(`${'('.repeat(before)}${secret}${')'.repeat(after)}`)
      expect(found(secret, bytes.toString('base64'))).toBe(true)
      expect(found(secret, bytes.toString('base64url'))).toBe(true)
    }
  })

  test('it is found as part of JSON', () => {
    for (const secret of secrets) expect(found(secret, btoa(asciiJson(secret)))).toBe(true)
    const json = Buffer.from(JSON.stringify({ user: 'u', password: awkward }))
    expect(found(awkward, json.toString('base64'))).toBe(true)
  })
})

test('every form of a short secret is there once, and long enough to be searched for', () => {
  for (const secret of secrets) {
    for (const { head } of patternsOf(secret)) expect(head.length).toBeGreaterThanOrEqual(4)
    if (secret.length > 32) continue
    const { escaped, base64 } = formsOf(secret)
    for (const patterns of [escaped, base64]) expect(new Set(patterns.map(wholeOf)).size).toBe(patterns.length)
  }
})

test('a plain word has only itself and base64 as forms', () => {
  expect(formsOf('hunter2')).toMatchObject({ raw: { head: 'hunter2' }, escaped: [] })
  expect(formsOf('hunter2').base64).toHaveLength(3)
})

test('the head of a long form is its beginning, wherever the secret is cut', () => {
  for (let length = 33; length < 70; length += 1) {
    for (const secret of ['😀"/ é'.repeat(20), 'İΣς'.repeat(30), 'a b'.repeat(30)].map((text) =>
      text.slice(0, length),
    )) {
      if (/\p{Cs}/u.test(secret)) continue
      for (const form of patternsOf(secret)) {
        expect(wholeOf(form).startsWith(form.head)).toBe(true)
        expect(wholeOf(form).length).toBeGreaterThanOrEqual(form.minLength ?? 0)
      }
    }
  }
})

test('the number of forms is known without computing them', () => {
  for (const secret of secrets) expect(countForms(secret)).toBeGreaterThanOrEqual(patternsOf(secret).length)
  expect(countForms('hunter2')).toBe(4)
  expect(countForms('Jane Doe')).toBe(6)
})
