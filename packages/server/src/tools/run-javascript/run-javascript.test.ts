import { describe, expect, test } from 'vitest'
import { toolContext } from '../../../test/support/tool-context.ts'
import { ToolCatalogue } from '../port/catalogue.ts'
import { invokeTool } from '../port/invoke.ts'
import { maxCodeLength, maxInputBytes, runJavascript } from './run-javascript.ts'

const context = toolContext()
const catalogue = new ToolCatalogue([runJavascript])
const call = (input: unknown) => invokeTool({ catalogue, name: 'run_javascript', input, allowed: undefined, context })
const failed = (message: unknown) => ({ outcome: 'failed', message })
const result = (value: unknown) => ({ outcome: 'succeeded', output: { result: value } })

describe('gives back', () => {
  test.each([
    ['what the code returns', 'return 6 * 7', 42],
    ['null for undefined', 'return', null],
    ['null for undefined members', 'return { a: undefined, b: [undefined] }', { a: null, b: [null] }],
    ['what a promise comes to', 'return Promise.resolve([1, 2])', [1, 2]],
    ['what was awaited', 'const a = await (async () => 3)(); return a + 1', 4],
    ['a date as its text', 'return new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['text of any kind', 'return "\\u0000é😀\\ud800"', '\ufffdé😀\ufffd'],
    ['negative zero as zero', 'return [-0]', [0]],
    ['the members of an instance', 'class A { b = 1 } return new A()', { b: 1 }],
    ['code that ends with a comment', 'return 1 // one', 1],
    ['code with log lines, which go nowhere', 'console.log("x"); console.error("y"); return 1', 1],
  ])('%s', async (_, code, value) => {
    expect(await call({ code })).toEqual(result(value))
  })

  test('the result computed from its input', async () => {
    const input = { prices: [1.5, 2], name: 'Zoë\u0000"' }
    expect(await call({ code: 'return [input.prices[0] + input.prices[1], input.name.length]', input })).toEqual(
      result([3.5, 5]),
    )
    expect(await call({ code: 'return [typeof input, arguments.length]' })).toEqual(result(['undefined', 1]))
    expect(await call({ code: 'return input === null', input: null })).toEqual(result(true))
  })
})

describe('reports what went wrong', () => {
  test.each([
    ['const a = 1\n\nthrow new TypeError("no price")', 'TypeError: no price (at or after line 3)'],
    ['const a = null\na.b()', "TypeError: cannot read property 'b' of null (at or after line 2)"],
    ['throw new Error()', 'Error (at or after line 1)'],
    ['const a = 1\nreturn }{', "SyntaxError: Unexpected token '{' (line 2)"],
    ['if (true) {', 'SyntaxError: unexpected end of the code'],
    ['throw null', 'The code threw null.'],
    ['throw undefined', 'The code threw undefined.'],
    ['throw "a text"', 'The code threw "a text".'],
    ['throw { code: 7 }', 'The code threw {"code":7}.'],
    ['throw Symbol("s")', 'The code threw Symbol(s).'],
    ['return Promise.reject(new RangeError("later"))', 'RangeError: later (at or after line 1)'],
    ['return { a: [1n] }', 'result.a[0] is of type bigint, which is not JSON.'],
    ['return Symbol("s")', 'result is of type symbol, which is not JSON.'],
    ['return () => 1', 'result is of type function, which is not JSON.'],
    ['return { "odd key": NaN }', 'result["odd key"] is not a finite number.'],
    ['return [new Map()]', 'result[0] is of type Map, which is not JSON.'],
    ['const a = {}; a.b = [a]; return a', 'result.b[0] contains itself.'],
    ['return { get a() { throw new Error("not now") } }', 'Error: not now (at or after line 1)'],
    [
      'let a = 1; for (let i = 0; i < 64; i++) a = [a]; return a',
      'result nests too deeply: at most 64 levels are allowed.',
    ],
    ['return "x".repeat(2 ** 21)', 'The result is larger than 1048576 bytes of JSON.'],
  ])('%s', async (code, message) => {
    expect(await call({ code })).toEqual(failed(message))
  })

  test.each([
    [{}, 'input.code is required.'],
    [{ code: 1 }, 'input.code must be a string.'],
    [{ code: ' '.repeat(maxCodeLength + 1) }, 'input.code must have at most 65536 characters.'],
    [{ code: 'return 1', timeout: 5 }, 'input.timeout is not a known field.'],
    [
      { code: 'return 1', input: 'x'.repeat(maxInputBytes) },
      `input.input must have at most ${maxInputBytes} bytes of JSON.`,
    ],
  ])('of %.30j', async (input, message) => {
    expect(await call(input)).toEqual(failed(message))
  })

  test('the longest code and a large input are taken', async () => {
    expect(await call({ code: 'return 1'.padEnd(maxCodeLength) })).toEqual(result(1))
    expect(await call({ code: 'return input.length', input: 'x'.repeat(maxInputBytes - 2) })).toEqual(
      result(maxInputBytes - 2),
    )
  })

  test('a result of two bytes a character is measured in bytes', async () => {
    expect(await call({ code: 'return "é".repeat(600000)' })).toEqual(failed(expect.stringContaining('larger than')))
  })
})
