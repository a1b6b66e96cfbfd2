// A worker dies while an answer is graded and revised: before and while the grade or the request for a revision is
// committed, and while the worker's model revises. A committed grade is not asked for again, a committed answer is
// kept, and all tokens are counted.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { fromWireId } from '../../src/runtime/ids.ts'
import { json, roleOf } from '../support/agents.ts'
import type { Caller } from '../support/http.ts'
import { expectInvariants } from '../support/invariants.ts'
import { KillPoint } from '../support/kill-point.ts'
import {
  eventsOf,
  type HostedFleet,
  isOver,
  rowOf,
  type ServiceProcess,
  startFleet,
  until,
} from '../support/processes.ts'
import { type MockProvider, startMockProvider } from '../support/providers/mock-provider.ts'
import { type NeutralRequest, type Reply, say } from '../support/providers/script.ts'

/** A lease ends only when its worker was killed and the test says so: a slow machine loses none. */
const settings = {
  RUNWRIGHT_LEASE_SECONDS: '600',
  RUNWRIGHT_RECOVERY_DELAY_SECONDS: '0.05',
  RUNWRIGHT_MODEL: 'openai-compatible/any',
}
const expireLeases = () =>
  hosted.database.run({
    text: `update runs set lease_until = clock_timestamp() - interval '1 second' where worker_id is not null`,
  })

let hosted: HostedFleet
let provider: MockProvider
let caller: Caller
let worker: ServiceProcess
let killPoint: KillPoint
let asked: string[] = []
let stalls = 0
let answer: (request: NeutralRequest) => Reply = () => say('not ready')

beforeAll(async () => {
  provider = await startMockProvider('openai-chat', (request) => {
    asked.push(roleOf(request))
    return answer(request)
  })
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

const usage = { input: 100, output: 10 }
const costs = (reply: Reply): Reply => ({ ...reply, usage }) as Reply

/** The first answer does not pass, the second one does. Which one it is, the request says. */
function course(request: NeutralRequest): Reply {
  const text = request.messages.at(-1)?.text ?? ''
  if (roleOf(request) === 'worker') return costs(say(request.messages.length > 1 ? '391 euros.' : 'A lot.'))
  const passes = text.includes('391 euros.')
  return costs(json({ passes, notes: passes ? '' : 'How much?' }))
}

interface Point {
  /** Held in the commit of this journal entry, or in the call of this role. */
  readonly at: string
  readonly role?: 'grade' | 'worker'
  /** The call that is held, counted from 1. */
  readonly nth?: number
  /** The commit is made although the worker is dead. */
  readonly isKept?: boolean
  /** How many grades were asked for when the worker is killed. */
  readonly gradesBefore?: number
  /** How many times the models are asked. */
  readonly asks: { readonly worker: number; readonly grade: number }
}

const usual = { worker: 2, grade: 2 }
const points: Point[] = [
  { at: 'grade:%:0/run', asks: { ...usual, grade: 3 } },
  { at: 'grade:%:0/run', isKept: true, asks: usual },
  { at: 'revise:%', asks: usual },
  { at: 'revise:%', isKept: true, asks: usual },
  { at: 'the first grade', role: 'grade', nth: 1, asks: { ...usual, grade: 3 } },
  { at: 'the revision', role: 'worker', nth: 2, asks: { ...usual, worker: 3 } },
  // The judge is asked while the answer is committed. Without the answer, its grade is lost as well.
  { at: 'reply:%:1', gradesBefore: 2, asks: { worker: 3, grade: 3 } },
  { at: 'the second grade', role: 'grade', nth: 2, asks: { ...usual, grade: 3 } },
  { at: 'grade:%:1/run', asks: { ...usual, grade: 3 } },
  { at: 'grade:%:1/run', isKept: true, asks: usual },
  { at: 'done:%', asks: usual },
]

const named = points.map((point) => [`${point.at}${point.isKept ? ', which is made' : ''}`, point] as const)

test.each(named)('killed at %s', { timeout: 60_000 }, async (_, point) => {
  asked = []
  answer = course
  if (point.role === undefined) await killPoint.arm(point.at)
  const reached = point.role === undefined ? isHeldBack() : holdCall(point)
  const input = { question: 'What does it cost?', rubric: 'Names the price.' }
  const { id } = (await caller.create({ input, metadata: {} })).json<{ id: string }>()
  await reached
  // The answer is committed while the judge is asked.
  if (point.role === 'grade')
    await until(() => hasReply(id, (point.nth ?? 1) - 1), { within: 15_000, what: 'the reply' })
  const { gradesBefore = 0 } = point
  await until(() => count('grade') >= gradesBefore, { within: 15_000, what: 'the grades' })
  await worker.kill()
  await (point.isKept ? killPoint.letGo() : killPoint.cutOff())
  answer = course
  await expireLeases()
  worker = await hosted.fleet.start('worker')
  await until(async () => isOver(await rowOf(hosted.database, id)), {
    within: 20_000,
    what: () => `the end of ${id}; ${worker.output}`,
  })
  expect({ worker: count('worker'), grade: count('grade') }).toEqual(point.asks)
  await expectEnd(id)
})

const count = (role: string) => asked.filter((one) => one === role).length

async function expectEnd(id: string): Promise<void> {
  const events = await eventsOf(hosted.database, id)
  expect(events.filter(({ type }) => type === 'step.done')).toMatchObject([{ payload: { content: '391 euros.' } }])
  const decisions = events.filter(({ type }) => type === 'run.coordination.decision')
  expect(decisions.map(({ payload }) => payload.reason_code)).toEqual(['revision_requested', 'all_done'])
  // What came of a call that was cut off is not known. The others are counted, each of them once.
  const row = await rowOf(hosted.database, id)
  expect([row.state, Number(row.tokens)]).toEqual(['succeeded', 4 * (usage.input + usage.output)])
  expect(provider.refusals).toEqual([])
}

const hasReply = async (id: string, turn: number): Promise<boolean> =>
  (
    await hosted.database.query({
      text: 'select from journal where run_id = $1 and key like $2',
      values: [fromWireId('run', id), `reply:%:${turn}`],
    })
  ).length > 0

const isHeldBack = () => until(() => killPoint.isReached(), { within: 15_000, what: 'the commit' })

function holdCall({ role, nth }: Point): Promise<void> {
  return new Promise((resolve) => {
    let calls = 0
    answer = (request) => {
      if (roleOf(request) === role) calls += 1
      if (roleOf(request) !== role || calls !== nth) return course(request)
      stalls += 1
      void provider.stalled(stalls).then(() => resolve())
      return { ...course(request), delivery: { hang: true } } as Reply
    }
  })
}
