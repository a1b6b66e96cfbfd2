// Shows the events of a run as lines. Waits for people and the end of the run are shown elsewhere.
import type { EventPayload, RunEvent } from '@runwright/client'
import { safeText, shortLine } from '../output/safe-text.ts'
import type { Screen } from './screen.ts'
import type { StepNames } from './step-names.ts'
import { StepText } from './step-text.ts'

type Shown = { [Type in RunEvent['type']]?: (value: EventPayload<Type>) => Promise<void> | void }

const longestPreview = 100

/** Decisions that explain a pause. */
const notices: Readonly<Record<string, string>> = {
  provider_retry: 'The model provider failed. The call is repeated.',
  tool_retry: 'A tool is not available. The step waits for it.',
  model_fallback: 'The model failed. Another one takes over.',
  plan_goes_on: 'The judge sees the goal reached. The plan goes on.',
}

export class Progress {
  /** The text of the step that has ended last, if the screen shows it. */
  shownContent: string | undefined
  readonly #screen: Screen
  readonly #names: StepNames
  readonly #text: StepText
  readonly #streamed = new Set<string>()
  readonly #taskOfCall = new Map<string, string>()

  constructor(screen: Screen, names: StepNames) {
    this.#screen = screen
    this.#names = names
    this.#text = new StepText(screen)
  }

  /** Shows which steps the run has ended without. */
  async showSkipped(): Promise<void> {
    for (const name of await this.#names.skipped()) this.#screen.line(this.#screen.style.dim(`– ${name}: skipped`))
  }

  async show({ type, payload }: RunEvent): Promise<void> {
    const show = this.#shown[type] as ((value: unknown) => Promise<void> | void) | undefined
    await show?.(payload.value)
  }

  /** Shows what is left of lines that are not complete. */
  end(): void {
    this.#text.endAll()
    this.#screen.endLine()
  }

  readonly #shown: Shown = {
    'run.worker.started': () => this.#screen.wait('running'),
    'run.worker.stalled': ({ reason_code }) =>
      this.#say('!', `Stalled (${reason_code}). The service tries to go on by itself.`),
    'run.resumed': () => this.#say('↻', 'Resumed.'),
    'run.worker.retry_scheduled': () => this.#say('↻', 'The run is retried.'),
    'step.progress': (value) => this.#showProgress(value),
    'step.done': (value) => this.#showDone(value),
    'run.tool.invoked': (value) => this.#showCall(value),
    'run.coordination.decision': (value) => this.#showDecision(value),
  }

  #say(mark: string, text: string): void {
    this.#text.endAll()
    this.#screen.line(`${this.#screen.style.yellow(mark)} ${text}`)
  }

  async #showProgress(value: EventPayload<'step.progress'>): Promise<void> {
    const task = value.task_id ?? ''
    const { name } = await this.#names.find(task)
    this.#text.begin(task, name)
    this.#screen.wait(name)
    if (value.kind === 'content_delta') {
      this.#streamed.add(task)
      this.#text.push(task, value.content_delta ?? '')
    }
    if (value.kind === 'tool_call_start' && value.tool_name !== undefined) {
      if (value.tool_call_id) this.#taskOfCall.set(value.tool_call_id, task)
      const tool = shortLine(value.tool_name, longestPreview)
      this.#text.note(task, this.#screen.style.dim(`→ ${tool}`))
      this.#screen.wait(`${name}: ${tool}`)
    }
  }

  #showCall(value: EventPayload<'run.tool.invoked'>): void {
    const { style } = this.#screen
    const input = shortLine(value.tool_input_summary.preview ?? '', longestPreview)
    const output = shortLine(value.tool_output_summary.preview ?? '', longestPreview)
    const why = value.policy_reason_code ?? undefined
    const outcome =
      value.tool_outcome === 'succeeded'
        ? style.dim(output)
        : `${style.red(value.tool_outcome)} ${style.dim([why, output].filter(Boolean).join(' '))}`
    const call = `${shortLine(value.tool_name, longestPreview)} ${style.dim(input)}`
    const took = style.dim(`(${value.duration_ms} ms)`)
    this.#text.note(this.#taskOfCall.get(value.tool_call_id) ?? '', `← ${call} = ${outcome} ${took}`)
  }

  async #showDone({ task_id: task = '', ...done }: EventPayload<'step.done'>): Promise<void> {
    const { name, isTool } = await this.#names.find(task)
    const wasStreamed = this.#streamed.delete(task)
    const isShown = done.outcome === 'succeeded' && !isTool
    if (isShown && !wasStreamed) {
      this.#text.begin(task, name)
      this.#text.push(task, done.content)
    }
    this.#text.end(task)
    this.shownContent = isShown ? done.content : undefined
    this.#screen.line(this.#ending(name, done))
    this.#screen.wait('running')
  }

  #ending(name: string, done: Omit<EventPayload<'step.done'>, 'task_id'>): string {
    const { style } = this.#screen
    if (done.outcome === 'succeeded') return `${style.green('✓')} ${name}`
    // The end of the run, which follows, gives the reason.
    if (done.outcome === 'fail_run') return `${style.red('✗')} ${name}`
    const why = [done.reason_code, done.provider_error_message && safeText(done.provider_error_message)]
    return `${style.yellow('↻')} ${name}: ${why.filter(Boolean).join(': ') || 'failed'} Trying again.`
  }

  async #showDecision({ decision_type, reason_code, judge_decision }: EventPayload<'run.coordination.decision'>) {
    if (decision_type === 'replan') {
      const reason = judge_decision ? shortLine(judge_decision.reason, 300) : reason_code
      this.#say('↻', `Plans again: ${reason}`)
    } else if (reason_code === 'plan_ready') {
      const names = await this.#names.ofPlan()
      if (names.length > 0) this.#screen.line(this.#screen.style.dim(`Plan: ${names.join(', ')}`))
    } else if (reason_code === 'revision_requested') {
      this.#say(
        '↻',
        `The answer does not pass its rubric and is revised: ${shortLine(judge_decision?.reason ?? '', 300)}`,
      )
    } else if (notices[reason_code] !== undefined) {
      this.#say('↻', notices[reason_code])
    }
  }
}
