import { describe, expect, test } from 'vitest'
import { finish } from '../finish.ts'
import { newSearch, Scrubber, type Span } from './scrubber.ts'

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

  test('ignores case, except in base64', () => {
    const all = scrubber('Hunter2', 'straße/é')
    expect(all.scrub('HUNTER2 hunter2 hUnTeR2')).toBe('*** *** ***')
    expect(all.scrub('STRASSE STRAßE/É stra%C3%9Fe%2f%c3%a9')).toBe('STRASSE *** ***')
    expect(all.scrub(`${base64('Hunter2')} ${base64('Hunter2').toLowerCase()}`)).toBe(
      `***== ${base64('Hunter2').toLowerCase()}`,
    )
  })

  test('says of a secret in another case that it is not the secret as it is', () => {
    const found = (text: string, ...others: string[]) => {
      const spans: Span[] = []
      scrubber('Hunter2', ...others).replace(text, (span) => `${spans.push(span)}`)
      return spans
    }
    expect(found('Hunter2')).toEqual([{ start: 0, end: 7, secret: 0 }])
    expect(found('hunter2')).toEqual([{ start: 0, end: 7, secret: 0, inOtherCase: true }])
    expect(found('hunter2', 'hunter2')).toEqual([{ start: 0, end: 7, secret: 1 }])
  })

  test('finds long secrets in every form', () => {
    const long = 'pä"ss w/örd 😀 '.repeat(20)
    const forms = [long, JSON.stringify(long), encodeURIComponent(long), base64(`x${long}`)]
    for (const form of forms)
      expect(scrubber(long).scrub(`before ${form} after`)).toMatch(/^before \S{0,3}\*\*\*\S{0,3} after$/)
    expect(scrubber(long).scrub(long.slice(0, -1))).toBe(long.slice(0, -1))
  })

  test('one budget for all texts of a value: beyond it they are hidden whole', () => {
    const all = scrubber(...Array.from({ length: 20 }, (_, n) => `${'a'.repeat(n + 4)}c`))
    const work = newSearch()
    const shown = Array.from({ length: 2_000 }, () => all.scrub('a'.repeat(300), work))
    expect(shown[0]).toBe('a'.repeat(300))
    expect(shown.at(-1)).toBe('***')
  })

  test('a long text that is searched in parts is replaced as at once, wherever a secret is', () => {
    const secrets = ['hunter2', 'Hunter2 and more', 'pä"ss w/örd 😀 '.repeat(20)]
    const all = scrubber(...secrets)
    const forms = secrets.flatMap((text) => [text, JSON.stringify(text), base64(`x${text}yz`)])
    const text = forms.flatMap((form, n) => [form, 'x '.repeat(16_384 / 2 - n), form]).join('')
    const search = newSearch()
    let parts = 0
    for (const _ of all.searchInParts(text, search)) parts += 1
    expect(parts).toBeGreaterThan(text.length / 16_384)
    const { left } = search
    expect(all.scrub(text, search)).toBe(all.scrub(text))
    expect(all.secretsIn(text, search)).toEqual(all.secretsIn(text))
    // Nothing was searched again.
    expect(search.left).toBe(left)
  })

  test('a long text that asks for too much work is hidden whole each time, whatever is searched in between', () => {
    const all = scrubber('a'.repeat(200_000))
    const text = 'a'.repeat(1_000_000)
    const search = newSearch()
    finish(all.searchInParts(text, search))
    expect(all.scrub(text, search)).toBe('***')
    for (let n = 0; n < 10; n += 1) all.scrub('b'.repeat(1_000_000), search)
    expect(search.left).toBeGreaterThan(0)
    finish(all.searchInParts(text, search))
    expect(all.scrub(text, search)).toBe('***')
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

test('a hundred long secrets cost next to nothing for a text without them', () => {
  const secrets = Array.from({ length: 100 }, (_, n) =>
    Array.from({ length: 1_000 }, (_, at) => String.fromCharCode(97 + ((n * 31 + at * (n + 7)) % 26))).join(''),
  )
  const work = newSearch()
  const { left } = work
  const delta = 'The quick brown fox jumps over the lazy dog, and then it rests. '
  const all = scrubber(...secrets)
  for (let n = 0; n < 1_000; n += 1) expect(all.scrub(delta, work)).toBe(delta)
  expect(work.left).toBeGreaterThan(left)
})
