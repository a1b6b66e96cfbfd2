// The parts that `include` adds to one run or to the runs of a list. Each is read for all runs with one statement.
import type { AwaitingInput, ForkedFrom, RunAgent, RunLimits, RunListInclude, RunUsage } from '@runwright/contract'
import type { CurrentAgents } from '../../../agents/definitions/agent-set.ts'
import { escalatesTooLate } from '../../../domain/plan/approval-rules.ts'
import type { RunState } from '../../../domain/run/states.ts'
import { toWireId } from '../../../runtime/ids.ts'
import type { Database } from '../../../store/postgres/database.ts'
import { findFailures } from '../../../store/runs/failures.ts'
import { findRunAgents, type RunAgentRecord } from '../../../store/runs/run-agents.ts'
import {
  findLimits,
  findOrigins,
  findOutputs,
  findRunUsages,
  findTitles,
  findWaits,
  type LimitsRecord,
  type OriginRecord,
  type RunUsageRecord,
  type WaitRecord,
} from '../../../store/runs/run-parts.ts'
import type { SealingKeys } from '../../../store/sealed/sealing-keys.ts'
import { failureView } from './failure-view.ts'
import { readDecisions } from './open-decisions.ts'
import { questionView } from './question-view.ts'
import { readSteps } from './run-steps.ts'

export interface PartSources {
  readonly database: Database
  readonly agents: CurrentAgents
  readonly keys: SealingKeys
}

interface RunKeys {
  readonly customerId: string
  readonly ids: readonly string[]
}

type PartReader = (sources: PartSources, runs: RunKeys) => Promise<Map<string, unknown>>

type Find<Found> = (database: Database, customerId: string, ids: readonly string[]) => Promise<Map<string, Found>>

const reader =
  <Found>(find: Find<Found>, view: (found: Found, sources: PartSources) => unknown): PartReader =>
  async (sources, { customerId, ids }) => {
    const found = await find(sources.database, customerId, ids)
    return new Map([...found].map(([id, part]) => [id, view(part, sources)]))
  }

export type RunPart = Exclude<RunListInclude, 'result'>

const readers: Readonly<Record<RunPart, PartReader>> = {
  title: reader(findTitles, (title) => title),
  agent: reader(findRunAgents, agentView),
  awaiting_input: readWaits,
  failure: reader(findFailures, failureView),
  limits: reader(findLimits, limitsView),
  usage: reader(findRunUsages, usageView),
  forked_from: reader(findOrigins, originView),
  steps: readSteps,
  output: reader(findOutputs, (output) => JSON.parse(output)),
}

export const isRunPart = (name: string): name is RunPart => Object.hasOwn(readers, name)

/** Whether a run in this state can have the part. If not, it is null, and nothing is read. */
const canHave: Readonly<Partial<Record<RunPart, (state: RunState) => boolean>>> = {
  awaiting_input: (state) => state === 'awaiting_input',
  failure: (state) => state === 'failed',
  output: (state) => state === 'succeeded',
}

interface RunsToComplete {
  readonly customerId: string
  readonly runs: readonly { readonly id: string; readonly state: RunState }[]
}

/** The parts of each run by name, in the order of `names`. A part that the run does not have is null. */
export async function readParts(
  sources: PartSources,
  { customerId, runs }: RunsToComplete,
  names: readonly RunPart[],
): Promise<(id: string) => Record<string, unknown>> {
  const parts = await Promise.all(
    names.map(async (name) => {
      const ids = runs.filter(({ state }) => canHave[name]?.(state) ?? true).map(({ id }) => id)
      return [name, ids.length > 0 ? await readers[name](sources, { customerId, ids }) : undefined] as const
    }),
  )
  return (id) => Object.fromEntries(parts.map(([name, found]) => [name, found?.get(id) ?? null]))
}

/** Before the first execution the metadata counts, if the service has agents. */
function agentView({ named, began }: RunAgentRecord, { agents }: PartSources): RunAgent | null {
  if (began) return { name: began.agent?.name ?? null, hash: began.agent?.hash ?? null, set_hash: began.set }
  return named !== null && agents.current ? { name: named, hash: null, set_hash: null } : null
}

async function readWaits(sources: PartSources, { customerId, ids }: RunKeys): Promise<Map<string, AwaitingInput>> {
  return waitViews(sources, customerId, await findWaits(sources.database, customerId, ids))
}

export async function waitViews(
  sources: PartSources,
  customerId: string,
  waits: ReadonlyMap<string, WaitRecord>,
): Promise<Map<string, AwaitingInput>> {
  const open = [...waits].map(([id, { seq, votes }]) => ({ id, seq, votes }))
  const decisions = await readDecisions(sources, customerId, open)
  return new Map([...waits].map(([id, wait]) => [id, { ...waitView(wait), decisions: decisions.get(id) ?? [] }]))
}

function waitView(wait: WaitRecord): Omit<AwaitingInput, 'decisions'> {
  const [since, expires_at] = [wait.since.toISOString(), wait.expiresAt.toISOString()]
  const { escalate_to, escalate_after_seconds: after = 0 } = wait.rules
  const waitSeconds = (wait.expiresAt.getTime() - wait.since.getTime()) / 1000
  const escalates = escalate_to !== undefined && !escalatesTooLate(wait.rules, waitSeconds)
  const escalates_at = escalates ? new Date(wait.since.getTime() + after * 1000).toISOString() : null
  return { seq: wait.seq, ...questionView(wait), escalates_at, since, expires_at }
}

function limitsView({ tokens, durationSeconds, signalTimeoutSeconds }: LimitsRecord): RunLimits {
  return { tokens, duration_seconds: durationSeconds, signal_timeout_seconds: signalTimeoutSeconds }
}

function originView({ runId, stepId }: OriginRecord): ForkedFrom {
  return { run_id: toWireId('run', runId), step_id: stepId }
}

function usageView({ tokens, steps, toolCalls }: RunUsageRecord): RunUsage {
  return { tokens, steps, tool_calls: toolCalls }
}
