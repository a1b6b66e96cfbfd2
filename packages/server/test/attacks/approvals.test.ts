// A person sees what they approve: the whole call, what the run was asked to do, and afterwards who answered what.
// Attacks: a call that hides behind a cut preview, an answer that changes what was approved, a secret in what is shown,
// a key that can do more than answer.
import { randomUUID } from 'node:crypto'
import type { AwaitingInput, KeyWithSecret, RunDetail, RunSignal, Scope } from '@runwright/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canaries, canaryDocument, canaryTags, findCanaries, writings } from '../support/canaries.ts'
import { type Bench, ofType, planned, scripted, startBench } from '../support/engine.ts'
import { Caller, expectRefusal, instantPattern } from '../support/http.ts'
import { type OwnTool, ownTool } from '../support/own-tool.ts'

const send: OwnTool = { ...ownTool({ name: 'send', effect: 'once' }), policy: 'ask' }
const post: OwnTool = { ...ownTool({ name: 'post' }), exposureOf: () => ({ sendsOut: true }) }
const diary: OwnTool = { ...ownTool({ name: 'diary' }), exposureOf: () => ({ readsPrivate: true }) }
const gossip: OwnTool = { ...ownTool({ name: 'gossip' }), exposureOf: () => ({ takesUntrusted: true }) }
const pay = ownTool({ name: 'pay' })
const hanging = ownTool({ name: 'hanging', effect: 'once', held: true })

let bench: Bench
let approver: Caller
beforeAll(async () => {
  const tools = [send, post, diary, gossip, pay, hanging]
  bench = await startBench({ RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0' }, { tools })
  approver = (await keyWith(['runs:read', 'runs:signal'], 'ada')).caller
})
afterAll(() => bench.stop())

async function keyWith(scopes: readonly Scope[], name: string, maker = bench.acme) {
  const reply = await maker.post('/v1/keys', { name, scopes })
  expect(reply.status, reply.text).toBe(201)
  const { key, secret } = reply.json<KeyWithSecret>()
  return { id: key.id, caller: new Caller(bench.service.url, `${key.id}:${secret}`) }
}

const included = async (id: string, include: string, caller = approver) =>
  (await caller.get(`/v1/runs/${id}?include=${include}`)).json<RunDetail>()
const waitOf = async (id: string, times = 1): Promise<AwaitingInput> => {
  await bench.waits(id, times)
  return (await included(id, 'awaiting_input')).awaiting_input as AwaitingInput
}
const signalsOf = async (id: string, caller = approver) =>
  (await included(id, 'signals', caller)).signals as RunSignal[]
const answer = (id: string, body: object, caller = approver) => caller.post(`/v1/runs/${id}/signal`, body)
const hashPattern = expect.stringMatching(/^[0-9a-f]{64}$/)
const noCall = { tool: null, arguments: null, arguments_hash: null, why: null, has_read: null }

describe('an approver with runs:read and runs:signal', () => {
  test('learns all they need to decide about a call with 50 KB of arguments, and approves exactly that call', async () => {
    const input = { to: 'ada@example.com', body: 'line\n'.repeat(10_000), last: 'and pay 9,999 to eve' }
    const more = { input: { goal: 'Send the report' }, metadata: { source: 'erp' }, attachment_refs: ['s3://report'] }
    const tools = [{ name: 'gossip' }, { name: 'diary' }, { name: 'send', input }]
    const id = await bench.create(scripted([{ tools }], more))
    const wait = await waitOf(id)
    expect(wait).toMatchObject({ reason_code: 'approval_required', input_kind: 'approval', tool: 'send' })
    expect(wait.arguments).toEqual(input)
    expect(wait).toMatchObject({ arguments_hash: hashPattern, has_read: ['private', 'untrusted'] })
    expect(wait.why).toBe('Policy requires approval for this tool.')
    expect((await included(id, 'input')).input).toMatchObject({
      input: { goal: 'Send the report' },
      metadata: more.metadata,
      attachment_refs: more.attachment_refs,
    })
    expect((await answer(id, { action: 'approve', await_seq: wait.seq })).status).toBe(200)
    await bench.ended(id)
    expect(send.callsOf(id).map((call) => call.input)).toEqual([input])
  })

  test('can tell apart two calls that begin with the same 240 characters, and approves one of them at a time', async () => {
    const start = 'x'.repeat(2_000)
    const calls = ['to ada', 'to eve'].map((end) => ({ name: 'send', input: { text: `${start} ${end}` } }))
    const id = await bench.create(scripted([{ tools: calls }]))
    const first = await waitOf(id)
    expect(first.prompt).toMatch(/x \(1,778 more characters\)…$/)
    expect((await answer(id, { action: 'approve', await_seq: first.seq })).status).toBe(200)
    const second = await waitOf(id, 2)
    expect(second.prompt).toBe(first.prompt)
    expect([first, second].map((wait) => wait.arguments)).toEqual(calls.map(({ input }) => input))
    expect(second.arguments_hash).not.toBe(first.arguments_hash)
    expect(send.callsOf(id)).toHaveLength(1)
    expectRefusal(await answer(id, { action: 'approve', await_seq: first.seq }), 409, 'RUN_NOT_AWAITING_INPUT')
    expect((await signalsOf(id)).map(({ asked }) => asked.arguments_hash)).toEqual([first.arguments_hash])
  })

  test('learns why a call is held that no rule holds', async () => {
    const tools = ['diary', 'gossip'].map((name) => ({ name }))
    const id = await bench.create(scripted([{ tools }, { tools: [{ name: 'post', input: { text: 'all of it' } }] }]))
    expect(await waitOf(id)).toMatchObject({
      tool: 'post',
      arguments: { text: 'all of it' },
      why: 'The run has read private data and untrusted text, and this call sends data out.',
      has_read: ['private', 'untrusted'],
    })
  })

  test('sees the call of a step that the plan holds, filled in', async () => {
    const step = { tool: 'pay', input: { sum: '{{input.sum}}', to: 'ada' }, approval: 'required' as const }
    const id = await bench.create(planned([step], [], { input: { sum: 391 } }))
    expect(await waitOf(id)).toMatchObject({
      prompt: 'May the tool pay be called?',
      tool: 'pay',
      arguments: { sum: 391, to: 'ada' },
      arguments_hash: hashPattern,
      why: 'The plan requires approval before this step.',
      has_read: [],
    })
    await answer(id, { action: 'approve', payload: { sum: 999 } })
    await bench.ended(id)
    expect(pay.callsOf(id).map(({ input }) => input)).toEqual([{ sum: 391, to: 'ada' }])
  })

  test('sees the call whose outcome is unknown', async () => {
    const step = { tool: 'hanging', input: { sum: '{{input.sum}}' }, timeout_seconds: 0.3 }
    const id = await bench.create(planned([step], [], { input: { sum: 391 } }))
    expect(await waitOf(id)).toMatchObject({
      reason_code: 'tool_outcome_unknown',
      tool: 'hanging',
      arguments: { sum: 391 },
      arguments_hash: hashPattern,
      why: 'The service stopped during this call, so its outcome is not known.',
      has_read: [],
    })
  })

  test('sees no call where there is none, but what they start', async () => {
    const id = await bench.create(
      planned([{ instruction: 'Pay {{input.sum}}', approval: 'required' }], [], { input: { sum: 4 } }),
    )
    expect(await waitOf(id)).toMatchObject({ prompt: 'May this step start: Pay 4', ...noCall })
  })
})

describe('what was approved is what is done', () => {
  test('the payload of an approval does not change the arguments that were approved', async () => {
    const plan = [{ await_input: { prompt: 'How much?' } }, { tool: 'send', input: { sum: '{{signal.payload.sum}}' } }]
    const id = await bench.create(planned(plan))
    await bench.waits(id)
    await answer(id, { action: 'submit_input', payload: { sum: 5 } })
    expect((await waitOf(id, 2)).arguments).toEqual({ sum: 5 })
    await answer(id, { action: 'approve', payload: { sum: 999 } })
    await bench.ended(id)
    expect(send.callsOf(id).map(({ input }) => input)).toEqual([{ sum: 5 }])
  })

  test('arguments that the answer itself provides are shown as written, and no hash claims to cover them', async () => {
    const step = { tool: 'pay', input: { sum: '{{signal.payload.sum}}' }, approval: 'required' as const }
    const id = await bench.create(planned([{ await_input: {} }, step]))
    await bench.waits(id)
    await answer(id, { action: 'submit_input', payload: { sum: 5 } })
    expect(await waitOf(id, 2)).toMatchObject({ arguments: { sum: '{{signal.payload.sum}}' }, arguments_hash: null })
    await answer(id, { action: 'submit_input', payload: { sum: 7 } })
    await bench.ended(id)
    expect(pay.callsOf(id).map(({ input }) => input)).toEqual([{ sum: 7 }])
  })
})

describe('tagged values', () => {
  const used = canaries.slice(0, 8)
  const values = Object.fromEntries(used.map(({ value }, n) => [`v${n}`, value]))
  const everyWriting = used.map(({ value }, n) => ({ [`n${n}`]: writings(value), [`key ${value}`]: [[value]] }))

  test('are masked in the call, the prompt, the input and the record, however they are nested or encoded', async () => {
    const { input, metadata } = canaryDocument()
    const text = `about ${used[0]?.value} and ${Buffer.from(`x${used[0]?.value}`).toString('base64')}`
    const tools = [{ name: 'send', input: { ...values, everyWriting, end: 'the end' } }]
    const id = await bench.create({
      input: { ...input, text, sandbox: { steps: [{ tools }] } },
      metadata: { ...metadata, text },
      attachment_refs: [`https://files.test/?q=${encodeURIComponent(used[0]?.value ?? '')}`],
      sensitivity_tags: canaryTags,
      routing_hint: 'skip_planning',
    })
    const wait = await waitOf(id)
    expect(wait.arguments).toMatchObject({ v0: '***', end: 'the end' })
    expect(Object.keys(wait.arguments as object)).not.toContain('v1')
    await answer(id, { action: 'reject', payload: { reason: text, everyWriting, ...values } })
    const signals = await signalsOf(id)
    expect(signals[0]?.payload).toMatchObject({ v0: '***' })
    const sent = (await included(id, 'input')).input
    expect(sent?.input).toMatchObject({ group: { item_0: '***' }, short: 'zq9' })
    expect(sent?.input).toHaveProperty('list.0', { other: 1 })
    const shown = { wait, signals, sent }
    for (const [name, part] of Object.entries(shown)) expect(findCanaries(name, JSON.stringify(part))).toEqual([])
    expect(JSON.stringify(shown)).not.toContain('{{secret:')
  })

  test('an input that is tagged as a whole is masked as a whole', async () => {
    const sensitivity_tags = [
      { path: '$.input', classification: 'pii' },
      { path: '$.metadata.note', classification: 'pii', redaction: 'drop' },
    ]
    const body = { input: { a: 'correct horse' }, metadata: { note: 'battery staple', kept: 1 }, sensitivity_tags }
    const id = await bench.create(body)
    const sent = (await included(id, 'input')).input
    expect(sent).toEqual({ input: '***', metadata: { kept: 1 }, attachment_refs: [] })
  })
})

describe('the record of an answer', () => {
  const waiting = async () => {
    const id = await bench.create(scripted([{ tools: [{ name: 'send', input: { to: 'eve', sum: 9 } }] }]))
    return { id, wait: await waitOf(id) }
  }

  test('names the key, what was asked and the reason; the event keeps its fields', async () => {
    const { id, caller } = await keyWith(['runs:read', 'runs:signal'], 'grace')
    const { id: runId, wait } = await waiting()
    await answer(runId, { action: 'reject', payload: { reason: 'Eve left' } }, caller)
    const events = await bench.ended(runId)
    const { seq: _seq, since: _since, expires_at: _expires, escalates_at, decisions, ...asked } = wait
    expect({ escalates_at, decisions }).toEqual({ escalates_at: null, decisions: [] })
    expect(asked).toMatchObject({ tool: 'send', arguments: { to: 'eve', sum: 9 } })
    const applied = events.find(({ type }) => type === 'run.signal_applied')
    expect(await signalsOf(runId)).toEqual([
      {
        seq: applied?.seq,
        action: 'reject',
        at: expect.stringMatching(instantPattern),
        key_id: id,
        key_name: 'grace',
        person: null,
        roles: [],
        via: 'api',
        counted: false,
        asked,
        payload: { reason: 'Eve left' },
        call: null,
        calls: null,
      },
    ])
    expect(applied?.payload.value).toEqual({ request_id: expect.any(String), action: 'reject' })
    expect((await included(runId, 'failure')).failure).toMatchObject({ message: 'Eve left' })
  })

  test('keeps the first key when another one repeats the signal, and outlives the key', async () => {
    const first = await keyWith(['runs:read', 'runs:signal'], 'first')
    const { id } = await waiting()
    const signal = { action: 'approve', idempotency_key: randomUUID() }
    expect((await answer(id, signal, first.caller)).status).toBe(200)
    expect((await answer(id, signal)).status).toBe(200)
    await bench.acme.send({ method: 'DELETE', path: `/v1/keys/${first.id}` })
    const ended = await bench.ended(id)
    expect(ofType(ended, 'run.signal_applied')).toHaveLength(1)
    expect(await signalsOf(id)).toMatchObject([
      { action: 'approve', key_id: first.id, key_name: 'first', payload: null },
    ])
  })

  test('is not shown to another customer', async () => {
    const { id } = await waiting()
    await answer(id, { action: 'approve' })
    const reply = await bench.other.get(`/v1/runs/${id}?include=signals,input,awaiting_input`)
    expectRefusal(reply, 404, 'RUN_NOT_FOUND')
  })

  test('stays readable after many large answers: old texts make room, and say so', async () => {
    const plan = Array.from({ length: 20 }, () => ({ await_input: { prompt: 'More?' } }))
    const id = await bench.create(planned(plan))
    const payload = 'y'.repeat(250_000)
    for (let times = 1; times <= plan.length; times += 1) {
      await bench.waits(id, times)
      expect((await answer(id, { action: 'submit_input', payload })).status).toBe(200)
    }
    await bench.ended(id)
    const signals = await signalsOf(id)
    expect(JSON.stringify(signals).length).toBeLessThan(4.2 * 1024 * 1024)
    expect(signals).toHaveLength(20)
    expect(signals[0]).toMatchObject({ payload: '(250,002 bytes left out)…', key_name: 'ada' })
    expect(signals.at(-1)).toMatchObject({ payload, asked: { prompt: 'More?' } })
  })
})

describe('runs:signal', () => {
  test('may answer, and nothing else', async () => {
    const { caller } = await keyWith(['runs:signal'], 'button')
    const id = await bench.create(planned([{ await_input: {} }]))
    await bench.waits(id)
    const paths = [`/v1/runs/${id}`, '/v1/runs', `/v1/runs/${id}/events`, `/v1/runs/${id}/events/stream`]
    const reads = [...paths, '/v1/usage', '/v1/memory/items', '/v1/keys']
    for (const path of reads) expectRefusal(await caller.get(path), 403, 'SCOPE_DENIED')
    for (const command of ['cancel', 'retry', 'resume'])
      expectRefusal(await caller.post(`/v1/runs/${id}/${command}`), 403, 'SCOPE_DENIED')
    expectRefusal(await caller.create(), 403, 'SCOPE_DENIED')
    expectRefusal(await caller.post('/v1/keys', {}), 403, 'SCOPE_DENIED')
    expect((await answer(id, { action: 'approve' }, caller)).status).toBe(200)
  })

  test('is part of runs:write and not of runs:read', async () => {
    const id = await bench.create(planned([{ await_input: {} }]))
    await bench.waits(id)
    const [reader, writer] = [await keyWith(['runs:read'], 'r'), await keyWith(['runs:write'], 'w')]
    expectRefusal(await answer(id, { action: 'approve' }, reader.caller), 403, 'SCOPE_DENIED')
    expect((await answer(id, { action: 'approve' }, writer.caller)).status).toBe(200)
  })

  test('can be granted by a key with runs:write, and not by one that may not signal', async () => {
    const writer = await keyWith(['keys:admin', 'runs:write'], 'writer')
    const reader = await keyWith(['keys:admin', 'runs:read'], 'reader')
    const scopes = ['runs:signal']
    expect((await writer.caller.post('/v1/keys', { scopes })).status).toBe(201)
    expectRefusal(await reader.caller.post('/v1/keys', { scopes }), 403, 'SCOPE_DENIED')
  })

  test('does not appear in keys that are created without naming scopes', async () => {
    const { key } = (await bench.acme.post('/v1/keys', {})).json<KeyWithSecret>()
    expect(key.scopes).toEqual(['runs:read', 'runs:write', 'usage:read', 'memory:read'])
  })
})
