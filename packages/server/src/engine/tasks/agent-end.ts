// How an agent step ends, without secrets.
import type { LoopDecision, WorkerTurn } from '../../agents/worker-loop.ts'
import type { ReplyEntry } from '../../domain/run/journal.ts'
import type { Task } from '../../domain/run/next-move.ts'
import type { SecretKeeper } from '../../domain/secrets/secret-keeper.ts'
import { runSliced, yieldToEventLoop } from '../../runtime/time-slices.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import type { Conversation } from './conversation.ts'
import type { DeltaStream } from './delta-stream.ts'
import type { TaskFailed, TaskSucceeded } from './task-end.ts'

type Failure = Pick<TaskFailed, 'reasonCode' | 'message' | 'retryable'> & Partial<TaskFailed>

export function stepFailed({ run: { secrets } }: ExecutionContext, task: Task, failure: Failure): TaskFailed {
  const { reasonCode, message, explanation, retryable, content: said = '', rest = '', usage = [] } = failure
  const { keptTurns, misplanned } = failure
  const content = secrets ? secrets.scrubText(said) : said
  return {
    kind: 'failed',
    task,
    reasonCode,
    message,
    ...(explanation !== undefined && { explanation: secrets?.scrubText(explanation) ?? explanation }),
    retryable,
    content,
    redacted: content !== said,
    rest,
    usage,
    ...(keptTurns !== undefined && { keptTurns }),
    ...(misplanned && { misplanned }),
  }
}

/** A retry of the run finds the agent, the model or the tool once the operator has provided it. */
export function stepUnavailable(
  context: ExecutionContext,
  task: Task,
  {
    reasonCode,
    message,
  }: { readonly reasonCode: `${'agent' | 'model' | 'tool'}_unavailable`; readonly message: string },
): TaskFailed {
  const words = { message: undefined, explanation: message, content: message }
  return stepFailed(context, task, { reasonCode, ...words, retryable: false })
}

interface Answer {
  readonly done: Extract<LoopDecision, { kind: 'done' }>
  readonly usage: readonly NewUsage[]
  readonly deltas: DeltaStream
  /** The reply with the answer, if it is not part of the conversation yet. */
  readonly last?: ReplyEntry
}

export async function stepSucceeded(
  { run: { secrets } }: ExecutionContext,
  conversation: Conversation,
  { done, usage, deltas, last = conversation.turns.at(-1)?.reply }: Answer,
): Promise<TaskSucceeded> {
  const { content, output } = secrets ? await withoutSecrets(secrets, conversation, done) : done
  const { task, instruction, calls, turnsWithCalls: keptTurns } = conversation
  return {
    kind: 'succeeded',
    task,
    content,
    output,
    redacted: last?.redacted === true || content !== done.content || output !== done.output,
    rest: await deltas.end(),
    usage,
    evidence: { instruction, calls, keptTurns },
    ...(done.note && { note: done.note }),
  }
}

type Said = Pick<TaskSucceeded, 'content' | 'output'>

/** To search a large value for many secrets takes long. Other requests are served before each search. */
async function withoutSecrets(secrets: SecretKeeper, { turns }: Conversation, said: Said): Promise<Said> {
  await yieldToEventLoop()
  const output = await runSliced(secrets.scrub(said.output))
  await yieldToEventLoop()
  return { output, content: await runSliced(scrubContent(secrets, turns, said.content)) }
}

/** A secret may start in an earlier turn, and its second half alone would not be recognized. */
function* scrubContent(secrets: SecretKeeper, turns: readonly WorkerTurn[], content: string): Generator<void, string> {
  const before = turns.map(({ reply }) => reply.text).join('')
  const earlier = before.endsWith(content) ? before.slice(0, -content.length || undefined) : before
  const held = earlier.slice(secrets.safeLength(earlier))
  const [alone, together] = [yield* secrets.scrub(content), yield* secrets.scrub(held + content)]
  return together === held + alone ? alone : together
}
