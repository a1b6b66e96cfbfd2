// A worker dies while a decision about the plan is being written: that a stop does not end the plan, that a new plan
// keeps a gate. Whether the write takes place or not, a person is asked, once, and what was decided is not decided
// differently by the next worker.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { roleOf, verdict } from '../support/agents.ts'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { KillPoint } from '../support/kill-point.ts'
import { eventsOf, type HostedFleet, rowOf, type ServiceProcess, startFleet, until } from '../support/processes.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

/** A lease ends only when its worker was killed and the test says so: a slow machine loses none. */
const settings = {
  RUNWRIGHT_LEASE_SECONDS: '600',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
  RUNWRIGHT_MODEL: 'openai-compatible/any',
}

let hosted: HostedFleet
let provider: MockProvider
let caller: Caller
let worker: ServiceProcess
let killPoint: KillPoint
let answer: (request: NeutralRequest) => Reply = () => say('not ready')

beforeAll(async () => {
  provider = await startMockProvider('openai-chat', (request) => answer(request))
  const env = { ...settings, OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl, OPENAI_COMPATIBLE_API_KEY: 'sk-test' }
  hosted = await startFleet({ env })
  caller = hosted.fleet.caller(await hosted.fleet.start('api'))
  worker = await hosted.fleet.start('worker')
  killPoint = new KillPoint(hosted.database, { table: 'journal', column: 'key' })
  await killPoint.install()
})
afterAll(async () => {
  await killPoint.remove()
  await expectInvariants(hosted.database)
  await hosted.close()
  await provider.close()
})
afterEach(() => killPoint.letGo())

const agent = (id: string, more: object = {}) => ({ id, instruction: `Do ${id}`, ...more })
const steps = [
  agent('draft'),
  agent('beside', { depends_on: ['draft'] }),
  { id: 'gate', await_input: {}, depends_on: ['draft'] },
  agent('send'),
]
const given = { input: {}, metadata: {}, plan: { steps } }
const planned = { input: {}, metadata: {}, routing_hint: 'require_planning' }

interface Course {
  readonly body: object
  /** The journal entry whose write is held back. */
  readonly key: string
  readonly judge: 'stop' | 'replan'
  /** The decisions up to the question, after the plan is made. */
  readonly decisions: readonly string[]
  /** The steps that are done in the end. */
  readonly done: readonly string[]
}

const courses: readonly (readonly [string, Course])[] = [
  [
    'that a stop does not end a client’s plan',
    {
      body: given,
      key: 'done:0/draft',
      judge: 'stop',
      decisions: ['continue plan_goes_on', 'continue plan_goes_on', 'await_input input_required'],
      done: ['beside', 'draft', 'send'],
    },
  ],
  [
    'that a stop does not pass a planner’s gate',
    {
      body: planned,
      key: 'stop:%',
      judge: 'stop',
      decisions: ['continue plan_ready', 'continue plan_goes_on', 'await_input input_required'],
      done: ['draft', 'planner', 'send'],
    },
  ],
  [
    'that a new plan keeps a gate',
    {
      body: given,
      key: 'plan:1',
      judge: 'replan',
      decisions: [
        ...['replan replan_requested', 'continue plan_ready', 'continue step_done'],
        'await_input input_required',
      ],
      done: ['draft', 'new', 'planner', 'send'],
    },
  ],
]

/** The commit is made although the worker is dead. One that is lost is repeated from what came before: turns-kill. */
test.each(courses)('killed in the commit %s: a person is asked once', { timeout: 60_000 }, async (_, course) => {
  answer = (request) => replyOf(request, course)
  await killPoint.arm(course.key)
  const { id } = (await caller.create(course.body)).json<{ id: string }>()
  await until(() => killPoint.isReached(), { within: 15_000, what: 'the commit' })
  await worker.kill()
  await killPoint.letGo()
  await hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })
  worker = await hosted.fleet.start('worker')
  const waiting = await until(async () => (await rowOf(hosted.database, id)).await_seq ?? undefined, {
    within: 20_000,
    what: () => `the question of ${id}; ${worker.output}`,
  })
  const decisions = async () =>
    (await eventsOf(hosted.database, id)).flatMap(({ type, payload }) =>
      type === 'run.coordination.decision' ? [`${payload.decision_type} ${payload.reason_code}`] : [],
    )
  expect(await decisions()).toEqual(course.decisions)
  await caller.post(`/v1/runs/${id}/signal`, { action: 'approve', await_seq: waiting })
  await until(async () => (await rowOf(hosted.database, id)).state === 'succeeded' || undefined, {
    within: 20_000,
    what: () => `the end of ${id}; ${worker.output}`,
  })
  const events = await eventsOf(hosted.database, id)
  expect(events.filter(({ type }) => type === 'run.awaiting_input')).toHaveLength(1)
  expect(await doneSteps(id)).toEqual(course.done)
  expect(provider.refusals).toEqual([])
})

function replyOf(request: NeutralRequest, { judge }: Course): Reply {
  const role = roleOf(request)
  const text = request.messages.map((message) => message.text).join('\n')
  if (role === 'planner') return say([JSON.stringify({ steps: judge === 'replan' ? [agent('new')] : steps })])
  if (role !== 'judge') return say('Done.')
  const isFirst = text.includes('just ended: draft')
  return judge === 'stop' ? verdict('stop') : verdict(isFirst ? 'replan' : 'continue')
}

async function doneSteps(id: string): Promise<string[]> {
  const rows = await hosted.database.query<{ key: string }>({
    text: `select key from journal where run_id = $1 and key like 'done:%'`,
    values: [fromWireId('run', id)],
  })
  return rows.map(({ key }) => key.slice(key.indexOf('/') + 1)).toSorted()
}
