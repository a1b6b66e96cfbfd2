// Hostile code that tries to escape, to use all resources, or to run forever: each call ends in time, and the next
// works.
import { afterEach, describe, expect, test } from 'vitest'
import { toolContext } from '../../../test/support/tool-context.ts'
import { javascriptLimits, javascriptTool } from './run-javascript.ts'

const context = toolContext()
const hasty = javascriptTool({ ...javascriptLimits, executionSeconds: 0.3 })
const patient = javascriptTool({ ...javascriptLimits, executionSeconds: 20 })
const outcome = (tool: typeof hasty, code: string): Promise<unknown> =>
  tool.run({ code }, context).catch((error: Error) => error.message)

const late = 'The code did not finish within 0.3 seconds.'
const full = 'The code needs more than 64 MiB of memory.'
const tooDeep = 'RangeError: Maximum call stack size exceeded'

afterEach(async () => {
  for (const tool of [hasty, patient])
    expect(await outcome(tool, 'return typeof leak')).toEqual({ result: 'undefined' })
})

describe('runs out of time', () => {
  test.each([
    ['a loop', 'while (true) {}'],
    ['a loop that catches its own end', 'for (;;) { try { for (;;) {} } catch {} finally { continue } }'],
    ['a regular expression', 'return /^(a+)+$/.test("a".repeat(40) + "b")'],
    ['microtasks without end', '(function f() { Promise.resolve().then(f) })(); return new Promise(() => {})'],
    ['awaiting without end', 'for (;;) await null'],
    ['a result that does not end', 'return { toJSON() { for (;;) {} } }'],
    ['an error that does not want to be read', 'throw { get message() { for (;;) {} } }'],
    ['a stack that does not end', 'Error.prepareStackTrace = () => { for (;;) {} }; throw new Error("x")'],
    ['a native loop that looks at no clock', 'return new Array(2 ** 32 - 1).indexOf(1)'],
    ['native sorting', 'return Array.prototype.sort.call({ length: 2 ** 32 })'],
  ])('%s', async (_, code) => {
    const started = performance.now()
    expect(await outcome(hasty, code)).toBe(late)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

describe('runs out of memory', () => {
  test.each([
    ['arrays', 'const a = []; for (;;) a.push(new Array(10000).fill(1))'],
    ['strings', 'const a = []; for (;;) a.push("x".repeat(100000) + a.length)'],
    ['one string', 'return "x".repeat(2 ** 28).length'],
    ['typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(1 << 20))'],
    ['maps, with nothing left for an error', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, {})'],
    ['promises', 'const a = []; for (;;) a.push(Promise.resolve(a.length))'],
  ])('%s', async (_, code) => {
    expect(await outcome(patient, code)).toBe(full)
  })

  test('memory that ran out is there again for the next call', async () => {
    expect(await outcome(patient, 'const a = []; for (;;) a.push(new Uint8Array(1 << 20))')).toBe(full)
    expect(await outcome(patient, 'return new Uint8Array(50 << 20).length')).toEqual({ result: 50 << 20 })
  })

  test.each([
    ['a longer string than there can be', 'let s = "x"; for (;;) s += s', 'InternalError: string too long'],
    ['a larger buffer than there can be', 'return new Uint8Array(2 ** 31)', 'RangeError: invalid array buffer length'],
    ['a larger number than there can be', 'return 2n ** (2n ** 40n)', 'RangeError: BigInt is too large'],
  ])('%s', async (_, code, message) => {
    expect(await outcome(patient, code)).toContain(message)
  })
})

describe('runs out of stack', () => {
  test.each([
    ['calls', 'function f() { return f() + 1 } return f()'],
    ['getters', 'const o = { get a() { return this.a } }; return o.a'],
    ['callbacks of natives', 'function f() { "a".replace(/a/, f) } f()'],
    ['parentheses in code', 'return eval("(".repeat(200000) + "1" + ")".repeat(200000))'],
    ['brackets in JSON', 'return JSON.parse("[".repeat(100000) + "]".repeat(100000))'],
    ['text of nested arrays', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a)'],
  ])('%s', async (_, code) => {
    expect(await outcome(patient, code)).toContain(tooDeep)
  })

  test('a result far too deep is refused at once', async () => {
    const code = 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a'
    expect(await outcome(patient, code)).toBe('result nests too deeply: at most 64 levels are allowed.')
  })
})

describe('finds nothing outside', () => {
  const names =
    'process require module fetch XMLHttpRequest WebSocket setTimeout setInterval setImmediate Buffer Deno std os'
  test.each(names.split(' '))('no %s', async (name) => {
    expect(await outcome(patient, `return typeof ${name}`)).toEqual({ result: 'undefined' })
  })

  test.each([
    ['Function', 'return Function("return typeof process + typeof require")()'],
    [
      'the constructor of a function',
      'return (() => 1).constructor.constructor("return typeof process + typeof require")()',
    ],
    [
      'the constructor of an async function',
      'return (async () => 1).constructor("return typeof process + typeof require")()',
    ],
    ['indirect eval', 'return (0, eval)("typeof process + typeof require")'],
    ['the global object', 'return typeof globalThis.process + typeof globalThis.constructor.require'],
    ['what console is made of', 'return console.log.constructor("return typeof process + typeof require")()'],
  ])('through %s', async (_, code) => {
    expect(await outcome(patient, code)).toEqual({ result: 'undefinedundefined' })
  })

  test.each(['fs', 'node:fs', 'std', '/etc/passwd', 'data:text/javascript,1'])('imports no %s', async (name) => {
    expect(await outcome(patient, `return await import(${JSON.stringify(name)})`)).toBe(
      `ReferenceError: could not load module '${name}'`,
    )
  })

  test('a promise that never settles is reported as such', async () => {
    expect(await outcome(patient, 'return new Promise(() => {})')).toMatch(/^The code waits for a promise/)
  })
})

describe('leaves nothing behind', () => {
  test.each([
    ['a global', 'globalThis.leak = 1; return 1'],
    ['a member of all objects', 'Object.prototype.leak = 1; return 1'],
    ['a changed console', 'console.leak = 1; Array.prototype.map = null; return 1'],
  ])('%s', async (_, code) => {
    expect(await outcome(patient, code)).toEqual({ result: 1 })
    expect(await outcome(patient, 'return [typeof leak, ({}).leak, console.leak, typeof [].map]')).toEqual({
      result: ['undefined', null, null, 'function'],
    })
  })

  test('code that replaces the serializer deceives only itself', async () => {
    expect(await outcome(patient, 'JSON.stringify = () => "{}"; Number.isFinite = () => false; return [1]')).toEqual({
      result: [1],
    })
    expect(await outcome(patient, 'Object.prototype.toJSON = () => 7; return [1]')).toEqual(expect.anything())
    expect(await outcome(patient, 'Array.prototype.push = () => { throw 1 }; return [1]')).toEqual(expect.anything())
  })

  test('code that escapes its wrapper function is still in the sandbox', async () => {
    expect(await outcome(patient, 'return 1 }); (function () { return typeof process')).toEqual({ result: 'undefined' })
  })
})
