// JSON and text that PostgreSQL cannot store or that means different things to different readers: refused everywhere.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Driver, rowCounts } from '../support/drive.ts'
import { Caller, expectRefusal, type Reply } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
let waiting: string
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
  waiting = (await acme.newRun()).id
  await new Driver(service.database).toAwaiting(waiting)
})
afterAll(() => service.stop())

const nest = (levels: number, [open, close]: [string, string], inner = '') =>
  open.repeat(levels) + inner + close.repeat(levels)
const lists = (levels: number) => nest(levels, ['[', ']'])
const objects = (levels: number) => `${nest(levels - 1, ['{"a":', '}'], '{}')}`

/** Strings that must not get in, as JSON text with its quotes. */
const badStrings: [string, string][] = [
  ['U+0000', '"a\\u0000b"'],
  ['a lone high surrogate', '"a\\ud800b"'],
  ['a lone high surrogate at the end', '"a\\udbff"'],
  ['a lone low surrogate', '"\\udc00b"'],
  ['surrogates the wrong way round', '"\\udc00\\ud800"'],
  ['bytes of a surrogate', '"\\uDEAD"'],
]

/** Values that must not get in, as JSON text. */
const badValues: [string, string][] = [
  ...badStrings,
  ...badStrings.map(([name, text]): [string, string] => [`${name} in a key`, `{${text}:1}`]),
  ['a key __proto__', '{"__proto__":{"a":1}}'],
  ['an escaped key __proto__', '{"\\u005f_proto__":1}'],
  ['a key __proto__ deep inside', '[{"a":{"__proto__":null}}]'],
  ['2^53', '9007199254740992'],
  ['-2^53', '-9007199254740992'],
  ['an integer of 30 digits', '123456789012345678901234567890'],
  ['an integer of 100,000 digits', '9'.repeat(100_000)],
  ['a number that is not finite', '1e400'],
  ['a negative number that is not finite', '-1e400'],
  ['1e131000', '1e131000'],
  ['200,000 levels of lists', lists(200_000)],
  ['200,000 levels of objects', objects(200_000)],
  ['5,000 levels of lists', lists(5_000)],
  ['200,000 lists that are never closed', '['.repeat(200_000)],
]

/** Places where any JSON value may stand. */
const valuePlaces: [string, (value: string) => Promise<Reply>, string][] = [
  ['input', (value) => acme.create(`{"input":{"v":${value}},"metadata":{}}`), 'INPUT_PAYLOAD_INVALID'],
  ['metadata', (value) => acme.create(`{"input":{},"metadata":{"v":[${value}]}}`), 'INPUT_PAYLOAD_INVALID'],
  [
    'the input of a tool step',
    (value) => acme.create(`{"input":{},"metadata":{},"plan":{"steps":[{"tool":"wait","input":{"v":${value}}}]}}`),
    'INPUT_PAYLOAD_INVALID',
  ],
  ['an unknown field', (value) => acme.create(`{"input":{},"metadata":{},"x":${value}}`), 'INPUT_PAYLOAD_INVALID'],
  [
    'the payload of a signal',
    (value) => signal(`"action":"submit_input","payload":${value}`),
    'SIGNAL_PAYLOAD_INVALID',
  ],
]

/** Places where only text may stand. */
const textPlaces: [string, (text: string) => Promise<Reply>, string][] = [
  ['workspace_id', (text) => create(`"workspace_id":${text}`), 'INPUT_PAYLOAD_INVALID'],
  ['subject_id', (text) => create(`"subject_id":${text}`), 'INPUT_PAYLOAD_INVALID'],
  ['attachment_refs', (text) => create(`"attachment_refs":[${text}]`), 'INPUT_PAYLOAD_INVALID'],
  [
    'a tag path',
    (text) => create(`"sensitivity_tags":[{"path":${text},"classification":"pii"}]`),
    'INPUT_PAYLOAD_INVALID',
  ],
  [
    'a classification',
    (text) => create(`"sensitivity_tags":[{"path":"$.input","classification":${text}}]`),
    'INPUT_PAYLOAD_INVALID',
  ],
  [
    'the goal of a plan',
    (text) => create(`"plan":{"goal":${text},"steps":[{"instruction":"x"}]}`),
    'INPUT_PAYLOAD_INVALID',
  ],
  ['an instruction', (text) => create(`"plan":{"steps":[{"instruction":${text}}]}`), 'INPUT_PAYLOAD_INVALID'],
  [
    'the id of a step',
    (text) => create(`"plan":{"steps":[{"id":${text},"instruction":"x"}]}`),
    'INPUT_PAYLOAD_INVALID',
  ],
  ['a prompt', (text) => create(`"plan":{"steps":[{"await_input":{"prompt":${text}}}]}`), 'INPUT_PAYLOAD_INVALID'],
  ['the key of a signal', (text) => signal(`"action":"approve","idempotency_key":${text}`), 'SIGNAL_PAYLOAD_INVALID'],
  ['the name of a key', (text) => acme.post('/v1/keys', `{"name":${text}}`), 'KEY_PAYLOAD_INVALID'],
]

const create = (fields: string) => acme.create(`{"input":{},"metadata":{},${fields}}`)
const signal = (fields: string) => acme.post(`/v1/runs/${waiting}/signal`, `{${fields}}`)

async function expectNothingWritten(ask: () => Promise<Reply>, reason: string) {
  const before = await rowCounts(service.database)
  expectRefusal(await ask(), 400, reason)
  expect(await rowCounts(service.database)).toEqual(before)
}

describe.each(valuePlaces)('in %s', (_place, ask, reason) => {
  test.each(badValues)('%s is refused and nothing is written', async (_case, value) => {
    await expectNothingWritten(() => ask(value), reason)
  })

  test.each([
    ['the largest integers', '[9007199254740991,-9007199254740991]'],
    ['numbers that are finite', '[1e308,-1e308,5e-324,0.1,1E2,-0]'],
    ['a pair of surrogates', '"\\ud83d\\ude00"'],
    ['control characters', '"\\u0001\\u001f\\u007f\\u0085\\u2028\\ufffe\\uffff"'],
    ['keys that look dangerous', '{"constructor":1,"prototype":{},"toString":null,"hasOwnProperty":0,"":1}'],
  ])('%s are fine', async (_case, value) => {
    const reply = await ask(value)
    expect(reply.text).not.toMatch(/SURROGATE|INTERNAL/)
    if (_place !== 'an unknown field') expect([200, 201, 409], reply.text).toContain(reply.status)
  })
})

describe.each(textPlaces)('in %s', (_place, ask, reason) => {
  test.each(badStrings)('%s is refused and nothing is written', async (_case, text) => {
    await expectNothingWritten(() => ask(text), reason)
  })
})

describe('nesting', () => {
  const step = (value: string) => `"plan":{"steps":[{"tool":"wait","input":{"v":${value}}}]}`
  const bodies: [string, (levels: number) => Promise<Reply>][] = [
    ['input', (levels) => acme.create(`{"input":${objects(levels)},"metadata":{}}`)],
    ['input with lists', (levels) => acme.create(`{"input":{"a":${lists(levels - 1)}},"metadata":{}}`)],
    ['metadata', (levels) => acme.create(`{"input":{},"metadata":${objects(levels)}}`)],
    ['a plan', (levels) => create(step(lists(levels - 4)))],
  ]
  test.each(bodies)('of %s may be 64 levels deep, not 65', async (_case, ask) => {
    expect((await ask(64)).status).toBe(201)
    expectRefusal(await ask(65), 400, 'INPUT_PAYLOAD_INVALID')
  })

  test.each([lists, objects])('of a signal payload may be 64 levels deep, not 65', async (nested) => {
    const { id } = await acme.newRun()
    await new Driver(service.database).toAwaiting(id)
    const send = (levels: number) =>
      acme.post(`/v1/runs/${id}/signal`, `{"action":"approve","payload":${nested(levels)}}`)
    expectRefusal(await send(65), 400, 'SIGNAL_PAYLOAD_INVALID')
    expect((await send(64)).status).toBe(200)
  })
})

test.each(['{"__proto__":{},"input":{},"metadata":{}}', '{"input":{},"metadata":{},"__proto__":{"run_class":"long"}}'])(
  'a body with __proto__ at its top is refused: %s',
  async (body) => expectNothingWritten(() => acme.create(body), 'INPUT_PAYLOAD_INVALID'),
)

describe('a query or path that cannot be text', () => {
  const texts = [
    '%00',
    'a%00b',
    '%ff',
    '%c3%28',
    '%ed%a0%80',
    '%',
    '%zz',
    '%F0%9F%98',
    "'%3B--",
    '%27%22%3B',
    '%e2%80%a8',
  ]
  const asks: [string, (text: string) => string][] = [
    ['the list of runs', (text) => `/v1/runs?workspace_id=${text}&subject_id=${text}`],
    ['the cursor of the list', (text) => `/v1/runs?cursor=${text}`],
    ['include', (text) => `/v1/runs/${waiting}?include=${text}`],
    ['the cursor of events', (text) => `/v1/runs/${waiting}/events?cursor=${text}`],
    ['usage', (text) => `/v1/usage?workspace_id=${text}&event_type=${text}`],
    ['a time', (text) => `/v1/usage?start=${text}`],
    ['the list of memory', (text) => `/v1/memory/items?workspace_id=${text}`],
    ['the export', (text) => `/v1/memory/export?subject_id=${text}`],
    ['the list of keys', (text) => `/v1/keys?${text}=${text}`],
    ['the id of a run', (text) => `/v1/runs/${text}`],
    ['the id of a memory item', (text) => `/v1/memory/items/${text}`],
  ]
  test.each(asks)('in %s never breaks the service', async (_case, path) => {
    for (const text of texts) {
      const reply = await acme.get(path(text))
      expect([200, 400, 404], `${path(text)} ${reply.text}`).toContain(reply.status)
      if (reply.status !== 200) expectRefusal(reply, reply.status, String(reply.json().reason_code))
    }
  })
})

describe('whatever is sent in any order of known words is accepted or refused, never a failure', () => {
  const words = [
    'v2',
    'required',
    'calculator',
    'a',
    '{{steps.a.content}}',
    '{{input}}',
    '{{',
    '$.input',
    'pii',
    null,
    1,
    -1,
    0.5,
    true,
  ]
  const names = [
    'input',
    'plan',
    'steps',
    'id',
    'instruction',
    'tool',
    'await_input',
    'depends_on',
    'path',
    'toString',
    'action',
    'payload',
  ]
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(...words),
      fc.array(tie('value')),
      fc.dictionary(fc.constantFrom(...names), tie('value')),
    ),
  }))
  const pathParts = [
    '.',
    '..',
    '[',
    ']',
    '?',
    '@',
    '*',
    "'",
    '"',
    'a',
    '0',
    '-1',
    ':',
    ',',
    ' ',
    '(',
    ')',
    '==',
    '&&',
    '!',
    'length',
    '\\',
  ]
  const path = fc.array(fc.constantFrom(...pathParts), { maxLength: 10 }).map((parts) => `$.input${parts.join('')}`)
  const tagged = (text: unknown) => ({
    input: { a: [1] },
    metadata: {},
    sensitivity_tags: [{ path: text, classification: 'pii' }],
  })
  const asks: [string, fc.Arbitrary<unknown>, (sent: unknown) => Promise<Reply>][] = [
    ['a create', value, (sent) => acme.create(JSON.stringify(sent))],
    ['a plan', value, (plan) => acme.create({ input: {}, metadata: {}, plan })],
    ['steps', fc.array(value, { maxLength: 4 }), (steps) => acme.create({ input: {}, metadata: {}, plan: { steps } })],
    ['a script', value, (sandbox) => acme.create({ input: { sandbox }, metadata: {} })],
    ['a tag path', path, (text) => acme.create(tagged(text))],
    ['a signal', value, (sent) => acme.post(`/v1/runs/${waiting}/signal`, JSON.stringify(sent))],
    ['a key', value, (sent) => acme.post('/v1/keys', JSON.stringify(sent))],
  ]
  test.each(asks)('%s', async (_case, arbitrary, ask) => {
    const isAnswered = async (sent: unknown) => {
      const reply = await ask(sent)
      expect(reply.status, reply.text).toBeLessThan(500)
    }
    await fc.assert(fc.asyncProperty(arbitrary, isAnswered), { numRuns: 150, seed: 4711 })
  })
})

test('after all this the run still waits and the service is well', async () => {
  expect((await acme.get('/health/ready')).status).toBe(200)
  expect(service.log.all.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line))).toEqual([])
})
