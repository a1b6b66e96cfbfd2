import { maxAttachmentRefs, maxPayloadBytes, maxSensitivityTags } from '@runwright/contract'
import { describe, expect, test } from 'vitest'
import { intakeContext as context } from '../../../test/support/intake-context.ts'
import { finish } from '../finish.ts'
import { ServiceError } from '../service-error.ts'
import { readCreateRun } from './intake.ts'

const minimal = { input: {}, metadata: {} }
const read = (text: string, workerIsSandbox = true) => finish(readCreateRun(text, { ...context, workerIsSandbox }))
const create = (fields: object = {}, workerIsSandbox?: boolean) =>
  read(JSON.stringify({ ...minimal, ...fields }), workerIsSandbox)

const refusalOf = (action: () => unknown): { reason: string; message: string } => {
  try {
    action()
  } catch (error) {
    if (error instanceof ServiceError) return { reason: error.reason, message: error.message }
    throw error
  }
  throw new Error('it was accepted')
}
const refusal = (fields: object, workerIsSandbox?: boolean) => refusalOf(() => create(fields, workerIsSandbox))
const schemaOfParts = (parts: number) => ({ anyOf: Array.from({ length: parts - 1 }, () => ({})) })
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

describe('an accepted create request', () => {
  test('gets its defaults', () => {
    expect(create()).toEqual({
      input: {},
      metadata: {},
      inputJson: '{}',
      metadataJson: '{}',
      workspaceId: null,
      subjectId: null,
      attachmentRefs: undefined,
      sensitivityTags: undefined,
      secrets: [],
      routingHint: undefined,
      routing: { first_role: 'planner', decided_by: 'heuristic', reason: 'open_task' },
      runClass: 'default',
      streaming: undefined,
      plan: undefined,
      schemas: [],
      canonicalBody: '{"input":{},"metadata":{}}',
    })
  })

  test('keeps every field', () => {
    const tags = [
      { path: '$.input.password', classification: 'credential', redaction: 'drop', retention_hint_days: 30 },
    ]
    const run = create({
      input: { password: 'x' },
      metadata: { a: [1] },
      workspace_id: 'ws',
      subject_id: 'sub',
      attachment_refs: ['s3://a'],
      sensitivity_tags: tags,
      routing_hint: 'skip_planning',
      run_class: 'long',
      streaming: false,
    })
    expect(run).toMatchObject({
      input: { password: 'x' },
      metadata: { a: [1] },
      workspaceId: 'ws',
      subjectId: 'sub',
      attachmentRefs: ['s3://a'],
      sensitivityTags: tags,
      routingHint: 'skip_planning',
      routing: { first_role: 'worker', decided_by: 'hint' },
      runClass: 'long',
      streaming: false,
    })
  })

  test('with a plan is routed by it, and the hint is only kept', () => {
    const run = create({ plan: { steps: [{ instruction: 'Go' }] }, routing_hint: 'require_planning' })
    expect(run.plan?.steps).toHaveLength(1)
    expect(run).toMatchObject({
      routingHint: 'require_planning',
      routing: { first_role: 'worker', decided_by: 'plan' },
    })
  })

  test('may hold null anywhere inside input and metadata', () => {
    expect(create({ input: { a: null, b: [null] }, metadata: { c: null } }).input).toEqual({ a: null, b: [null] })
  })

  test('has one canonical body however it is written', () => {
    const one = read('{"input":{"b":1,"a":[1.0]},"metadata":{}}').canonicalBody
    expect(read('{ "metadata": {},\n "input": {"a":[1], "\\u0062":1e0} }').canonicalBody).toBe(one)
    expect(read('{"input":{"b":1,"a":[2]},"metadata":{}}').canonicalBody).not.toBe(one)
    expect(read('{"input":{"b":1,"a":[1]},"metadata":{},"run_class":"default"}').canonicalBody).not.toBe(one)
  })
})

describe('a body that is not a create request is INPUT_PAYLOAD_INVALID', () => {
  test.each([
    ['empty', ''],
    ['no JSON', '{input: {}}'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['no metadata', '{"input":{}}'],
    ['no input', '{"metadata":{}}'],
    ['U+0000', '{"input":{"a":"\\u0000"},"metadata":{}}'],
    ['a lone surrogate', '{"input":{"a":"\\ud800"},"metadata":{}}'],
    ['__proto__', '{"input":{"__proto__":{"a":1}},"metadata":{}}'],
    ['a key twice', '{"input":{},"metadata":{},"input":{}}'],
    ['a large integer', '{"input":{"a":9007199254740992},"metadata":{}}'],
    ['a number that is not finite', '{"input":{"a":1e999},"metadata":{}}'],
    ['bad JSON inside the plan', '{"input":{},"metadata":{},"plan":{"goal":"\\u0000"}}'],
  ])('%s', (_, text) => {
    expect(refusalOf(() => read(text)).reason).toBe('INPUT_PAYLOAD_INVALID')
  })

  test.each([
    ['input null', { input: null }, 'input must be an object, not null.'],
    ['input an array', { input: [] }, 'input must be an object.'],
    ['input text', { input: 'x' }, 'input must be an object.'],
    ['metadata a number', { metadata: 1 }, 'metadata must be an object.'],
    ['an unknown field', { foo: 1 }, 'foo is not a known field.'],
    ['several unknown fields', { a: 1, b: 1, c: 1, d: 1 }, 'a, b, c and others are not known fields.'],
    ['a misspelt field', { workspaceId: 'x' }, 'workspaceId is not a known field.'],
    ['workspace_id null', { workspace_id: null }, 'workspace_id must be a string, not null.'],
    ['subject_id null', { subject_id: null }, 'subject_id must be a string, not null.'],
    ['attachment_refs null', { attachment_refs: null }, 'attachment_refs must be an array, not null.'],
    ['sensitivity_tags null', { sensitivity_tags: null }, 'sensitivity_tags must be an array, not null.'],
    ['routing_hint null', { routing_hint: null }, 'routing_hint must be one of "skip_planning", "require_planning".'],
    ['run_class null', { run_class: null }, 'run_class must be one of "default", "short", "long".'],
    ['streaming null', { streaming: null }, 'streaming must be true or false, not null.'],
    ['an empty label', { workspace_id: '' }, 'workspace_id must be 1 to 255 characters long.'],
    ['a long label', { subject_id: 'x'.repeat(256) }, 'subject_id must be 1 to 255 characters long.'],
    ['an unknown class', { run_class: 'huge' }, 'run_class must be one of "default", "short", "long".'],
    ['an unknown hint', { routing_hint: 'x' }, 'routing_hint must be one of "skip_planning", "require_planning".'],
    ['streaming as text', { streaming: 'true' }, 'streaming must be true or false.'],
    ['a reference that is no text', { attachment_refs: [1] }, 'attachment_refs[0] must be a string.'],
    [
      'too many references',
      { attachment_refs: Array.from({ length: maxAttachmentRefs + 1 }, () => 'r') },
      'attachment_refs must have at most 100 items.',
    ],
    [
      'too many tags',
      {
        sensitivity_tags: Array.from({ length: maxSensitivityTags + 1 }, () => ({
          path: '$.input',
          classification: 'pii',
        })),
      },
      'sensitivity_tags must have at most 100 items.',
    ],
    ['a tag without path', { sensitivity_tags: [{ classification: 'pii' }] }, 'sensitivity_tags[0].path is required.'],
    [
      'a tag without classification',
      { sensitivity_tags: [{ path: '$.input' }] },
      'sensitivity_tags[0].classification is required.',
    ],
    ['a tag that is text', { sensitivity_tags: ['$.input'] }, 'sensitivity_tags[0] must be an object.'],
    [
      'a tag with an unknown field',
      { sensitivity_tags: [{ path: '$.input', classification: 'pii', level: 1 }] },
      'sensitivity_tags[0].level is not a known field.',
    ],
    [
      'a tag with another redaction',
      { sensitivity_tags: [{ path: '$.input', classification: 'pii', redaction: 'hash' }] },
      'sensitivity_tags[0].redaction must be one of "mask", "drop".',
    ],
    [
      'retention in half days',
      { sensitivity_tags: [{ path: '$.input', classification: 'pii', retention_hint_days: 1.5 }] },
      'sensitivity_tags[0].retention_hint_days must be an integer.',
    ],
  ])('%s', (_, fields, message) => {
    expect(refusal(fields)).toEqual({ reason: 'INPUT_PAYLOAD_INVALID', message })
  })

  test('values are never repeated in messages', () => {
    const secret = 'hunter2-hunter2'
    for (const fields of [
      { run_class: secret },
      { workspace_id: secret.repeat(50) },
      { streaming: secret },
      { input: secret },
    ])
      expect(refusal(fields).message).not.toContain('hunter2')
    expect(refusalOf(() => read(`{"input":{"a":"${secret}`)).message).not.toContain('hunter2')
  })

  test('labels are counted in characters, not in UTF-16 units', () => {
    expect(create({ workspace_id: '😀'.repeat(255) }).workspaceId).toBe('😀'.repeat(255))
    expect(refusal({ workspace_id: '😀'.repeat(256) }).reason).toBe('INPUT_PAYLOAD_INVALID')
  })
})

describe('nesting', () => {
  test('64 levels of input, metadata and plan input are accepted', () => {
    expect(create({ input: nested(64), metadata: nested(64) }).input).toBeDefined()
    // The step's input is level 4 of the plan: plan, steps, step, input.
    expect(create({ plan: { steps: [{ tool: 'wait', input: nested(61) }] } }).plan).toBeDefined()
  })

  test.each([
    ['input', { input: nested(65) }],
    ['metadata', { metadata: nested(65) }],
    ['plan', { plan: { steps: [{ tool: 'wait', input: nested(62) }] } }],
  ])('one more level of %s is refused', (_, fields) => {
    expect(refusal(fields)).toMatchObject({ reason: 'INPUT_PAYLOAD_INVALID' })
  })
})

describe('size', () => {
  // {"a":"…"} is 8 bytes around the text, and metadata {} is 2.
  const ofBytes = (bytes: number) => ({ input: { a: 'x'.repeat(bytes - 10) } })

  test('exactly 262,144 bytes pass, one more is too large', () => {
    expect(create(ofBytes(maxPayloadBytes)).inputJson).toHaveLength(maxPayloadBytes - 2)
    expect(refusal(ofBytes(maxPayloadBytes + 1)).reason).toBe('INPUT_PAYLOAD_TOO_LARGE')
  })

  test('metadata counts, and so do the bytes of UTF-8', () => {
    const half = 'é'.repeat(65_536)
    expect(refusal({ input: { a: half }, metadata: { b: half } }).reason).toBe('INPUT_PAYLOAD_TOO_LARGE')
    expect(create({ input: { a: half }, metadata: { b: half.slice(20) } }).inputJson).toContain('é')
  })

  test('white space and escapes in the body do not count', () => {
    const padded = `{"input":{"a":"${'\\u0041'.repeat(100_000)}"},${' '.repeat(300_000)}"metadata":{}}`
    expect(read(padded).inputJson).toHaveLength(100_008)
  })

  test('the plan does not count', () => {
    const steps = Array.from({ length: 5 }, () => ({ instruction: 'x'.repeat(100_000) }))
    expect(create({ plan: { steps } }).plan).toBeDefined()
  })

  test('numbers count as they are written back', () => {
    const text = `{"input":{"a":[${Array.from({ length: 13_000 }, () => '1e20').join(',')}]},"metadata":{}}`
    expect(text.length).toBeLessThan(maxPayloadBytes)
    expect(refusalOf(() => read(text)).reason).toBe('INPUT_PAYLOAD_TOO_LARGE')
  })
})

describe('the first failing check answers', () => {
  const large = { input: { password: 'x'.repeat(maxPayloadBytes) } }
  const badPath = { path: '$.nope', classification: 'pii' }
  const badClass = { path: '$.input.a', classification: 'nope' }
  const good = { path: '$.input.a', classification: 'pii' }
  const badPlan = { plan: null }

  test.each([
    ['shape before size', { ...large, foo: 1 }, 'INPUT_PAYLOAD_INVALID'],
    ['the sandbox script before size', { input: { ...large.input, sandbox: 1 } }, 'INPUT_PAYLOAD_INVALID'],
    ['size before tag path', { ...large, sensitivity_tags: [badPath], ...badPlan }, 'INPUT_PAYLOAD_TOO_LARGE'],
    ['tag path before classification', { sensitivity_tags: [badClass, badPath] }, 'INPUT_SENSITIVITY_TAG_INVALID_PATH'],
    [
      'classification before duplicate path',
      { sensitivity_tags: [good, good, badClass] },
      'INPUT_SENSITIVITY_TAG_INVALID_CLASSIFICATION',
    ],
    [
      'duplicate path before plan',
      { sensitivity_tags: [good, good], ...badPlan },
      'INPUT_SENSITIVITY_TAG_DUPLICATE_PATH',
    ],
    ['sensitive keys before plan', { input: { password: 1 }, ...badPlan }, 'INPUT_SENSITIVITY_TAG_REQUIRED'],
    ['plan last', badPlan, 'INPUT_PLAN_INVALID'],
  ])('%s', (_, fields, reason) => {
    expect(refusal(fields).reason).toBe(reason)
  })
})

describe('sensitive keys', () => {
  test.each([
    ['in input', { input: { apiKey: 'k' } }],
    ['in metadata', { metadata: { deep: [{ ssn: 1 }] } }],
    ['with empty tags', { input: { secret: 1 }, sensitivity_tags: [] }],
  ])('%s need tags', (_, fields) => {
    expect(refusal(fields).reason).toBe('INPUT_SENSITIVITY_TAG_REQUIRED')
  })

  test('keys of the plan and of the body itself are not searched', () => {
    expect(
      create({ plan: { steps: [{ tool: 'http_fetch', input: { url: 'https://x', token: 't' } }] } }).plan,
    ).toBeDefined()
  })
})

describe('plan', () => {
  test.each([[null], [[]], ['x'], [{}], [{ steps: [] }], [{ steps: [{ tool: 'nope' }] }]])('%j is invalid', (plan) => {
    expect(refusal({ plan }).reason).toBe('INPUT_PLAN_INVALID')
  })
})

describe('the sandbox script', () => {
  test.each([
    ['empty', {}],
    ['no steps', { steps: [] }],
    ['an empty step', { steps: [{}] }],
    [
      'everything',
      {
        steps: [
          {
            say: 'text',
            output: { any: 'json' },
            tokens: 120,
            delay_ms: 0,
            chunk_ms: 0,
            tools: [{ name: 'calculator', input: { expression: '2+2' } }, { name: 'wait' }],
            // biome-ignore lint/suspicious/noThenProperty: the script's own word.
            then: 'await_input',
            await: { input_kind: 'approval', reason_code: 'needs_review', prompt: 'Well?' },
            fail: { reason_code: 'provider_error', message: '…', retryable: false, times: 1 },
          },
          { output: null, fail: {}, await: {}, tools: [] },
        ],
      },
    ],
  ])('is accepted: %s', (_, sandbox) => {
    expect(create({ input: { sandbox } }).input.sandbox).toEqual(sandbox)
  })

  test.each([
    ['null', null, 'input.sandbox must be an object, not null.'],
    ['an array', [], 'input.sandbox must be an object.'],
    ['an unknown field', { script: [] }, 'input.sandbox.script is not a known field.'],
    ['steps null', { steps: null }, 'input.sandbox.steps must be an array, not null.'],
    ['an unknown field of a step', { steps: [{ speak: 'x' }] }, 'input.sandbox.steps[0].speak is not a known field.'],
    ['negative tokens', { steps: [{ tokens: -1 }] }, 'input.sandbox.steps[0].tokens must be at least 0.'],
    ['tokens that are no integer', { steps: [{ tokens: 1.5 }] }, 'input.sandbox.steps[0].tokens must be an integer.'],
    ['a negative delay', { steps: [{ delay_ms: -1 }] }, 'input.sandbox.steps[0].delay_ms must be at least 0.'],
    [
      'a delay over a day',
      { steps: [{ delay_ms: 86_400_001 }] },
      'input.sandbox.steps[0].delay_ms must be at most 86400000.',
    ],
    ['a negative chunk', { steps: [{ chunk_ms: -1 }] }, 'input.sandbox.steps[0].chunk_ms must be at least 0.'],
    // biome-ignore lint/suspicious/noThenProperty: the script's own word.
    ['another decision', { steps: [{ then: 'wait' }] }, 'input.sandbox.steps[0].then must be one of'],
    [
      'another kind of input',
      { steps: [{ await: { input_kind: 'x' } }] },
      'input.sandbox.steps[0].await.input_kind must be one of',
    ],
    ['a failure never', { steps: [{ fail: { times: 0 } }] }, 'input.sandbox.steps[0].fail.times must be at least 1.'],
    ['a failure that is true', { steps: [{ fail: true }] }, 'input.sandbox.steps[0].fail must be an object.'],
    ['a tool without name', { steps: [{ tools: [{}] }] }, 'input.sandbox.steps[0].tools[0].name is required.'],
    [
      'too many tools',
      { steps: [{ tools: Array.from({ length: 101 }, () => ({ name: 'wait' })) }] },
      'input.sandbox.steps[0].tools must have at most 100 items.',
    ],
    [
      'too many steps',
      { steps: Array.from({ length: 1_001 }, () => ({})) },
      'input.sandbox.steps must have at most 1000 items.',
    ],
    ['a step that is null', { steps: [null] }, 'input.sandbox.steps[0] must be an object, not null.'],
    ['say null', { steps: [{ say: null }] }, 'input.sandbox.steps[0].say must be a string, not null.'],
    [
      'a schema that leads nowhere',
      { steps: [{}, { await: { approval_schema: { $ref: '#/nope' } } }] },
      'input.sandbox.steps[1].await.approval_schema has a reference that leads nowhere: "#/nope".',
    ],
    [
      'schemas that are too large together',
      { steps: Array.from({ length: 11 }, () => ({ await: { approval_schema: schemaOfParts(500) } })) },
      'input.sandbox.steps[10].await.approval_schema and those of earlier steps have more than 5,000 parts together.',
    ],
  ])('is refused when malformed: %s', (_, sandbox, message) => {
    const refused = refusal({ input: { sandbox } })
    expect(refused.reason).toBe('INPUT_PAYLOAD_INVALID')
    expect(refused.message).toContain(message)
  })

  test('has schemas that are to be compiled', () => {
    const { schemas } = create({ input: { sandbox: { steps: [{ await: { approval_schema: { type: 'objekt' } } }] } } })
    expect(schemas.map(({ text }) => text)).toEqual(['{"type":"objekt"}'])
    expect(schemas[0]?.refuse('cannot be used')).toMatchObject({
      reason: 'INPUT_PAYLOAD_INVALID',
      message: 'input.sandbox.steps[0].await.approval_schema cannot be used.',
    })
  })

  test('can be anything when the worker is another model', () => {
    expect(create({ input: { sandbox: 'my own' } }, false).input.sandbox).toBe('my own')
  })
})

test('a rubric is checked', () => {
  expect(refusal({ input: { rubric: { criteria: 'x', max_revisions: 11 } } })).toEqual({
    reason: 'INPUT_PAYLOAD_INVALID',
    message: 'input.rubric.max_revisions must be at most 10.',
  })
})
