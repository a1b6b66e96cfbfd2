// The 256 KB of input and metadata together: counted in UTF-8 bytes of their JSON, exact to the byte.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

const limit = 262_144
let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** Input and metadata of so many bytes, made of one character and as few `x` as needed to be exact. */
function filled(total: number, character: string, into: 'input' | 'metadata') {
  const body = { input: { t: '' }, metadata: { t: '' } }
  const room = total - bytes(body.input) - bytes(body.metadata)
  const each = bytes(character) - 2
  body[into].t = character.repeat(Math.floor(room / each)) + 'x'.repeat(room % each)
  expect(bytes(body.input) + bytes(body.metadata)).toBe(total)
  return body
}

const characters: [string, string][] = [
  ['letters', 'x'],
  ['umlauts of two bytes', 'ü'],
  ['signs of three bytes', '€'],
  ['line separators', '\u2028'],
  ['emoji of four bytes', '😀'],
  ['quotes that are escaped', '"'],
  ['line breaks that are escaped', '\n'],
  ['control characters of six bytes', '\u0001'],
]

describe.each(['input', 'metadata'] as const)('%s full of', (into) => {
  test.each(characters)('%s: 262,144 bytes pass and 262,145 do not', async (_case, character) => {
    expect((await acme.create(filled(limit, character, into))).status).toBe(201)
    expectRefusal(await acme.create(filled(limit + 1, character, into)), 400, 'INPUT_PAYLOAD_TOO_LARGE')
  })
})

test('both count together', async () => {
  const half = { t: 'x'.repeat(limit / 2 - 8) }
  expect((await acme.create({ input: half, metadata: half })).status).toBe(201)
  const reply = await acme.create({ input: half, metadata: { t: `${half.t}x` } })
  expectRefusal(reply, 400, 'INPUT_PAYLOAD_TOO_LARGE')
})

test('keys count, too', async () => {
  const input = { ['k'.repeat(limit)]: 1 }
  expectRefusal(await acme.create({ input, metadata: {} }), 400, 'INPUT_PAYLOAD_TOO_LARGE')
})

test('white space between the values does not count', async () => {
  const text = JSON.stringify(filled(limit, 'x', 'input')).replace('{', `{${' '.repeat(100_000)}`)
  expect((await acme.create(text)).status).toBe(201)
})

test('escapes of plain characters count as what they stand for', async () => {
  const whole = JSON.stringify(filled(limit, 'ü', 'input'))
  expect((await acme.create(whole.replaceAll('ü', '\\u00fc'))).status).toBe(201)
})

test('other fields do not count', async () => {
  const attachment_refs = Array(100).fill('r'.repeat(1_000))
  expect((await acme.create({ ...filled(limit, 'x', 'input'), attachment_refs })).status).toBe(201)
})

test('a refusal for size names both figures', async () => {
  const { message } = (await acme.create(filled(limit + 7, 'x', 'input'))).json<{ message: string }>()
  expect(message.replaceAll(/[^0-9]/g, '')).toContain('262144')
})
