import { describe, expect, test } from 'vitest'
import { formsOf } from './forms.ts'

const awkward = 'pä"s\\s\n w/ört & 50% + (ok)! 漢字 😀'
const secrets = ['hunter2', 'a b+c/d?', awkward, '1234', 'é'.repeat(5), 'x'.repeat(1_000)]
const textsOf = (secret: string) => formsOf(secret).map(({ text }) => text)
const found = (secret: string, text: string) => textsOf(secret).some((form) => text.includes(form))
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

test('every form is there once and long enough to be searched for', () => {
  for (const secret of secrets) {
    const texts = textsOf(secret)
    expect(new Set(texts).size).toBe(texts.length)
    for (const text of texts) expect(text.length).toBeGreaterThanOrEqual(4)
  }
})

test('a plain word has only itself and base64 as forms', () => {
  expect(formsOf('hunter2').map(({ kind }) => kind)).toEqual(['raw', 'base64', 'base64', 'base64'])
})
