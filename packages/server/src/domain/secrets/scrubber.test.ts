import { describe, expect, test } from 'vitest'
import { Scrubber } from './scrubber.ts'

const scrubber = (...secrets: string[]) => new Scrubber(secrets, () => [])
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('scrub', () => {
  test('puts three stars where a secret stood', () => {
    expect(scrubber('hunter2').scrub('the password is hunter2, hunter2!')).toBe('the password is ***, ***!')
  })

  test('gives the same text back when there is nothing to hide', () => {
    expect(scrubber('hunter2').scrub('nothing here, not even hunter')).toBe('nothing here, not even hunter')
    expect(scrubber().scrub('anything')).toBe('anything')
  })

  test('hides overlapping secrets completely, and the longer of two with the same prefix', () => {
    expect(scrubber('abcd1234', '1234efgh').scrub('(abcd1234efgh)')).toBe('(***)')
    expect(scrubber('abcd', 'abcdefgh').scrub('abcdefgh abcdef')).toBe('*** ***ef')
  })

  test('hides base64 together with the characters that hold a few of its bits', () => {
    expect(scrubber('hunter2').scrub(`Basic ${base64('u:hunter2')}`)).toMatch(/^Basic [A-Za-z]{1,2}\*\*\*=*$/)
    for (const around of ['', 'x', 'xy', 'xyz']) {
      const shown = scrubber('hunter2').scrub(base64(`${around}hunter2${around}`))
      expect(Buffer.from(shown.split('***')[0] ?? '', 'base64').toString()).not.toContain('h')
    }
  })

  test('leaves exempt ranges unchanged', () => {
    const kept = new Scrubber(['input'], (text) => [{ start: 0, end: text.indexOf('}') }])
    expect(kept.scrub('{input} input')).toBe('{input} ***')
  })

  test('hides a text whole that asks for too much work', () => {
    expect(scrubber('a'.repeat(200_000)).scrub('a'.repeat(1_000_000))).toBe('***')
  })
})

describe('safeLength', () => {
  const safe = (secret: string, text: string) => text.slice(0, scrubber(secret).safeLength(text))

  test('holds back the end of a text while it may start a secret', () => {
    expect(safe('hunter2', 'say h')).toBe('say ')
    expect(safe('hunter2', 'say hunter')).toBe('say ')
    expect(safe('hunter2', 'say hunters!')).toBe('say hunters!')
    expect(safe('hunter2', 'say hunter2, then.')).toBe('say hunter2, then.')
  })

  test('holds back a secret that ends with the text: more may belong to it', () => {
    expect(safe('hunter2', 'say hunter2')).toBe('say ')
  })

  test('holds back one character that base64 could go on from', () => {
    expect(safe('hunter2', 'say hunters')).toBe('say hunter')
  })

  test('holds back the start of encoded forms', () => {
    expect(safe('pässword', 'q=p%C3%A')).toBe('q=')
    expect(safe('hunter2', `Basic ${base64('hunter2').slice(0, 5)}`)).toBe('Basic ')
  })

  test('pieces cut anywhere reveal no more than the whole text, and lose nothing else', () => {
    const secrets = ['hunter2', 'abcdabcdabce', 'pä"ss\\w\nörd 1', '123456']
    const forms = secrets.flatMap((text) => [
      text,
      JSON.stringify(text),
      encodeURIComponent(text),
      base64(`x${text}yz`),
    ])
    const whole = `begin ${forms.join(' mid ')} abcdabcdabcdabce end hunt`
    const all = scrubber(...secrets)
    for (const size of [1, 2, 3, 7, 50]) {
      let [shown, buffer] = ['', '']
      for (let at = 0; at < whole.length; at += size) {
        buffer += whole.slice(at, at + size)
        const length = all.safeLength(buffer)
        shown += all.scrub(buffer.slice(0, length))
        buffer = buffer.slice(length)
      }
      expect(shown + all.scrub(buffer)).toBe(all.scrub(whole))
    }
  })
})

test('a hundred long secrets cost microseconds a delta', () => {
  const secrets = Array.from({ length: 100 }, (_, n) =>
    Array.from({ length: 1_000 }, (_, at) => String.fromCharCode(97 + ((n * 31 + at * (n + 7)) % 26))).join(''),
  )
  const all = scrubber(...secrets)
  const delta = 'The quick brown fox jumps over the lazy dog, and then it rests. '
  all.safeLength(delta)
  const start = performance.now()
  for (let n = 0; n < 1_000; n += 1) {
    all.safeLength(delta)
    all.scrub(delta)
  }
  expect((performance.now() - start) / 1_000).toBeLessThan(0.5)
})
