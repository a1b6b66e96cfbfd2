// What must be true when the faults are over: of every history, of the shop, of webhooks and schedules.
import type { Effect } from '../shop/shop-server.ts'
import { rightHash, type ShopTask } from '../shop/shop-tasks.ts'
import { ShopWorld } from '../shop/shop-world.ts'
import type { LogEntry, Operation } from './history.ts'
import { findUnexplained } from './linearize.ts'
import { tellOperation, tellStory } from './story.ts'

/** A run as the database has it at the end. */
export interface FinalRun {
  readonly id: string
  readonly state: string
  /** The idempotency key of its create. */
  readonly key: string
  readonly log: readonly LogEntry[]
}

/** A run as the clients know it. */
export interface KnownRun {
  readonly key: string
  readonly kind: string
  readonly task: ShopTask | undefined
  readonly acknowledged: ReadonlySet<string>
  readonly history: { readonly operations: readonly Operation[] }
}

/** A broken promise. */
export interface Violation {
  readonly rule: string
  readonly what: string
  /** Of the run that it is about. */
  readonly story?: string
}

/** Every acknowledged create is one run, and every run was asked for. */
export function judgeCreates(known: readonly KnownRun[], runs: readonly FinalRun[]): Violation[] {
  const rule = 'a create is one run'
  const byKey = groupByKey(runs)
  const keys = new Set(known.map(({ key }) => key))
  const wrong = known.flatMap(({ key, acknowledged }) => {
    const found = byKey.get(key) ?? []
    const lost = [...acknowledged].filter((id) => !found.some((run) => run.id === id))
    return [
      ...lost.map((id) => ({ rule, what: `${id} was acknowledged for ${key} and is not there` })),
      ...(found.length > 1 ? [{ rule, what: `${key} made ${found.map(({ id }) => id).join(' and ')}` }] : []),
      ...(acknowledged.size > 1 ? [{ rule, what: `${key} was answered with ${[...acknowledged].join(' and ')}` }] : []),
    ]
  })
  const strange = runs.filter(({ key }) => !keys.has(key) && !isOfSchedule(key))
  return [...wrong, ...strange.map(({ id, key }) => ({ rule, what: `nobody asked for ${id} (${key})` }))]
}

function groupByKey(runs: readonly FinalRun[]): Map<string, FinalRun[]> {
  const groups = new Map<string, FinalRun[]>()
  for (const run of runs) groups.set(run.key, [...(groups.get(run.key) ?? []), run])
  return groups
}

const isOfSchedule = (key: string) => key.startsWith('sched')

/** Every answer can be explained by one order of changes. */
export function judgeHistories(known: readonly KnownRun[], runs: readonly FinalRun[]): Violation[] {
  const byKey = groupByKey(runs)
  return known.flatMap(({ key, history }) => {
    const [run] = byKey.get(key) ?? []
    if (!run) return []
    const found = findUnexplained(run.log, history.operations)
    if (!found) return []
    const pending = found.operations.slice(0, 5).map(tellOperation).join('\n')
    const what = `${run.id}: ${found.problem}, after event ${found.reached}\n${pending}`
    return [{ rule: 'histories are linearizable', what, story: tellStory(run.id, run.log, history.operations) }]
  })
}

/** All runs have ended, and well, unless a client cancelled. */
export function judgeEnds(known: readonly KnownRun[], runs: readonly FinalRun[]): Violation[] {
  const kinds = new Map(known.map(({ key, kind }) => [key, kind]))
  const mayBe = (key: string) => (kinds.get(key) === 'cancel' ? ['succeeded', 'cancelled'] : ['succeeded'])
  return runs.flatMap(({ id, key, state, log }) => {
    if (mayBe(key).includes(state)) return []
    const operations = known.find((record) => record.key === key)?.history.operations ?? []
    return [{ rule: 'every run ends well', what: `${id} (${key}) is ${state}`, story: tellStory(id, log, operations) }]
  })
}

/** No call is made twice. `toldLate` are those that the service itself says may have left too late. */
export function judgeCalls(effects: readonly Effect[], toldLate: number, runs: readonly FinalRun[] = []): Violation[] {
  const seen = new Set<string>()
  const twice = effects.filter(({ key }) => seen.size === seen.add(key).size)
  return twice.slice(toldLate).map(({ key, action }) => {
    const times = effects.filter((effect) => effect.key === key).map(({ at }) => `at ${(at / 1000).toFixed(3)}`)
    const run = runs.find(({ log }) => log.some(({ payload }) => payload.tool_call_id === key))
    const what = `${key}: ${JSON.stringify(action)} ${times.join(', ')}`
    return { rule: 'a once call is made once', what, ...(run && { story: tellStory(run.id, run.log, []) }) }
  })
}

/** Each task of the shop: its effects once, in the order of its stages. */
export function judgeShop(tasks: readonly ShopTask[], all: readonly Effect[]): Violation[] {
  const rule = 'the shop ends in the right state'
  const names = (actions: readonly { readonly name: string; readonly sku?: string }[]) =>
    actions.map(({ name, sku }) => `${name} ${sku ?? ''}`.trim())
  const wrong = tasks.flatMap(({ id, stages }) => {
    const done = all.filter(({ action }) => action.order === `order-${id}`).map(({ action }) => action)
    let at = 0
    const sorted = stages.flatMap((stage) => {
      const part = names(done.slice(at, at + stage.length)).sort()
      at += stage.length
      return part
    })
    const right = stages.flatMap((stage) => names(stage).sort())
    const isRight = done.length === at && sorted.join() === right.join()
    return isRight ? [] : [{ rule, what: `task ${id}: ${names(done).join(', ')}; right: ${right.join(', ')}` }]
  })
  const world = new ShopWorld()
  const orders = new Set(tasks.map(({ id }) => `order-${id}`))
  for (const { action } of all) if (orders.has(action.order)) world.apply(action)
  if (wrong.length === 0 && world.hash !== rightHash(tasks))
    return [{ rule, what: 'the hash of its state is another one' }]
  return wrong
}

export interface Message {
  readonly id: string
  readonly body: string
}

/** At least one message for each event that was asked for, and none about what did not happen. */
export function judgeWebhooks(
  types: readonly string[],
  messages: readonly Message[],
  runs: readonly FinalRun[],
): Violation[] {
  const rule = 'a webhook message for each event'
  const bodies = new Map<string, string>()
  const changed = messages.filter(({ id, body }) => (bodies.get(id) ?? body) !== body || !bodies.set(id, body))
  const due = runs.flatMap(({ id, log }) =>
    log.filter(({ type }) => types.includes(type)).map(({ seq }) => `${id}_${seq}`),
  )
  const dueIds = new Set(due)
  return [
    ...due.filter((id) => !bodies.has(id)).map((id) => ({ rule, what: `${id} never came` })),
    ...[...bodies.keys()].filter((id) => !dueIds.has(id)).map((id) => ({ rule, what: `${id} came for no event` })),
    ...changed.map(({ id }) => ({ rule, what: `${id} came with two bodies` })),
  ]
}
