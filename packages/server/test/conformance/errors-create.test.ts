// POST /v1/runs: what is refused with which code, and which check answers first.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller, emptyRun, expectRefusal } from '../support/http.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let acme: Caller
beforeAll(async () => {
  service = await startService()
  acme = new Caller(service.url, service.key)
})
afterAll(() => service.stop())

describe('the idempotency key', () => {
  test.each([
    ['is missing', { 'idempotency-key': undefined }],
    ['is empty', { 'idempotency-key': '' }],
    ['is blank', { 'idempotency-key': '   ' }],
    ['has 256 characters', { 'idempotency-key': 'k'.repeat(256) }],
    ['holds a letter beyond ASCII', { 'idempotency-key': 'caf\u00e9' }],
    ['holds a tab', { 'idempotency-key': 'a\tb' }],
  ])('that %s is required', async (_case, headers) => {
    expectRefusal(await acme.create(emptyRun, headers), 400, 'IDEMPOTENCY_KEY_REQUIRED')
  })

  test.each([['k'.repeat(255)], ['!'], ['a b ~"{}\\']])('%s is a good one', async (key) => {
    expect((await acme.create(emptyRun, { 'idempotency-key': key })).status).toBe(201)
  })
})

describe('a body that is no JSON is invalid', () => {
  test.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['half an object', '{"input":{}'],
    ['a word', 'nul'],
    ['NaN', '{"input":{"a":NaN},"metadata":{}}'],
    ['single quotes', "{'input':{},'metadata':{}}"],
    ['a trailing comma', '{"input":{},"metadata":{},}'],
    ['a comment', '{"input":{},"metadata":{}}//'],
    ['two documents', '{"input":{},"metadata":{}}{}'],
    ['a raw line break in a string', '{"input":{"a":"\n"},"metadata":{}}'],
    ['a bad escape', '{"input":{"a":"\\x"},"metadata":{}}'],
    ['a leading zero', '{"input":{"a":01},"metadata":{}}'],
    [
      'bytes that are no UTF-8',
      Buffer.from('7b22696e707574223a7b2261223a22ff227d2c226d65746164617461223a7b7d7d', 'hex'),
    ],
    ['form data', 'input=1&metadata=2'],
  ])('%s', async (_case, body) => {
    expectRefusal(await acme.create(body), 400, 'INPUT_PAYLOAD_INVALID')
  })

  test('no body at all', async () => {
    const reply = await acme.send({ method: 'POST', path: '/v1/runs', headers: { 'idempotency-key': 'no-body' } })
    expectRefusal(reply, 400, 'INPUT_PAYLOAD_INVALID')
  })

  test.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'a/b/c',
    ';',
    'application/json; charset=x',
  ])('whatever its content type says: %s', async (type) => {
    expectRefusal(await acme.create('<run/>', { 'content-type': type }), 400, 'INPUT_PAYLOAD_INVALID')
  })

  test('a compressed body that says it is one', async () => {
    const headers = { 'content-encoding': 'gzip' }
    expectRefusal(await acme.create(Buffer.from('1f8b0800', 'hex'), headers), 400, 'INPUT_PAYLOAD_INVALID')
  })
})

describe('a body of the wrong shape is invalid', () => {
  test.each([['[]'], ['null'], ['"x"'], ['1'], ['true'], ['{}']])('%s', async (body) => {
    expectRefusal(await acme.create(body), 400, 'INPUT_PAYLOAD_INVALID')
  })

  const wrong: [string, unknown[]][] = [
    ['input', [undefined, null, [], 'x', 1, true]],
    ['metadata', [undefined, null, [], 'x', 1, false]],
    ['workspace_id', [null, '', 1, {}, [], 'x'.repeat(256), '😀'.repeat(256)]],
    ['subject_id', [null, '', 1, {}, [], 'x'.repeat(256), '😀'.repeat(256)]],
    ['attachment_refs', [null, 'x', {}, [1], [null], [['a']], Array(101).fill('a')]],
    ['sensitivity_tags', [null, 'x', {}, [null], ['$.input'], [[]]]],
    ['routing_hint', [null, '', 'SKIP_PLANNING', 'none', 1, []]],
    ['run_class', [null, '', 'Default', 'medium', 1, []]],
    ['streaming', [null, 'true', 1, 0, {}]],
    ['workspaceId', ['x', null]],
    ['status', ['queued']],
    ['', [1]],
  ]
  test.each(
    wrong.flatMap(([field, values]) => values.map((value) => [field, JSON.stringify(value)?.slice(0, 20), value])),
  )('%s: %s', async (field, _shown, value) => {
    const reply = await acme.create({ ...emptyRun, [String(field)]: value })
    expectRefusal(reply, 400, 'INPUT_PAYLOAD_INVALID')
  })

  test.each([
    ['an unknown field', { nonsense_field: 1 }, 'nonsense_field'],
    ['a field of the wrong type', { run_class: 'medium' }, 'run_class'],
    ['an explicit null', { subject_id: null }, 'subject_id'],
  ])('and the message names %s', async (_case, body, named) => {
    expect((await acme.create({ ...emptyRun, ...body })).json().message).toContain(named)
  })

  const path = '$.input.a'
  const classification = 'pii'
  test.each([
    ['has no path', { classification }],
    ['has no classification', { path }],
    ['has a path that is no text', { path: 1, classification }],
    ['has a null path', { path: null, classification }],
    ['has a null classification', { path, classification: null }],
    ['has a classification that is no text', { path, classification: 1 }],
    ['has an unknown redaction', { path, classification, redaction: 'hide' }],
    ['has a null redaction', { path, classification, redaction: null }],
    ['has a retention of one and a half days', { path, classification, retention_hint_days: 1.5 }],
    ['has a retention in words', { path, classification, retention_hint_days: '30' }],
    ['has a null retention', { path, classification, retention_hint_days: null }],
    ['has an unknown field', { path, classification, level: 1 }],
  ])('a tag that %s', async (_case, tag) => {
    expectRefusal(await acme.create({ ...emptyRun, sensitivity_tags: [tag] }), 400, 'INPUT_PAYLOAD_INVALID')
  })

  test('101 tags', async () => {
    const sensitivity_tags = Array.from({ length: 101 }, (_, n) => ({ path: `$.input.a${n}`, classification }))
    expectRefusal(await acme.create({ ...emptyRun, sensitivity_tags }), 400, 'INPUT_PAYLOAD_INVALID')
  })

  test.each([
    ['a number', 5],
    ['steps that are no list', { steps: 'x' }],
    ['an unknown field', { step: [] }],
    ['an unknown field in a step', { steps: [{ says: 'x' }] }],
    ['an unknown decision', JSON.parse('{"steps":[{"then":"wait"}]}')],
    ['tokens in words', { steps: [{ tokens: 'many' }] }],
  ])('a sandbox script that is %s', async (_case, sandbox) => {
    expectRefusal(await acme.create({ input: { sandbox }, metadata: {} }), 400, 'INPUT_PAYLOAD_INVALID')
  })

  test('but a whole sandbox script is not', async () => {
    const step = {
      say: 'text',
      output: { any: 'json' },
      tokens: 120,
      delay_ms: 0,
      chunk_ms: 0,
      tools: [{ name: 'calculator', input: { expression: '2+2' } }],
      await: { input_kind: 'approval', reason_code: 'needs_review' },
      fail: { reason_code: 'provider_error', message: 'x', retryable: false, times: 1 },
    }
    const text = JSON.stringify({ input: { sandbox: { steps: [step] } }, metadata: {} })
    expect((await acme.create(text.replace('"await"', '"then":"await_input","await"'))).status).toBe(201)
  })
})

describe('the first failed check answers', () => {
  const bad = {
    shape: { nonsense: 1 },
    size: { input: { text: 'x'.repeat(262_144) } },
    path: { path: '$.inputs', classification: 'pii' },
    classification: { path: '$.input.a', classification: 'secret' },
    first: { path: '$.input.b', classification: 'pii' },
    again: { path: '$.input["b"]', classification: 'pii' },
    sensitive: { metadata: { password: 'x' } },
    plan: { plan: { steps: [] } },
  }
  const tags = (...sensitivity_tags: object[]) => ({ sensitivity_tags })
  const { shape, size, sensitive, plan } = bad
  const late = tags(bad.again, bad.first, bad.classification, bad.path)
  const keyless = { 'idempotency-key': undefined }
  test.each([
    ['header before JSON', '{', keyless, 'IDEMPOTENCY_KEY_REQUIRED'],
    ['header before shape', shape, keyless, 'IDEMPOTENCY_KEY_REQUIRED'],
    ['header before plan', plan, keyless, 'IDEMPOTENCY_KEY_REQUIRED'],
    ['shape before size', { ...size, ...shape }, {}, 'INPUT_PAYLOAD_INVALID'],
    ['shape before tags', { ...shape, ...late }, {}, 'INPUT_PAYLOAD_INVALID'],
    ['shape before sensitive keys', { ...shape, ...sensitive }, {}, 'INPUT_PAYLOAD_INVALID'],
    ['shape before plan', { ...shape, ...plan }, {}, 'INPUT_PAYLOAD_INVALID'],
    ['size before tag path', { ...size, ...late, ...plan }, {}, 'INPUT_PAYLOAD_TOO_LARGE'],
    ['size before sensitive keys', { ...size, ...sensitive, ...plan }, {}, 'INPUT_PAYLOAD_TOO_LARGE'],
    ['size before plan', { ...size, ...plan }, {}, 'INPUT_PAYLOAD_TOO_LARGE'],
    ['path before classification', { ...late, ...plan }, {}, 'INPUT_SENSITIVITY_TAG_INVALID_PATH'],
    [
      'path before classification in one tag',
      tags({ path: '$', classification: 'x' }),
      {},
      'INPUT_SENSITIVITY_TAG_INVALID_PATH',
    ],
    [
      'classification before duplicate',
      { ...tags(bad.first, bad.again, bad.classification), ...plan },
      {},
      'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION',
    ],
    ['duplicate before plan', { ...tags(bad.first, bad.again), ...plan }, {}, 'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH'],
    ['sensitive keys before plan', { ...sensitive, ...plan }, {}, 'INPUT_SENSITIVITY_TAG_REQUIRED'],
    ['plan last', plan, {}, 'INPUT_PLAN_INVALID'],
  ])('%s', async (_case, body, headers, reason) => {
    const whole = typeof body === 'string' ? body : { ...emptyRun, ...body }
    expectRefusal(await acme.create(whole, headers), 400, reason)
  })

  test.each([
    ['header', emptyRun, keyless],
    ['body', '{', {}],
    ['plan', { ...emptyRun, ...plan }, {}],
  ])('and a bad key comes before the %s', async (_case, body, headers) => {
    const stranger = new Caller(service.url, 'key_nobody:nothing')
    expectRefusal(await stranger.create(body, headers), 401, 'API_KEY_INVALID')
  })
})
