// For tests of the engine's parts without a database: one run with its real progress, ledger and context. What would go
// to the run log is kept, models answer what the test says, and tools are watched.
import type { Plan, Role } from '@runwright/contract'
import { z } from 'zod'
import { parsePlan } from '../../src/domain/plan/plan.ts'
import type { Answer } from '../../src/domain/run/answer-log.ts'
import { type JournalEntry, readJournalEntry } from '../../src/domain/run/journal.ts'
import type { Task } from '../../src/domain/run/next-move.ts'
import { RunProgress } from '../../src/domain/run/progress.ts'
import { defaultAgentLimits, defaultProviderRetry } from '../../src/engine/context/agent-limits.ts'
import type { EngineParts } from '../../src/engine/context/engine-parts.ts'
import { ExecutionContext } from '../../src/engine/context/execution-context.ts'
import { type Lease, permanentLease } from '../../src/engine/context/lease.ts'
import { RunLedger } from '../../src/engine/ledger/run-ledger.ts'
import type { Slot } from '../../src/engine/run-execution.ts'
import { Breakers } from '../../src/models/breaker.ts'
import type { Model, ModelFailure, ModelOutcome, ModelReply, ModelRequest } from '../../src/models/port/model.ts'
import { sandbox } from '../../src/models/sandbox/sandbox.ts'
import type { Logger } from '../../src/runtime/logger.ts'
import type { ChangeOutcome, NewEvent, NewUsage, RunChange } from '../../src/store/run-log/run-change.ts'
import type { ClaimedRun } from '../../src/store/run-log/run-claimer.ts'
import type { RunLog } from '../../src/store/run-log/run-log.ts'
import { ToolCatalogue } from '../../src/tools/port/catalogue.ts'
import type { Tool, ToolCallContext } from '../../src/tools/port/tool.ts'
import { testSchemas } from './schemas.ts'

export const runId = '01890000-0000-7000-8000-000000000000'

const claimedRun = (part: Partial<ClaimedRun> = {}): ClaimedRun => ({
  id: runId,
  customerId: 'acme',
  workspaceId: null,
  subjectId: null,
  runClass: 'default',
  epoch: 3,
  attempt: 1,
  tokens: 0,
  recoveries: 0,
  lostWorkers: 0,
  requestId: 'req_test',
  was: 'queued',
  isFresh: true,
  remainingMs: 3_600_000,
  routing: { first_role: 'worker' },
  attachmentRefs: undefined,
  streaming: true,
  tokenLimit: 1_000_000,
  durationSeconds: 3_600,
  signalTimeoutSeconds: 60,
  input: { question: 'How much?' },
  metadata: {},
  plan: undefined,
  secrets: undefined,
  ...part,
})

/** Keeps the changes; answers that each was applied unless the test says otherwise. */
class FakeRunLog {
  readonly changes: RunChange[] = []
  answer: (change: RunChange) => ChangeOutcome | Promise<ChangeOutcome> = () => applied

  apply = async (change: RunChange): Promise<ChangeOutcome> => {
    this.changes.push(change)
    return this.answer(change)
  }

  get events(): NewEvent[] {
    return this.changes.flatMap(({ events = [] }) => events)
  }

  get journal(): { readonly key: string; readonly body: unknown }[] {
    return this.changes.flatMap(({ journal = [] }) => journal)
  }

  get usage(): NewUsage[] {
    return this.changes.flatMap(({ usage = [] }) => usage)
  }

  /** Decisions as `role decision reason`. */
  get decisions(): string[] {
    return this.events
      .filter(({ type }) => type === 'run.coordination.decision')
      .map(({ payload }) => `${payload.role} ${payload.decision_type} ${payload.reason_code}`)
  }
}

export const applied: ChangeOutcome = { outcome: 'applied', was: 'running', epoch: 3, firstSeq: 1, at: new Date(0) }

type WirePlan = Pick<Plan, 'steps'> & { readonly goal?: string }

export interface FakeOptions {
  readonly run?: Partial<ClaimedRun>
  /** The client's plan; left out: there is none. */
  readonly plan?: WirePlan
  readonly startsWithPlanner?: boolean
  /** What the run has journaled in an earlier life. */
  readonly journal?: readonly { readonly key: string; readonly body: unknown }[]
  readonly answers?: readonly Answer[]
  readonly models?: Partial<Record<Role, readonly Model[]>>
  readonly tools?: readonly Tool<Record<string, unknown>>[]
  readonly parts?: Partial<EngineParts>
  /** Left out: one that is never lost. */
  readonly lease?: Lease
}

const anyTool = { has: () => true }
const anyAgent = { has: () => true, names: [] }

export function fakeProgress({ plan, startsWithPlanner = false, journal = [], answers = [] }: FakeOptions = {}) {
  const progress = new RunProgress({
    givenPlan: plan && parsePlan(plan, anyTool, { agents: anyAgent }),
    startsWithPlanner,
    attempt: 1,
    readPlan: (given) => parsePlan(given, anyTool, { literalBraces: true, agents: anyAgent }),
  })
  progress.restore(
    journal.map(({ key, body }) => readJournalEntry(key, body) as JournalEntry),
    answers,
  )
  return progress
}

export interface FakeExecution {
  readonly context: ExecutionContext
  readonly ledger: RunLedger
  readonly log: FakeRunLog
  readonly controller: AbortController
  /** What was logged, as `level message`. */
  readonly logged: string[]
  /** For an execution whose slot no other customer needs. */
  readonly hold: { readonly slot: Slot; readonly lease: Lease }
  /** The tasks that can start now. */
  readonly tasks: () => readonly Task[]
}

export function fakeExecution(options: FakeOptions = {}): FakeExecution {
  const log = new FakeRunLog()
  const logged: string[] = []
  const keep = (level: string) => (_: unknown, message: string) => void logged.push(`${level} ${message}`)
  const ledger = new RunLedger(claimedRun(options.run), fakeProgress(options), log as unknown as RunLog)
  const controller = new AbortController()
  const parts: EngineParts = {
    models: { planner: [sandbox], worker: [sandbox], judge: [sandbox], ...options.models },
    breakers: new Breakers(),
    schemas: testSchemas.runs,
    catalogue: new ToolCatalogue((options.tools ?? []) as unknown as readonly Tool[]),
    recovery: { delaySeconds: 10, maxRecoveries: 3 },
    stepTimeoutSeconds: 600,
    limits: defaultAgentLimits,
    providerRetry: defaultProviderRetry,
    logger: { warn: keep('warn'), error: keep('error') } as unknown as Logger,
    ...options.parts,
  }
  const { lease = permanentLease() } = options
  const context = new ExecutionContext(parts, ledger, { controller, lease })
  const tasks = () => {
    const move = ledger.progress.next(new Set())
    if (move.kind !== 'work') throw new Error(`the next move is ${move.kind}`)
    return move.tasks
  }
  const hold = { slot: { isWanted: false, giveBack: () => undefined, stepFinished: () => undefined }, lease }
  return { context, ledger, log, controller, logged, tasks, hold }
}

export const reply = (text: string, part: Partial<ModelReply> = {}): ModelReply => ({
  kind: 'reply',
  text,
  toolCalls: [],
  finish: 'complete',
  usage: { total: 10 },
  ...part,
})

export const failure = (part: Partial<ModelFailure> = {}): ModelFailure => ({
  kind: 'failure',
  reasonCode: 'provider_unavailable',
  message: 'not now',
  retry: 'call',
  text: '',
  usage: undefined,
  ...part,
})

type Given = ModelOutcome | ((request: ModelRequest) => ModelOutcome | Promise<ModelOutcome>)

export interface FakeModel extends Model {
  /** What it was asked, prompts read. */
  readonly requests: ModelRequest[]
}

/** Answers with these in turn, and fails the test when it is asked more often. */
export function fakeModel(name: string, ...outcomes: Given[]): FakeModel {
  const requests: ModelRequest[] = []
  return {
    name,
    requests,
    respond: async (request) => {
      const outcome = outcomes[requests.length]
      requests.push({ ...request })
      if (outcome === undefined) throw new Error(`${name} was asked ${requests.length} times`)
      return typeof outcome === 'function' ? outcome(request) : outcome
    },
  }
}

/** The text of all messages of a request. */
export const promptOf = (request: ModelRequest | undefined): string =>
  (request?.messages ?? []).map((message) => ('text' in message ? message.text : JSON.stringify(message))).join('\n')

export interface FakeTool extends Tool<Record<string, unknown>> {
  readonly calls: { readonly input: unknown; readonly context: ToolCallContext }[]
}

type ToolPart = Partial<Omit<Tool<Record<string, unknown>>, 'run'>> & {
  readonly effect?: 'read' | 'idempotent' | 'once'
  readonly run?: (input: Record<string, unknown>, context: ToolCallContext) => unknown
}

export function fakeTool(name: string, { effect = 'read', run = () => 'ok', ...part }: ToolPart = {}): FakeTool {
  const calls: FakeTool['calls'] = []
  return {
    name,
    description: `Is ${name}.`,
    input: z.looseObject({}),
    effectOf: () => effect,
    timeoutSeconds: 5,
    ...part,
    calls,
    run: async (input, context) => {
      calls.push({ input, context })
      return run(input, context)
    },
  }
}
