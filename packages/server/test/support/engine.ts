// For tests of the engine: a service that executes runs, waits for what happens in them, tools that can be watched and
// held, and the invariants that must hold for every run whatever has happened to it.
import {
  type Event,
  type EventType,
  type PlanStep,
  type SandboxStep,
  type SignalAction,
  terminalEventTypes,
} from '@runwright/contract'
import { expect } from 'vitest'
import { toWireId } from '../../src/runtime/ids.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { Caller, type Reply } from './http.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

export type Value = Readonly<Record<string, unknown>>

/** Resolves with what `look` finds, asking again until it finds something; rejects when the time is up. */
export async function eventually<T>(look: () => T | undefined | Promise<T | undefined>, withinMs = 20_000): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`nothing found within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A run that plays these entries without planning, unless `more` says otherwise. */
export const scripted = (steps: readonly SandboxStep[], more: { readonly input?: object } & Value = {}) => ({
  routing_hint: 'skip_planning',
  metadata: {},
  ...more,
  input: { sandbox: { steps }, ...more.input },
})

/** An entry of the script after which the judge decides so. */
export const thenStep = (then: SandboxStep['then'], step: SandboxStep = {}): SandboxStep => ({ ...step, then })

/** A run with a given plan; its agent steps play the script. */
export const planned = (plan: readonly PlanStep[], steps: readonly SandboxStep[] = [], more: Value = {}) => ({
  metadata: {},
  ...more,
  input: { ...(steps.length > 0 && { sandbox: { steps } }), ...(more.input as object | undefined) },
  plan: { version: 'v2', steps: plan },
})

const payloadOf = (event: Event | undefined): Value => event?.payload.value ?? {}
export const ofType = (events: readonly Event[], type: EventType): Value[] =>
  events.filter((event) => event.type === type).map(payloadOf)
export const isTerminal = ({ type }: { type: string }): boolean =>
  (terminalEventTypes as readonly string[]).includes(type)

/** Each event as a few words; streamed text is left out, since its cutting is a matter of time. */
export const outline = (events: readonly Event[]): string[] =>
  events.filter((event) => payloadOf(event).kind !== 'content_delta').map(wordsFor)

function wordsFor(event: Event): string {
  const value = payloadOf(event)
  const words: Partial<Record<EventType, readonly unknown[]>> = {
    'step.progress': [value.kind, value.tool_name],
    'step.done': ['step.done', value.outcome],
    'run.tool.invoked': ['invoked', value.tool_name, value.tool_outcome],
    'run.coordination.decision': [value.role, value.decision_type, value.reason_code],
    'run.awaiting_input': ['awaiting', value.reason_code, value.input_kind],
    'run.signal_applied': ['signal', value.action],
    'run.input_received': ['signal', value.action],
    'run.worker.failed': ['failed', value.reason_code],
    'run.worker.stalled': ['stalled', value.reason_code],
    'run.resumed': ['resumed', value.to_status],
    'run.cancelled': ['cancelled', value.reason_code],
    'run.limit_exceeded': ['limit', value.limitType],
  }
  const own = words[event.type] ?? [event.type.split('.').at(-1)]
  return own.filter((word) => word !== undefined).join(' ')
}

/** Follows the run's stream until it holds. */
async function untilStreamed(
  caller: Caller,
  id: string,
  holds: (events: Event[]) => boolean,
  withinMs = 20_000,
): Promise<Event[]> {
  const stream = await caller.stream(`/v1/runs/${id}/events/stream`)
  try {
    await stream.until(({ events }) => holds(events), withinMs)
    return stream.events
  } finally {
    stream.close()
  }
}

/** The events of a run of any customer up to its end. */
export const untilEnded = (caller: Caller, id: string): Promise<Event[]> =>
  untilStreamed(caller, id, (events) => events.some(isTerminal))

/** The events of a run until it asks, or until it has ended. */
export const untilAsked = (caller: Caller, id: string): Promise<Event[]> =>
  untilStreamed(caller, id, (events) =>
    events.some((event) => isTerminal(event) || event.type === 'run.awaiting_input'),
  )

/** A service that executes runs, and one who uses it as a client does. */
export class Bench {
  readonly service: Service
  readonly acme: Caller
  readonly other: Caller

  constructor(service: Service) {
    this.service = service
    this.acme = new Caller(service.url, service.key)
    this.other = new Caller(service.url, service.otherKey)
  }

  async create(body: object, caller: Caller = this.acme): Promise<string> {
    const reply = await caller.create(body)
    expect(reply.status, reply.text).toBe(201)
    return reply.json<{ id: string }>().id
  }

  async events(id: string): Promise<Event[]> {
    const all: Event[] = []
    for (;;) {
      const page = await this.acme.get(`/v1/runs/${id}/events?limit=200&cursor=${all.length}`)
      const { events } = page.json<{ events: Event[] }>()
      all.push(...events)
      if (events.length < 200) return all
    }
  }

  until(id: string, holds: (events: Event[]) => boolean, withinMs = 20_000): Promise<Event[]> {
    return untilStreamed(this.acme, id, holds, withinMs)
  }

  /** All events once the run has ended so many times. */
  async ended(id: string, times = 1, withinMs = 20_000): Promise<Event[]> {
    await this.until(id, (events) => events.filter(isTerminal).length >= times, withinMs)
    return this.events(id)
  }

  seen(id: string, type: EventType, times = 1, withinMs = 20_000): Promise<Event[]> {
    return this.until(id, (events) => ofType(events, type).length >= times, withinMs)
  }

  /** The `seq` of the wait that the run has come to, its first or a later one. */
  async waits(id: string, times = 1): Promise<number> {
    const events = await this.seen(id, 'run.awaiting_input', times)
    return events.filter(({ type }) => type === 'run.awaiting_input')[times - 1]?.seq ?? 0
  }

  async play(body: object): Promise<{ id: string; events: Event[] }> {
    const id = await this.create(body)
    return { id, events: await this.ended(id) }
  }

  command(id: string, command: 'cancel' | 'retry' | 'resume', headers = {}): Promise<Reply> {
    return this.acme.post(`/v1/runs/${id}/${command}`, undefined, headers)
  }

  signal(id: string, action: SignalAction, more: Value = {}, headers = {}): Promise<Reply> {
    return this.acme.post(`/v1/runs/${id}/signal`, { action, ...more }, headers)
  }

  async include<T = Value>(id: string, what: string): Promise<T> {
    const reply = await this.acme.get(`/v1/runs/${id}?include=${what}`)
    return reply.json<Record<string, T>>()[what] as T
  }

  /** Checks the invariants, ends what still goes on, and checks them again. */
  async stop(): Promise<void> {
    try {
      expect(await findViolations(this.service.database)).toEqual([])
      for (const caller of [this.acme, this.other]) await cancelAll(caller)
      expect(await findViolations(this.service.database)).toEqual([])
    } finally {
      await this.service.stop()
    }
  }
}

async function cancelAll(caller: Caller): Promise<void> {
  for (const status of ['queued', 'running', 'stalled']) {
    const { runs } = (await caller.get(`/v1/runs?status=${status}&limit=200`)).json<{ runs: { id: string }[] }>()
    await Promise.all(runs.map(({ id }) => caller.post(`/v1/runs/${id}/cancel`)))
  }
}

export const startBench = async (env: Record<string, string> = {}, options: ServiceOptions = {}): Promise<Bench> =>
  new Bench(await startService({ RUNWRIGHT_RATE_LIMIT_PER_SECOND: '0', ...env }, { worker: true, ...options }))

type StoredEvent = Pick<Event, 'seq' | 'type'> & { attempt: number; terminal: boolean; at: number; value: Value }
type Owner = readonly (string | null)[]

interface StoredRun {
  readonly id: string
  readonly state: string
  readonly nextSeq: number
  readonly tokens: number
  readonly updatedAt: number
  readonly isLeased: boolean
  readonly isLost: boolean
  readonly owner: Owner
  readonly inputOwner: string
  readonly events: readonly StoredEvent[]
  readonly usage: readonly { readonly type: string; readonly quantity: number; readonly owner: Owner }[]
  readonly results: readonly string[]
  readonly nextTurn: number
  readonly turns: readonly number[]
}

const storedRuns = `
select json_build_object('id', r.id, 'state', r.state, 'nextSeq', r.next_seq, 'tokens', r.tokens,
  'updatedAt', extract(epoch from r.updated_at), 'isLeased', r.worker_id is not null,
  'isLost', r.state = 'running' and r.ready_at is null
    and (r.lease_until is null or r.lease_until < clock_timestamp() - interval '30 seconds'),
  'owner', json_build_array(r.customer_id, r.workspace_id, r.subject_id),
  'inputOwner', (select i.customer_id from run_inputs i where i.run_id = r.id),
  'events', coalesce((select json_agg(json_build_object('seq', e.seq, 'type', e.type, 'attempt', e.attempt,
    'terminal', e.terminal, 'at', extract(epoch from e.at), 'value', e.payload) order by e.seq)
    from events e where e.customer_id = r.customer_id and e.run_id = r.id), '[]'),
  'usage', coalesce((select json_agg(json_build_object('type', u.event_type, 'quantity', u.quantity,
    'owner', json_build_array(u.customer_id, u.workspace_id, u.subject_id)))
    from usage_records u where u.run_id = r.id), '[]'),
  'results', coalesce((select json_agg(substr(j.key, 8))
    from journal j where j.customer_id = r.customer_id and j.run_id = r.id and j.key like 'result:%'), '[]'),
  'nextTurn', r.next_turn,
  'turns', coalesce((select json_agg(t.seq order by t.seq)
    from turns t where t.customer_id = r.customer_id and t.run_id = r.id), '[]')
) as run
from runs r`

/** Every run for which an invariant does not hold, and which one. */
export async function findViolations(database: Database): Promise<string[]> {
  const rows = await database.query<{ run: string }>({ text: storedRuns })
  const runs = rows.map(({ run }): StoredRun => JSON.parse(run))
  const problemsOf = ([name, check]: [string, (run: StoredRun) => string[]]) =>
    runs.flatMap((run) => check(run).map((problem) => `${name}: ${toWireId('run', run.id)} ${problem}`))
  return Object.entries(invariants).flatMap(problemsOf)
}

const say = (isBroken: boolean, problem: string): string[] => (isBroken ? [problem] : [])
const count = (run: StoredRun, type: string): number => run.usage.filter((record) => record.type === type).length

const invariants: Readonly<Record<string, (run: StoredRun) => string[]>> = {
  'I1 seq is 1..n': ({ events }) => events.flatMap(({ seq }, n) => say(seq !== n + 1, `has ${seq} in place ${n + 1}`)),
  'I2 the counter equals n': ({ events, nextSeq }) => say(nextSeq !== events.length + 1, `counts ${nextSeq}`),
  'I3 an attempt ends once and last': ({ events }) =>
    events.flatMap((event, n) => {
      const next = events[n + 1]
      const goesOn = next && (next.type !== 'run.worker.retry_scheduled' || next.attempt === event.attempt)
      return say(
        isTerminal(event) !== event.terminal || (isTerminal(event) && goesOn === true),
        `goes on after ${event.seq}`,
      )
    }),
  'I4, I5 the way of statuses': followStatuses,
  'I6 a lease only while running': ({ isLeased, state }) => say(isLeased && state !== 'running', `is ${state}`),
  'I7 nothing is lost': ({ isLost }) => say(isLost, 'is running and is never claimed'),
  'I8 usage adds up': (run) => {
    const spent = run.usage.filter(({ type }) => type === 'tokens.consumed').reduce((sum, u) => sum + u.quantity, 0)
    const steps = run.events.filter(({ value }) => value.outcome === 'succeeded').length
    return [
      ...say(spent !== run.tokens, `has ${run.tokens} tokens, recorded are ${spent}`),
      ...say(count(run, 'tool.invoked') !== run.results.length, `has ${run.results.length} results`),
      ...say(count(run, 'task.completed') !== steps, `has ${steps} finished steps`),
      ...say(count(run, 'run.created') !== 1, 'was not created once'),
    ]
  },
  'I9 one story per call': followCalls,
  'I10 time goes on': ({ events, updatedAt }) => [
    ...events.flatMap(({ at, seq }, n) => say(at < (events[n - 1]?.at ?? 0), `${seq} is earlier`)),
    ...say(updatedAt !== events.at(-1)?.at, 'was not updated at its last event'),
  ],
  'I11 a wait has one end': ({ events, state }) =>
    events.flatMap((event, n) => {
      if (event.type !== 'run.awaiting_input') return []
      const next = events[n + 1]
      return say(next ? !endsWait(next) : state !== 'awaiting_input', `${event.seq} is followed by ${next?.type}`)
    }),
  'I12 one customer': ({ owner, inputOwner, usage }) =>
    say(inputOwner !== owner[0] || usage.some((record) => `${record.owner}` !== `${owner}`), 'has several owners'),
  'turns are 1..n, and counted': ({ turns, nextTurn }) =>
    say(nextTurn !== turns.length + 1 || turns.some((seq, n) => seq !== n + 1), `counts ${nextTurn}, has ${turns}`),
  'payloads have their fields': ({ events }) => events.flatMap((event) => say(!hasItsFields(event), describe(event))),
  'what a worker writes names the request that set the run going': followRequests,
  'a decision follows each step.done at once': ({ events }) =>
    events.flatMap(({ type, seq, at }, n) => {
      const next = events[n + 1]
      return say(type === 'step.done' && (next?.type !== 'run.coordination.decision' || next.at !== at), `${seq}`)
    }),
}

const describe = ({ seq, type, value }: StoredEvent): string => `${seq} ${type} ${JSON.stringify(value)}`

const ways: Partial<Record<EventType, readonly string[]>> = {
  'run.worker.started': ['queued running'],
  'run.worker.succeeded': ['running succeeded'],
  'run.worker.failed': ['running failed'],
  'run.worker.stalled': ['running stalled'],
  'run.worker.retry_scheduled': ['failed queued'],
  'run.resumed': ['stalled running', 'stalled queued'],
  'run.cancelled': ['queued cancelled', 'running cancelled', 'stalled cancelled'],
}

function followStatuses({ events, state }: StoredRun): string[] {
  let status = 'queued'
  const problems: string[] = []
  for (const event of events.slice(1)) {
    const { from_status, to_status } = event.value
    const way = ways[event.type]
    if (way && (from_status !== status || !way.includes(`${from_status} ${to_status}`))) problems.push(describe(event))
    const needs = event.type === 'run.limit_exceeded' ? ['queued', 'running', 'stalled'] : ['running']
    if (!way && !needs.includes(status)) problems.push(`${describe(event)} while ${status}`)
    if (way) status = String(to_status)
    if (event.type === 'run.limit_exceeded') status = 'failed'
  }
  const wire = state === 'awaiting_input' ? 'running' : state
  return [...problems, ...say(status !== wire, `is ${wire}, its events say ${status}`)]
}

function followCalls({ events, results }: StoredRun): string[] {
  const stories = new Map<unknown, string[]>(results.map((call) => [call, []]))
  for (const { type, value } of events.filter((event) => event.value.tool_call_id !== undefined)) {
    const word = type === 'run.tool.invoked' ? 'invoked' : String(value.kind)
    stories.set(value.tool_call_id, [...(stories.get(value.tool_call_id) ?? []), word])
  }
  const whole = 'tool_call_start,tool_call_done,invoked'
  return [...stories].flatMap(([call, story]) => {
    const wanted = results.includes(String(call)) ? whole : 'tool_call_start'
    return say(story.join() !== wanted, `${call}: ${story}`)
  })
}

const waitEnds = [
  'run.signal_applied',
  'run.input_received',
  'run.worker.failed',
  'run.cancelled',
  'run.limit_exceeded',
]
const endsWait = ({ type, value }: StoredEvent) => waitEnds.includes(type) || value.decision_type === 'replan'

const transitionFields = 'request_id from_status to_status reason_code'
/** With a question mark: may be left out. Types that are not here have those of a transition. */
const fields: Partial<Record<EventType, string>> = {
  'run.created': 'request_id routing streaming? routing_hint?',
  'run.cancelled': 'request_id from_status to_status reason_code?',
  'run.resumed': 'request_id from_status to_status',
  'run.limit_exceeded': 'limitType currentValue threshold unit',
  'step.progress': 'request_id task_id kind content_delta? tool_call_id? tool_name?',
  'step.done': 'request_id task_id content outcome reason_code? provider_error_message?',
  'run.tool.invoked':
    'tool_call_id tool_name tool_outcome tool_input_summary tool_output_summary policy_reason_code duration_ms',
  'run.coordination.decision': 'request_id decision_type reason_code role judge_decision?',
  'run.awaiting_input': 'request_id reason_code input_kind?',
  'run.signal_applied': 'request_id action',
  'run.input_received': 'request_id action',
}

const decisionReasons = [
  ...['plan_ready', 'step_done', 'all_done', 'retry_step', 'step_failed', 'input_required', 'approval_required'],
  ...['replan_requested', 'signal_timeout', 'plan_unusable', 'nothing_left', 'judge_unreadable', 'turn_limit'],
  ...['provider_retry', 'tool_retry', 'model_fallback', 'context_compacted', 'replan_limit', 'step_limit'],
  ...['goal_not_reached', 'judge_unavailable', 'cassette_mismatch', 'cassette_missing'],
  ...['plan_goes_on', 'steps_skipped', 'step_misplanned', 'revision_requested', 'rubric_not_met'],
]
/** Where what is done differs from what the judge said. */
const overruled = ['goal_not_reached', 'nothing_left', 'judge_unreadable', 'replan_limit', 'step_limit', 'plan_goes_on']

function hasItsFields({ type, value }: StoredEvent): boolean {
  const known = (fields[type] ?? transitionFields).split(' ')
  if (!Object.keys(value).every((field) => known.includes(field) || known.includes(`${field}?`))) return false
  if (!known.every((field) => field.endsWith('?') || value[field] !== undefined)) return false
  if (/started|succeeded|scheduled/.test(type)) return value.reason_code === null
  if (type === 'step.progress') return (value.content_delta === undefined) === (value.tool_call_id !== undefined)
  if (type !== 'run.coordination.decision') return true
  if (!decisionReasons.includes(String(value.reason_code))) return false
  const judged = value.judge_decision as Value | undefined
  if (value.role !== 'judge') return judged === undefined
  const { decision, reason, ...more } = judged ?? {}
  const isAsSaid = decision === value.decision_type || overruled.includes(String(value.reason_code))
  return isAsSaid && typeof reason === 'string' && Object.keys(more).length === 0
}

const setsGoing = ['run.created', 'run.worker.retry_scheduled', 'run.signal_applied', 'run.input_received']

function followRequests({ events }: StoredRun): string[] {
  let current: unknown
  return events.flatMap((event) => {
    const { type, value } = event
    if (setsGoing.includes(type) || (type === 'run.resumed' && value.to_status === 'queued')) current = value.request_id
    const isOwn = type === 'run.cancelled' && value.reason_code === undefined
    return say(value.request_id !== undefined && value.request_id !== current && !isOwn, describe(event))
  })
}
