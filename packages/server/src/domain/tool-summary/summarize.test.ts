import { toolSummarySchema } from '@runwright/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxSummaryDepth, summarize } from './summarize.ts'

const highlights = (value: unknown) => summarize(value).highlights.map(({ key, value: text }) => [key, text])
const items = (count: number) => Array.from({ length: count }, (_, index) => index)
const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

test('the whole envelope', () => {
  const call = { url: 'https://example.test/', tries: [1, 2], body: null }
  expect(summarize(call)).toEqual({
    schema_version: 'v1',
    preview: '{"url":"https://example.test/","tries":[1,2],"body":null}',
    highlights: [
      { key: 'url', value: 'https://example.test/', redacted: false },
      { key: 'tries[0]', value: '1', redacted: false },
      { key: 'tries[1]', value: '2', redacted: false },
      { key: 'body', value: 'null', redacted: false },
    ],
    stats: { fields_total: 4, fields_redacted: 0, bytes_before_redaction: 57, bytes_after_redaction: 57 },
    truncated: false,
  })
})

test('without a value there is nothing to show', () => {
  expect(summarize(undefined)).toEqual({
    schema_version: 'v1',
    preview: null,
    highlights: [],
    stats: { fields_total: 0, fields_redacted: 0, bytes_before_redaction: 0, bytes_after_redaction: 0 },
    truncated: false,
  })
})

describe('preview', () => {
  test.each([
    ['a text as it is', 'He said "no"\n', 'He said "no"\n'],
    ['a number', 1.5, '1.5'],
    ['null, which is a value', null, 'null'],
    ['an empty object', {}, '{}'],
    ['what PostgreSQL refuses', 'a\0b\ud800', 'a\ufffdb\ufffd'],
  ])('%s', (_, value, preview) => {
    expect(summarize(value).preview).toBe(preview)
  })

  test('has at most 240 characters and reports when it was cut', () => {
    expect(summarize('x'.repeat(240))).toMatchObject({ preview: 'x'.repeat(240), truncated: false })
    expect(summarize('x'.repeat(241))).toMatchObject({ preview: 'x'.repeat(240), truncated: true })
    expect(summarize(items(300)).preview).toBe(JSON.stringify(items(300)).slice(0, 240))
  })

  test('counts a surrogate pair as one character and never splits it', () => {
    expect(summarize('😀'.repeat(240))).toMatchObject({ preview: '😀'.repeat(240), truncated: false })
    expect(summarize(`x${'😀'.repeat(240)}`)).toMatchObject({ preview: `x${'😀'.repeat(239)}`, truncated: true })
  })
})

describe('highlights', () => {
  test.each([
    ['names', { a: { b: [{ c_d: 1 }] } }, [['a.b[0].c_d', '1']]],
    [
      'odd names',
      { 'odd key': { '': 1 }, '0': true },
      [
        ['["0"]', 'true'],
        ['["odd key"][""]', '1'],
      ],
    ],
    ['an array', [[false]], [['[0][0]', 'false']]],
    ['a value by itself', 'text', [['$', 'text']]],
    ['null', { a: null }, [['a', 'null']]],
    ['nothing', { a: {}, b: [], c: [[{}]] }, []],
  ])('of %s', (_, value, expected) => {
    expect(highlights(value)).toEqual(expected)
  })

  test('are the first ten', () => {
    expect(summarize(items(10))).toMatchObject({ truncated: false, stats: { fields_total: 10 } })
    const eleven = summarize(items(11))
    expect(eleven.highlights.map(({ value }) => value)).toEqual(items(10).map(String))
    expect(eleven).toMatchObject({ truncated: true, stats: { fields_total: 11 } })
  })

  test('a long value is cut like the preview', () => {
    const value = '😀'.repeat(241)
    expect(highlights({ a: value })).toEqual([['a', '😀'.repeat(240)]])
  })

  test('a long name is cut too, and that alone is a truncation', () => {
    const nested = (length: number) => [[[[[[[[[[[[{ ['"'.repeat(length)]: '' }]]]]]]]]]]]]
    const [fits, tooLong] = [summarize(nested(100)), summarize(nested(101))]
    expect(fits.highlights[0]?.key).toHaveLength(240)
    expect(fits.truncated).toBe(false)
    expect(tooLong.highlights[0]?.key).toHaveLength(240)
    expect(tooLong).toMatchObject({ truncated: true, preview: JSON.stringify(nested(101)) })
  })
})

describe('redaction', () => {
  const stats = (shown: unknown, original: unknown) => {
    const summary = summarize(shown, original)
    return [summary.stats.fields_total, summary.stats.fields_redacted, summary.highlights.map((item) => item.redacted)]
  }

  test.each([
    ['a mask', { a: '***', b: 1 }, { a: 'hunter2', b: 1 }, [2, 1, [true, false]]],
    ['a mask over an object', { a: '***', b: 1 }, { a: { x: 1, y: [2, 3] }, b: 1 }, [4, 3, [true, false]]],
    ['a secret inside a text', { header: 'Bearer ***' }, { header: 'Bearer hunter2' }, [1, 1, [true]]],
    ['a dropped name', { b: 1 }, { a: 'hunter2', b: 1 }, [2, 1, [false]]],
    ['a secret in a name', { '***': 1 }, { hunter2: 1 }, [1, 1, [true]]],
    ['a masked element', [1, '***', 3], [1, 2, 3], [3, 1, [false, true, false]]],
    ['dropped elements', [1, { a: 4 }], [1, 2, 3, { a: 4 }], [4, 2, [false, false]]],
    ['dropped and masked elements', ['***', 4, 4], [1, 2, 3, 4, 4], [5, 3, [true, false, false]]],
    ['one of two equal elements', [7, 8], [7, 7, 8], [3, 1, [false, false]]],
    ['an element that is left twice but was there once', [7, 7], [7, 8, 9], [3, 2, [false, true]]],
    ['everything', '***', { a: [1, 2] }, [2, 2, [true]]],
    ['everything dropped', undefined, { a: 1 }, [1, 1, []]],
    ['nothing', { a: [{}, 1] }, { a: [{}, 1] }, [1, 0, [false]]],
    ['an array in place of an object', [1], { 0: 1 }, [1, 1, [true]]],
    ['a name of every object', { toString: '***' }, { a: 1 }, [1, 1, [true]]],
  ])('%s', (_, shown, original, expected) => {
    expect(stats(shown, original)).toEqual(expected)
  })

  test('the sizes before and after it', () => {
    const summary = summarize({ key: '***' }, { key: 'schlüssel' })
    expect(summary.stats).toMatchObject({ bytes_before_redaction: 20, bytes_after_redaction: 13 })
    expect(summary.preview).toBe('{"key":"***"}')
  })

  test('nothing of the original is shown', () => {
    const summary = summarize(undefined, { key: 'hunter2' })
    expect(summary).toMatchObject({ preview: null, highlights: [], stats: { bytes_before_redaction: 17 } })
    expect(JSON.stringify(summarize({ a: '***' }, { a: 'hunter2', hunter2: ['hunter2'] }))).not.toContain('hunter2')
  })
})

describe('any JSON', () => {
  const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  const text = fc.string({ unit: fc.constantFrom('x', '😀', '\ud800', '\udc00', '\0', 'é', '"'), maxLength: 600 })
  const value = fc.oneof(json, text, fc.array(text), fc.dictionary(text, text))
  const loneSurrogate = /[\ud800-\udfff]/u

  test('gives an envelope as the contract has it', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(toolSummarySchema.strict().parse(summarize(any))).toEqual(summarize(any))
      }),
    )
  })

  test('gives texts of at most 240 characters that can be stored', () => {
    fc.assert(
      fc.property(value, (any) => {
        const { preview, highlights: parts } = summarize(any)
        for (const part of [preview ?? '', ...parts.flatMap(({ key, value: shown }) => [key, shown])]) {
          expect([...part].length).toBeLessThanOrEqual(240)
          expect(loneSurrogate.test(part) || part.includes('\0')).toBe(false)
        }
      }),
    )
  })

  test('gives the exact sizes, and redacts no more than there is', () => {
    fc.assert(
      fc.property(value, value, (shown, original) => {
        const { stats } = summarize(shown, original)
        expect(stats.bytes_before_redaction).toBe(new TextEncoder().encode(JSON.stringify(original)).length)
        expect(stats.bytes_after_redaction).toBe(new TextEncoder().encode(JSON.stringify(shown)).length)
        expect(stats.fields_redacted).toBeGreaterThanOrEqual(0)
        expect(stats.fields_redacted).toBeLessThanOrEqual(stats.fields_total)
      }),
    )
  })

  test('is not redacted against an equal copy', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(summarize(any, JSON.parse(JSON.stringify(any)))).toEqual(summarize(any))
      }),
    )
  })

  test('is not truncated exactly when everything can be seen', () => {
    fc.assert(
      fc.property(json, (any) => {
        const { truncated, preview, highlights: parts, stats } = summarize(any)
        const whole = typeof any === 'string' ? any : JSON.stringify(any)
        const isSeen = [...whole].length <= 240 && parts.length === stats.fields_total
        fc.pre(parts.every(({ key }) => key.length < 240))
        expect(truncated).toBe(!isSeen)
        if (!truncated && !/\0|[\ud800-\udfff]/u.test(whole)) expect(preview).toBe(whole)
      }),
    )
  })
})

describe('large values', () => {
  // Work that grows with the square of these sizes takes hours: the time limit of the tests is enough to see it.
  test('are summed up in linear time', () => {
    const shown = { rows: items(100_000).map((id) => ({ id, name: `row ${id}` })) }
    const original = { rows: [...shown.rows, { id: -1, name: 'dropped' }] }
    expect(summarize(shown).stats).toMatchObject({ fields_total: 200_000, fields_redacted: 0 })
    expect(summarize(shown, original).stats).toMatchObject({ fields_total: 200_002, fields_redacted: 2 })
  })

  test('a long text is summed up in linear time', () => {
    expect(summarize('é'.repeat(4_000_000))).toMatchObject({ truncated: true })
  })

  test('below a bound of depth there is a mark, and the summary is truncated', () => {
    const kept = { highlights: [], stats: { bytes_after_redaction: 2 * maxSummaryDepth } }
    expect(summarize(deep(maxSummaryDepth))).toMatchObject(kept)
    const deeper = summarize({ a: deep(200_000) }, { a: deep(200_000) })
    expect(deeper).toMatchObject({ truncated: true, stats: { fields_total: 1, fields_redacted: 0 } })
    expect(deeper.highlights).toMatchObject([{ value: '…', redacted: false }])
  })
})
