// Follows a run to its end: shows what happens, asks for the input it awaits, prints the result. Returns the exit code.
import { isTerminalEvent, type RunDetail, type RunEvent, type RunInclude, type RunStep } from '@runwright/client'
import type { Connection } from '../connection/connect.ts'
import { commandLine } from '../output/command-line.ts'
import { canAsk, type Io } from '../output/io.ts'
import { printJson, printText } from '../output/print.ts'
import { safeJson, safeText } from '../output/safe-text.ts'
import { describeAnswer } from './answers.ts'
import { Dialogue } from './dialogue.ts'
import { exitCodes } from './exit-codes.ts'
import { describeOutcome, exitCodeOf } from './outcome.ts'
import { Progress } from './progress.ts'
import type { Screen } from './screen.ts'
import { StepNames } from './step-names.ts'
import { renderHowToAnswer, renderWait } from './wait-panel.ts'

export interface FollowOptions {
  readonly io: Io
  readonly screen: Screen
  readonly connection: Connection
  readonly runId: string
  readonly json?: boolean | undefined
  /** Ctrl-C. */
  readonly interruption: AbortController
}

/** The reason of an interruption by a person. */
export const interrupted = Symbol('interrupted')

type WaitEvent = Extract<RunEvent, { type: 'run.awaiting_input' }>
const answerEvents: ReadonlySet<string> = new Set(['run.signal_applied', 'run.input_received'])

export async function followRun(options: FollowOptions): Promise<number> {
  try {
    return await new Follower(options).follow()
  } catch (error) {
    const { signal } = options.interruption
    if (!signal.aborted) throw error
    if (signal.reason !== interrupted) throw signal.reason
    sayHowToGoOn(options)
    return exitCodes.interrupted
  } finally {
    options.screen.rest()
  }
}

function sayHowToGoOn({ screen, runId }: FollowOptions): void {
  screen.rest()
  screen.endLine()
  screen.line('Stopped watching. The run goes on.')
  screen.line(`  Watch it:  ${commandLine(`watch ${runId}`)}`)
  screen.line(`  Cancel it: ${commandLine(`cancel ${runId}`)}`)
}

class Follower {
  readonly #options: FollowOptions
  readonly #progress: Progress
  #dialogue: Dialogue | undefined

  constructor(options: FollowOptions) {
    this.#options = options
    this.#progress = new Progress(options.screen, new StepNames(() => this.#readSteps()))
  }

  async follow(): Promise<number> {
    const { connection, runId, interruption, screen, io } = this.#options
    const { signal } = interruption
    if (canAsk(io)) ignoreTypeAhead(io)
    screen.wait('queued')
    let last: RunEvent | undefined
    try {
      for await (const event of connection.patient.events.stream(runId, { signal })) {
        last = event
        await this.#take(event)
      }
    } finally {
      await this.#endDialogue()
      this.#progress.end()
      screen.rest()
      io.stdin.pause()
    }
    if (last && isTerminalEvent(last)) await this.#progress.showSkipped()
    const run = await this.#read(['failure', 'usage'])
    return this.#end(run, last)
  }

  async #take(event: RunEvent): Promise<void> {
    const wasOurs = await this.#endDialogue()
    if (event.type === 'run.awaiting_input') await this.#beginWait(event)
    else if (answerEvents.has(event.type)) await this.#showAnswer(event.seq, wasOurs)
    else await this.#progress.show(event)
  }

  /** A wait of the past has an answer already: only the one that is still open is shown. */
  async #beginWait({ seq }: WaitEvent): Promise<void> {
    const { io, screen, connection, runId, interruption } = this.#options
    const { awaiting_input: wait } = await this.#read(['awaiting_input'])
    if (!wait || wait.seq !== seq) return
    this.#progress.end()
    // Only a person who has just signed in can answer some questions.
    if (canAsk(io) && !wait.reauth) {
      const onInterrupt = () => interruption.abort(interrupted)
      const { patient: client } = connection
      this.#dialogue = new Dialogue({ io, screen, client, target: connection, runId, wait, onInterrupt })
      // Awaited with the next event, which may not come for hours.
      this.#dialogue.done.then(
        () => screen.wait('awaiting input'),
        (error) => interruption.abort(error),
      )
    } else {
      screen.line(renderWait(wait, screen.style))
      screen.line(renderHowToAnswer(runId, wait))
    }
  }

  /** Returns whether the answer of the last dialogue was accepted. */
  async #endDialogue(): Promise<boolean> {
    const dialogue = this.#dialogue
    if (!dialogue) return false
    this.#dialogue = undefined
    dialogue.interrupt()
    await dialogue.done
    if (!dialogue.isAccepted) this.#options.screen.line()
    ignoreTypeAhead(this.#options.io)
    return dialogue.isAccepted
  }

  async #showAnswer(seq: number, isOurs: boolean): Promise<void> {
    const { screen } = this.#options
    const { signals = [] } = await this.#read(['signals'])
    // Those that were counted have the number of the one that ended the wait. Of several, any may be ours.
    const answers = signals.filter((signal) => signal.seq === seq)
    for (const answer of answers) {
      const mark = answer.action === 'reject' ? screen.style.red('✗') : screen.style.green('✓')
      screen.line(`${mark} ${describeAnswer(answer, isOurs && answers.length === 1)}`)
    }
    screen.wait('running')
  }

  #end(run: RunDetail, last: RunEvent | undefined): number {
    const { io, screen, json } = this.#options
    screen.line(describeOutcome(run, last, screen.style))
    if (json) printJson(io, run)
    else printResult(io, run, this.#progress.shownContent)
    return exitCodeOf(run, last)
  }

  async #readSteps(): Promise<readonly RunStep[]> {
    return (await this.#read(['steps'])).steps ?? []
  }

  #read(include: readonly RunInclude[]): Promise<RunDetail> {
    const { connection, runId, interruption } = this.#options
    return connection.patient.runs.get(runId, { include, signal: interruption.signal })
  }
}

/** Reads and drops what is typed before a question: it is not an answer to it. */
function ignoreTypeAhead({ stdin }: Io): void {
  if (stdin.isTTY) stdin.resume()
}

interface Result {
  readonly content: string
  readonly output: unknown
}

/**
 * The result of a run on stdout: its output as JSON if it has one, otherwise its text. On a terminal, a text that was
 * streamed there just before is not repeated.
 */
function printResult(io: Io, { event_payload }: RunDetail, shownContent: string | undefined): void {
  if (!isResult(event_payload.value)) return
  const { content, output } = event_payload.value
  const isTerminal = io.stdout.isTTY === true
  if (output !== null) printText(io, isTerminal ? safeJson(toText(output)) : toText(output))
  else if (!isTerminal) printText(io, content)
  else if (content !== shownContent) printText(io, safeText(content))
}

const toText = (output: unknown): string => JSON.stringify(output, null, 2)

const isResult = (value: unknown): value is Result =>
  typeof value === 'object' && value !== null && 'content' in value && typeof value.content === 'string'
