import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { longestTurnMs, promisedTurnMs } from '../../../test/support/cpu-time.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import { parseInParts, parseStrictJson } from './strict-json.ts'

const parse = (text: string, maxDepth = 65) => parseStrictJson(text, { maxDepth })
const problemOf = (text: string, maxDepth?: number) => {
  const result = parse(text, maxDepth)
  return result.ok ? undefined : result.problem
}
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('accepted JSON is read as JSON.parse reads it', () => {
  test.each([
    ['{}'],
    ['[]'],
    ['"text"'],
    ['null'],
    ['0'],
    ['-0'],
    [' \t\n\r{ "a" : [ 1 , 2.5e-3 , true , false , null ] } '],
    ['{"a":"quote \\" backslash \\\\ slash \\/ \\b\\f\\n\\r\\t"}'],
    ['{"a":"\\\\","b":"\\\\\\""}'],
    ['{"a":"{[:,]}\\"{[:,]}"}'],
    ['{"a":{"a":{"a":1}}}'],
    ['[{"a":1},{"a":2}]'],
    ['{"pair":"\\ud83d\\ude00","raw":"😀","é":"\\u00e9"}'],
    ['{"constructor":1,"toString":2,"__proto":3}'],
    ['{"text":"__proto__"}'],
    ['9007199254740991'],
    ['-9007199254740991'],
    ['1e20'],
    ['12345678901234567890.5'],
    ['1e-999'],
    ['{"":1}'],
  ])('%s', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })
})

describe('invalid JSON is rejected without repeating it', () => {
  test.each([
    [''],
    [' '],
    ['{'],
    ['['],
    ['{"a"}'],
    ['{"a":}'],
    ['{"a":1,}'],
    ['[1,]'],
    ['[,1]'],
    ['[1 2]'],
    ['{a:1}'],
    ["{'a':1}"],
    ['{"a":1}}'],
    ['{} {}'],
    ['01'],
    ['1.'],
    ['.5'],
    ['+1'],
    ['NaN'],
    ['Infinity'],
    ['undefined'],
    ['tru'],
    ['"unfinished'],
    ['"bad \\x escape"'],
    ['"bad \\u12 escape"'],
    ['"raw \n line"'],
    ['"raw \0 null"'],
    ['\ufeff{}'],
    ['// comment\n{}'],
    ['[1}'],
    ['{"a":1]'],
    ['"ends in a backslash\\'],
  ])('%j', (text) => {
    expect(problemOf(text)).toContain('The body is not valid JSON')
  })

  test('the sentence gives the position and no text of the body', () => {
    expect(problemOf('{"password":"hunter2",oops}')).toBe(
      'The body is not valid JSON: unexpected text at character 23.',
    )
    expect(problemOf('{"password":"hunter2"')).toBe('The body is not valid JSON: it ends unexpectedly.')
  })
})

describe('valid JSON that cannot be stored is rejected with its location', () => {
  test.each([
    ['escaped U+0000', '{"input":{"a":["x","\\u0000"]}}', 'input.a[1] contains the character U+0000.'],
    ['U+0000 in a key', '{"input":{"a\\u0000":1}}', 'input["a\\u0000"] contains the character U+0000.'],
    ['an escaped lone high surrogate', '{"a":"\\ud800"}', 'a contains a lone surrogate.'],
    ['an escaped lone low surrogate', '{"a":"x\\uDC00"}', 'a contains a lone surrogate.'],
    ['surrogates in the wrong order', '{"a":"\\ude00\\ud83d"}', 'a contains a lone surrogate.'],
    ['a raw lone surrogate', '{"a":"\ud800"}', 'a contains a lone surrogate.'],
    ['a half escaped pair with a space between', '{"a":"\\ud83d \\ude00"}', 'a contains a lone surrogate.'],
    ['a lone surrogate in a key', '{"input":{"\\udfff":1}}', 'input["\\udfff"] contains a lone surrogate.'],
    ['__proto__', '{"input":{"__proto__":{}}}', 'input.__proto__ is not an allowed key.'],
    ['__proto__ in escapes', '{"\\u005f_proto__":{}}', '__proto__ is not an allowed key.'],
    ['__proto__ inside an array', '[{"__proto__":1}]', '[0].__proto__ is not an allowed key.'],
    ['a key written twice', '{"input":{"a":1,"b":2,"a":1}}', 'input.a is a duplicate key.'],
    ['a key written twice in two spellings', '{"a":1,"\\u0061":1}', 'a is a duplicate key.'],
    ['a key written twice inside an array', '[0,{"a b":1,"a b":2}]', '[1]["a b"] is a duplicate key.'],
    ['2^53', '{"a":9007199254740992}', 'a is an integer outside ±(2^53−1); send it as a string.'],
    ['2^53+1', '[9007199254740993]', '[0] is an integer outside ±(2^53−1); send it as a string.'],
    ['-2^53', '-9007199254740992', 'The body is an integer outside ±(2^53−1); send it as a string.'],
    ['a long integer', `{"a":${'9'.repeat(400)}}`, 'a is an integer outside ±(2^53−1); send it as a string.'],
    ['1e999', '{"a":{"b":1e999}}', 'a.b is a number that is too large.'],
    ['-1e999', '[-1e999]', '[0] is a number that is too large.'],
  ])('%s', (_, text, problem) => {
    expect(problemOf(text)).toBe(problem)
  })

  test('the first of several problems in reading order is named', () => {
    expect(problemOf('{"a":1,"b":"\\u0000","a":1e999}')).toBe('b contains the character U+0000.')
  })

  test('an integer is checked as written: 1e20 passes, 100000000000000000000 does not', () => {
    expect(problemOf('{"a":1e20}')).toBeUndefined()
    expect(problemOf('{"a":1e20,"b":100000000000000000000}')).toContain('b is an integer')
  })
})

describe('depth', () => {
  test('as many levels as allowed pass, one more is refused', () => {
    expect(problemOf(nested(65))).toBeUndefined()
    expect(problemOf(nested(66))).toContain('nests too deeply: at most 65 levels')
  })

  test('objects and arrays count alike and brackets in strings do not', () => {
    expect(problemOf('{"a":[{"b":"[[[{{{"}]}', 3)).toBeUndefined()
    expect(problemOf('{"a":[{"b":1}]}', 2)).toBe(
      'a[0] nests too deeply: at most 2 levels are allowed, including the body itself.',
    )
  })

  test('siblings do not add up', () => {
    expect(problemOf(`[${Array.from({ length: 200 }, () => '[]').join(',')}]`, 2)).toBeUndefined()
  })
})

describe('hostile texts of 4 MiB do not hold the event loop', () => {
  const fourMiB = 4 * 1024 * 1024
  const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":${n % 10}`).join(',')}}`
  test.each([
    ['200,000 levels', () => nested(200_000), false],
    ['2,000,000 open brackets', () => '['.repeat(2_000_000), false],
    ['open objects', () => '{"a":'.repeat(800_000), false],
    ['330,000 keys', () => keys(330_000), false],
    ['100,000 keys', () => keys(100_000), true],
    ['99,999 keys and one of them again', () => keys(99_999).replace(/}$/, ',"k7":1}'), false],
    ['2,000,000 numbers', () => `[${'1,'.repeat(2_000_000)}1]`, false],
    ['300,000 arrays', () => `[${'[],'.repeat(199_000)}1]`, true],
    ['a run of backslashes', () => `"${'\\\\'.repeat(2_000_000)}"`, true],
    ['escaped quotes without an end', () => `"${'\\"'.repeat(2_000_000)}`, false],
    ['escapes of plain letters', () => `"${'\\u0061'.repeat(690_000)}"`, true],
    ['a number of four million digits', () => '9'.repeat(fourMiB), false],
    ['huge numbers in exponent form', () => `[${'1e300,'.repeat(399_000)}0]`, true],
    ['white space', () => ' '.repeat(fourMiB), false],
    ['deep scalars', () => `${'['.repeat(64)}${'1e30,'.repeat(399_000)}1${']'.repeat(64)}`, true],
  ])('%s', async (_, text, ok) => {
    const hostile = text()
    expect(parse(hostile).ok).toBe(ok)
    const read = () => runSliced(parseInParts(hostile, { maxDepth: 65 }))
    expect(await longestTurnMs(read)).toBeLessThan(promisedTurnMs)
  })

  test('the keys and values of a text are limited', () => {
    const small = (text: string) => parseStrictJson(text, { maxDepth: 8, size: { maxKeys: 2, maxParts: 5 } })
    expect(small('{"a":1,"b":",,::"}').ok).toBe(true)
    expect(small('{"a":1,"b":2,"c":3}')).toMatchObject({ ok: false, isTooLarge: true })
    expect(small('[1,2,3,4]').ok).toBe(true)
    expect(small('[1,2,3,4,5]')).toMatchObject({
      problem: expect.stringMatching(/^The body has too many values: at most 2/),
    })
  })

  test('the place of a deep or long problem is cut, not printed whole', () => {
    expect(problemOf('{"a":'.repeat(100_000))?.length).toBeLessThan(500)
    expect(problemOf(`{"${'x'.repeat(100_000)}":"\\u0000"}`)?.length).toBeLessThan(500)
  })
})

describe('against the native parser', () => {
  test('every value survives, however it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        fc.pre(!/\\u0000|\\ud[89a-f]|__proto__|\d{16}/i.test(text))
        expect(parse(text, 1_000)).toEqual({ ok: true, value: JSON.parse(text) })
      }),
    )
  })

  test('damaged texts are refused when JSON.parse refuses them, and called no JSON only then', () => {
    const tokens = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"',
      '\\',
      '1',
      '-',
      '.5',
      'e9',
      'true',
      'null',
      ' ',
      '\n',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        const problem = problemOf(text)
        // If a number that is too large comes before the syntax error, it is reported first.
        if (!isJson(text)) expect(problem).toBeDefined()
        else expect(problem ?? '').not.toContain('not valid JSON')
      }),
      { numRuns: 20_000 },
    )
  })

  test('a duplicate key is always found', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.nat(), (keys, pick) => {
        const plain = keys.filter((key) => key !== '__proto__' && !key.includes('\0'))
        fc.pre(plain.length > 0)
        const members = plain.map((key) => `${JSON.stringify(key)}:{}`)
        expect(problemOf(`{${members.join(',')}}`)).toBeUndefined()
        const twice = [...members, members[pick % members.length]]
        expect(problemOf(`{${twice.join(',')}}`)).toContain('is a duplicate key.')
      }),
    )
  })
})

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
