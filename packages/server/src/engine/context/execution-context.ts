// What all parts of one run's execution share: its ledger, models, tools, clock and abort signal.
import type { StepOf } from '../../runs/step-events.ts'
import { derivedWireId } from '../../runtime/derived-ids.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import { noLine } from '../../runtime/watchdog/work-board.ts'
import type { ClaimedRun } from '../../store/run-log/run-claimer.ts'
import { usableRules } from '../../tools/policy/usable-rules.ts'
import type { Tools } from '../../tools/port/catalogue.ts'
import type { Tool } from '../../tools/port/tool.ts'
import type { RunLedger } from '../ledger/run-ledger.ts'
import { type AbortReason, throwIfAborted } from './abort-reason.ts'
import type { CallScope } from './call-scope.ts'
import type { EngineParts } from './engine-parts.ts'
import { callToolTool, findToolsTool } from './find-tools.ts'
import type { Lease } from './lease.ts'
import { loadSkillTool } from './load-skill.ts'
import { logFields } from './log-fields.ts'
import { PromptInputs } from './prompt-inputs.ts'
import { readResultTool } from './read-result.ts'
import { noAgents, openAgents, type RunAgents } from './run-agents.ts'
import { RunClock } from './run-clock.ts'
import { RunModels } from './run-models.ts'
import { RunTokens } from './run-tokens.ts'
import { SendState } from './send-state.ts'
import { watchedTools } from './watched-calls.ts'

/** What can end the execution. */
interface Grip {
  readonly controller: AbortController
  readonly lease: Lease
}

export class ExecutionContext {
  readonly parts: EngineParts
  readonly ledger: RunLedger
  readonly lease: Lease
  readonly signal: AbortSignal
  /** Stops the execution. The reason decides what happens to the run. */
  readonly abort: (reason: AbortReason) => void
  readonly clock: RunClock
  readonly tokens: RunTokens
  readonly models: RunModels
  /** The service's tools, and those that exist only within a run. */
  readonly catalogue: Tools
  readonly inputs: PromptInputs
  readonly sends = new SendState()
  /** Waits whose decision event is already written, because other tasks were executing when the decision was made. */
  readonly announcedWaits = new Set<string>()
  /** What calls of `find_tools` and `load_skill` can look for, by their ids: what their step has. */
  readonly scopes = new Map<string, CallScope>()
  #agents: RunAgents = noAgents
  #policyCaller: Pick<ClaimedRun, 'customerId' | 'metadata'>

  constructor(parts: EngineParts, ledger: RunLedger, { controller, lease }: Grip) {
    const { run } = ledger
    const line = parts.board?.lineOf(run.id) ?? noLine
    this.#policyCaller = { customerId: run.customerId, metadata: run.metadata }
    this.parts = parts
    this.ledger = ledger
    this.lease = lease
    this.signal = controller.signal
    this.abort = (reason) => controller.abort(reason)
    this.clock = new RunClock(run, lease)
    this.tokens = new RunTokens(ledger, parts)
    this.models = new RunModels(parts, { run, tokens: this.tokens, line })
    const findTools = findToolsTool((callId) => this.scopes.get(callId)?.searched ?? [])
    const loadSkill = loadSkillTool((callId) => this.scopes.get(callId)?.skills ?? [])
    const ofRun = [readResultTool(resultsOf(ledger)), findTools, callToolTool, loadSkill] as Tool[]
    this.catalogue = watchedTools(parts.catalogue.with(...ofRun), line)
    this.inputs = new PromptInputs(this)
  }

  get run(): ClaimedRun {
    return this.ledger.run
  }

  get agents(): RunAgents {
    return this.#agents
  }

  /** Called before the first step. A planner may use agents although the run and its plan name none. */
  async openAgents(user: 'run' | 'planner' = 'run'): Promise<void> {
    if (this.#agents !== noAgents) return
    // The sandbox reads no prompt, so it is not told about agents.
    const plans = user === 'planner' && this.models.planner.some(({ readsPrompt }) => readsPrompt !== false)
    const works = this.models.worker.some(({ readsPrompt }) => readsPrompt !== false)
    this.#agents = await openAgents({ ledger: this.ledger, source: this.parts.agents, plans, works })
  }

  /** For whom the policy decides: the run, with its own rules as far as they can be used. */
  get policyCaller(): Pick<ClaimedRun, 'customerId' | 'metadata'> {
    return this.#policyCaller
  }

  /** Called before the first step. */
  async openRules(): Promise<void> {
    const { customerId, metadata } = this.run
    const caller = { customerId, signal: this.signal }
    const onUnchecked = (tool: string, end: string) => {
      if (this.signal.aborted) return
      const fields = { ...logFields(this.run, this.parts.observer), tool, end }
      this.parts.logger.warn(fields, 'the approval_schema of a rule of the run could not be checked; the rule applies')
    }
    const usable = await usableRules(metadata, { schemas: this.parts.schemas, caller, onUnchecked })
    throwIfAborted(this.signal)
    this.#policyCaller = { customerId, metadata: usable }
  }

  stepOf(taskKey: string): StepOf {
    return { requestId: this.run.requestId, taskId: derivedWireId('task', this.run.id, taskKey) }
  }

  /** Called before the first step: to hide the secrets of a large input takes long. */
  async hideSecrets(): Promise<void> {
    const { secrets } = this.run
    if (!secrets) return
    await yieldToEventLoop()
    await runSliced(secrets.prepareShown())
  }

  /** To search a large value for many secrets takes long. Other requests are served before the next search. */
  async yieldToEventLoop(): Promise<void> {
    if (this.run.secrets) await yieldToEventLoop()
  }

  /** How much of a streamed text can be shown before the rest is known. Undefined: all of it. */
  get safeLength(): ((text: string) => number) | undefined {
    const { secrets } = this.run
    return secrets && ((text) => secrets.safeLength(text))
  }
}

const resultsOf = ({ progress }: RunLedger): Parameters<typeof readResultTool>[0] => ({
  calls: progress.turns.results,
  contentOf: (stepId) =>
    progress.finished.findLast((step) => step.stepId === stepId && step.kind !== 'planner')?.content,
})
