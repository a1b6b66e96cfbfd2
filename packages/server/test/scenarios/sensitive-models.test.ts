// What models get to see of tagged values, and what becomes of what they say: with a model that reads its prompts.
import { randomBytes } from 'node:crypto'
import type { Event } from '@runwright/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bootstrapKeys } from '../../src/access/bootstrap.ts'
import { createApp } from '../../src/app.ts'
import { LiveSecrets } from '../../src/domain/secrets/live-secrets.ts'
import type { Model, ModelOutcome, ModelRequest } from '../../src/models/port/model.ts'
import { createLogger } from '../../src/runtime/logger.ts'
import { readSettings } from '../../src/runtime/settings/settings.ts'
import { freshDatabase } from '../support/database.ts'
import { Bench, ofType } from '../support/engine.ts'
import { Occurrences } from '../support/occurrences.ts'
import { ownTool } from '../support/own-tool.ts'

const password = 'correct horse battery staple'
const encoded = Buffer.from(`user:${password}`).toString('base64')
const secretPart = /horse|battery|aG9yc2/
const body = {
  input: { password, task: `log in with ${password}`, header: `Basic ${encoded}`, plain: 'visible' },
  metadata: {},
  sensitivity_tags: [{ path: '$.input.password', classification: 'credential' }],
}

type Reply = Partial<Extract<ModelOutcome, { kind: 'reply' }>> | ModelOutcome

/** What each role was asked, and what it answers, in turn. */
const asked: string[] = []
const answers: Record<'planner' | 'worker' | 'judge', Reply[]> = { planner: [], worker: [], judge: [] }

/** Says its text letter by letter, and lets the clock tick in between. */
async function respond({ role, messages, onText }: ModelRequest): Promise<ModelOutcome> {
  asked.push(JSON.stringify(messages))
  const answer = answers[role].shift() ?? {}
  for (const letter of answer.text ?? '') {
    await onText(letter)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return {
    kind: 'reply',
    text: '',
    toolCalls: [],
    output: null,
    finish: 'complete',
    usage: { total: 1 },
    ...answer,
  } as ModelOutcome
}

const model: Model = { name: 'test/letters', respond }
const taker = ownTool({ name: 'taker' })
let bench: Bench
const log = new Occurrences<string>()

beforeAll(async () => {
  const { connection, database, drop } = await freshDatabase()
  const key = 'key_acme:secret'
  const settings = readSettings({ RUNWRIGHT_PORT: '0', RUNWRIGHT_BOOTSTRAP_KEYS: `acme=${key}` })
  const liveSecrets = new LiveSecrets()
  const logger = createLogger({
    level: 'trace',
    stream: { write: (line) => log.add(line) },
    scrub: liveSecrets.scrub,
  })
  const secrets = { encryptionKey: randomBytes(32), keyPepper: randomBytes(32) }
  await bootstrapKeys({ database, keyPepper: secrets.keyPepper, keys: settings.secrets.bootstrapKeys, logger })
  const worker = { models: { planner: [model], worker: [model], judge: [model] }, tools: [taker] }
  const app = createApp({ settings, connection, secrets, logger, liveSecrets, api: {}, worker })
  const url = (await app.start()) as string
  const stop = async () => {
    await app.stop()
    await drop()
  }
  bench = new Bench({ url, key, otherKey: key, database, log, reload: () => app.reload(), stop })
})
afterAll(() => bench.stop())
beforeEach(() => {
  asked.length = 0
})

const say = (text: string): Reply => ({ text })
const stop: Reply = { output: { decision: 'stop', reason: `it said ${password}` } }
const deltasOf = (events: readonly Event[]) => ofType(events, 'step.progress').map((value) => value.content_delta ?? '')

test('a prompt holds placeholders and no value, in any role, in any turn', async () => {
  answers.planner = [
    { text: 'ok', output: { steps: [{ instruction: `use {{secret:$.input.password}} or ${password}` }] } },
  ]
  const toolCalls = [
    { id: 'c1', name: 'taker', input: { p: '{{secret:$.input.password}}', h: '{{secret:$.hidden[0]}}' } },
  ]
  answers.worker = [{ text: `I have ${password}`, toolCalls }, say('done')]
  answers.judge = [stop]
  const { id, events } = await bench.play({ ...body, routing_hint: 'require_planning' })
  expect(ofType(events, 'run.worker.succeeded')).toHaveLength(1)
  expect(asked).toHaveLength(4)
  for (const prompt of asked) {
    expect(prompt).not.toMatch(secretPart)
    expect(prompt).toContain('log in with {{secret:$.input.password}}')
    expect(prompt).toContain('visible')
  }
  expect(asked[2]).toContain('I have ***')
  const [given] = taker.callsOf(id).map(({ input }) => input as Record<'p' | 'h', string>)
  expect(given?.p).toBe(password)
  expect(encoded).toContain(given?.h)
  expect(`${JSON.stringify(events)}${JSON.stringify(await bench.include(id, 'plan'))}`).not.toMatch(secretPart)
  expect(JSON.stringify(await bench.include(id, 'plan'))).toContain('use {{secret:$.input.password}} or ***')
  expect(ofType(events, 'run.coordination.decision').at(-1)?.judge_decision).toMatchObject({ reason: 'it said ***' })
})

test('said letter by letter, a secret is masked in the stream, and nothing else is lost', async () => {
  answers.worker = [say(`It is ${password}, or ${encoded}, or correct horses. See {{secret:$.input.password}}!`)]
  answers.judge = [stop]
  const { events } = await bench.play({ ...body, routing_hint: 'skip_planning' })
  const streamed = deltasOf(events).join('')
  expect(streamed).toMatch(
    /^It is \*\*\*, or [A-Za-z0-9]{1,6}\*\*\*=*, or correct horses\. See \{\{secret:\$\.input\.password\}\}!$/,
  )
  expect(deltasOf(events).filter((delta) => delta !== '').length).toBeGreaterThan(1)
  expect(ofType(events, 'step.done')[0]?.content).toBe(streamed)
})

test('a secret that is split by a tool call is held back over it', async () => {
  const toolCalls = [{ id: 'c1', name: 'taker', input: {} }]
  answers.worker = [{ text: 'It is correct horse bat', toolCalls }, say('tery staple.')]
  answers.judge = [stop]
  const { events } = await bench.play({ ...body, routing_hint: 'skip_planning' })
  expect(deltasOf(events).join('')).toBe('It is ***.')
  expect(ofType(events, 'step.done')[0]?.content).toBe('***.')
})

test('an error that was cut in the middle of a secret does not show its beginning', async () => {
  answers.worker = [
    {
      kind: 'failure',
      reasonCode: 'provider_error',
      message: `bad: correct horse bat…`,
      retry: 'never',
      text: '',
      usage: { total: 1 },
    },
  ]
  const { id } = await bench.play({ ...body, routing_hint: 'skip_planning' })
  expect(await bench.include(id, 'failure')).toMatchObject({ message: 'bad: ***…' })
})

test('an error that nobody expected is logged without the secrets of its run', async () => {
  const broken = new Error(`a defect that quotes ${password} and ${encoded}`)
  answers.worker = [
    {
      get text(): string {
        throw broken
      },
    } as Reply,
  ]
  const { events } = await bench.play({ ...body, routing_hint: 'skip_planning' })
  expect(ofType(events, 'run.worker.failed')[0]?.reason_code).toBe('internal_error')
  expect(log.all.join('')).toContain('a defect that quotes ***')
  expect(log.all.join('')).not.toMatch(secretPart)
})

test('a result that is told later still says that something in it is hidden', async () => {
  answers.worker = [say(`It is ${password}.`)]
  answers.judge = [{ output: { decision: 'continue', reason: 'on' } }]
  const steps = [
    { id: 'a', instruction: 'x' },
    { id: 'gate', await_input: {} },
  ]
  const id = await bench.create({ ...body, plan: { version: 'v2', steps } })
  await bench.waits(id)
  await bench.signal(id, 'approve')
  await bench.ended(id)
  const { event_payload } = await bench.acme.run(id)
  expect(event_payload).toEqual({ redacted: true, value: { content: 'It is ***.', output: null } })
})

test('a run without tags is not looked into', async () => {
  answers.worker = [say(`It is ${password}.`)]
  answers.judge = [{ output: { decision: 'stop', reason: password } }]
  const { events } = await bench.play({ input: { text: password }, metadata: {}, routing_hint: 'skip_planning' })
  expect(deltasOf(events).join('')).toBe(`It is ${password}.`)
  expect(events.filter(({ payload }) => payload.redacted).map(({ type }) => type)).toEqual(['run.created'])
})
