// Folds events into the story, one at a time. A step that does not change keeps its object, so that only the cards that
// changed are rendered again.
import { isTerminalEvent, type RunEvent } from '@runwright/client'
import {
  emptyStory,
  type Story,
  type StoryAttempt,
  type StoryCall,
  type StoryDecision,
  type StoryStep,
} from './story.ts'

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

export class StoryTeller {
  readonly #steps = new Map<string, StoryStep>()
  /** Which step made a call: the event of its result names only the call. */
  readonly #stepOfCall = new Map<string, string>()
  #rest: Omit<Story, 'steps'> = emptyStory
  // Apart from the rest, because they change with every event.
  #lastAt: string | undefined
  #newsSeq = 0
  /** The last moment at which a step may have begun: a start of the run, an answer, or the end of another step. */
  #lastTurn = ''
  /** The step that the last event ended: a decision right after it is about it. */
  #justEnded: string | undefined

  add(event: RunEvent): void {
    const { types } = this.#rest
    if (!types.includes(event.type)) this.#rest = { ...this.#rest, types: [...types, event.type] }
    this.#lastAt = event.timestamp
    if (event.type !== 'step.progress') this.#newsSeq = event.seq
    const justEnded = this.#justEnded
    this.#justEnded = undefined
    this.#tell(event, justEnded)
    if (isTerminalEvent(event)) {
      this.#endRunning(event, { state: 'stopped' })
      this.#rest = { ...this.#rest, endedAt: event.timestamp }
    }
  }

  story(): Story {
    return {
      ...this.#rest,
      lastAt: this.#lastAt,
      newsSeq: this.#newsSeq,
      steps: [...this.#steps.values()],
    }
  }

  #tell(event: RunEvent, justEnded: string | undefined): void {
    switch (event.type) {
      case 'run.created':
        this.#rest = { ...this.#rest, createdAt: event.timestamp }
        break
      case 'run.worker.started':
      case 'run.worker.retry_scheduled':
      case 'run.resumed':
        this.#goOn(event.timestamp)
        break
      case 'step.progress':
        this.#progress(event)
        break
      case 'step.done':
        this.#endStep(event)
        break
      case 'run.tool.invoked':
        this.#endCall(event)
        break
      case 'run.coordination.decision':
        this.#decide(event, justEnded)
        break
      case 'run.signal_applied':
      case 'run.input_received':
        this.#lastTurn = event.timestamp
        break
      case 'run.worker.stalled':
        this.#rest = { ...this.#rest, reasonCode: event.payload.value.reason_code ?? undefined }
        this.#endRunning(event, { state: 'lost', reasonCode: this.#rest.reasonCode })
        break
      case 'run.cancelled':
        this.#rest = { ...this.#rest, reasonCode: event.payload.value.reason_code }
        break
    }
  }

  #goOn(at: string): void {
    this.#lastTurn = at
    const { startedAt } = this.#rest
    this.#rest = { ...this.#rest, startedAt: startedAt ?? at, endedAt: undefined, reasonCode: undefined }
  }

  /** The step of the event, begun or begun again if needed. */
  #stepFor(taskId: string, { seq, timestamp }: RunEvent): StoryStep {
    const step = this.#steps.get(taskId)
    const attempt = { notBefore: this.#lastTurn || timestamp, endedAt: undefined }
    if (!step) {
      return {
        taskId,
        firstSeq: seq,
        lastSeq: seq,
        state: 'running',
        text: '',
        calls: [],
        decisions: [],
        attempts: [attempt],
        reasonCode: undefined,
        message: undefined,
      }
    }
    if (step.state === 'running') return { ...step, lastSeq: seq }
    return {
      ...step,
      lastSeq: seq,
      state: 'running',
      text: '',
      calls: [],
      reasonCode: undefined,
      message: undefined,
      attempts: [...leave(step), attempt],
    }
  }

  #progress(event: EventOf<'step.progress'>): void {
    const { task_id = '', kind, content_delta, tool_call_id, tool_name } = event.payload.value
    const step = this.#stepFor(task_id, event)
    if (kind === 'content_delta') this.#steps.set(task_id, { ...step, text: step.text + (content_delta ?? '') })
    else if (kind === 'tool_call_start' && tool_call_id !== undefined) {
      this.#stepOfCall.set(tool_call_id, task_id)
      const call = startedCall(tool_call_id, tool_name ?? '', event.timestamp)
      const others = step.calls.filter(({ id }) => id !== tool_call_id)
      this.#steps.set(task_id, { ...step, calls: [...others, call] })
    } else this.#steps.set(task_id, step)
  }

  #endStep(event: EventOf<'step.done'>): void {
    const { task_id = '', content, outcome, reason_code, provider_error_message } = event.payload.value
    const step = this.#stepFor(task_id, event)
    this.#steps.set(task_id, {
      ...ended(step, event.timestamp),
      state: outcome === 'succeeded' ? 'succeeded' : outcome === 'retry_step' ? 'retrying' : 'failed',
      text: content === '' && outcome !== 'succeeded' ? step.text : content,
      reasonCode: reason_code,
      message: provider_error_message,
    })
    this.#lastTurn = event.timestamp
    this.#justEnded = task_id
  }

  #endCall({ payload: { value }, timestamp, seq }: EventOf<'run.tool.invoked'>): void {
    const taskId = this.#stepOfCall.get(value.tool_call_id) ?? this.#latestRunning()
    const step = taskId === undefined ? undefined : this.#steps.get(taskId)
    if (taskId === undefined || !step) return
    const started = step.calls.find(({ id }) => id === value.tool_call_id)
    const call: StoryCall = {
      ...(started ?? startedCall(value.tool_call_id, value.tool_name, timestamp)),
      state: value.tool_outcome,
      durationMs: value.duration_ms,
      input: value.tool_input_summary,
      output: value.tool_output_summary,
      policyReason: value.policy_reason_code,
    }
    const calls = started ? step.calls.map((one) => (one === started ? call : one)) : [...step.calls, call]
    this.#steps.set(taskId, { ...step, lastSeq: seq, calls })
  }

  /** What had begun is not continued: if the run goes on, the next attempt starts from the beginning. */
  #endRunning({ timestamp }: RunEvent, end: Pick<StoryStep, 'state'> & Partial<StoryStep>): void {
    for (const step of this.#steps.values()) {
      if (step.state === 'running') this.#steps.set(step.taskId, { ...ended(step, timestamp), ...end })
    }
  }

  /** For a call that was denied before it began. */
  #latestRunning(): string | undefined {
    return [...this.#steps.values()].findLast(({ state }) => state === 'running')?.taskId
  }

  #decide(
    { seq, timestamp, payload: { value } }: EventOf<'run.coordination.decision'>,
    about: string | undefined,
  ): void {
    const decision: StoryDecision = {
      seq,
      at: timestamp,
      role: value.role,
      type: value.decision_type,
      reasonCode: value.reason_code,
      words: value.judge_decision?.reason,
    }
    const step = about === undefined ? undefined : this.#steps.get(about)
    if (!step) {
      this.#rest = { ...this.#rest, decisions: [...this.#rest.decisions, decision] }
      return
    }
    this.#steps.set(step.taskId, { ...step, decisions: [...step.decisions, decision] })
    this.#justEnded = about
  }
}

const withLast = (attempts: StoryStep['attempts'], change: Partial<StoryAttempt>): StoryStep['attempts'] => {
  const [first, ...more] = attempts
  const last = { ...(more.pop() ?? first), ...change }
  return attempts.length === 1 ? [last] : [first, ...more, last]
}

/** The attempts so far, with what the last one leaves behind. */
const leave = ({ attempts, text, calls, reasonCode, message }: StoryStep): StoryStep['attempts'] =>
  withLast(attempts, { left: { text, calls, reasonCode, message } })

/** The calls of an attempt end with it. Those still open may have been made or not. */
const ended = (step: StoryStep, at: string): StoryStep => ({
  ...step,
  attempts: withLast(step.attempts, { endedAt: at }),
  calls: step.calls.map((call) => (call.state === 'running' ? { ...call, state: 'unknown' } : call)),
})

const startedCall = (id: string, name: string, startedAt: string): StoryCall => ({
  id,
  name,
  state: 'running',
  startedAt,
  durationMs: undefined,
  input: undefined,
  output: undefined,
  policyReason: null,
})
