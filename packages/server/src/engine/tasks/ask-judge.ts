// Asks the judge and reads its reply. A prompt that is too long is shortened; a reply that cannot be read gets one
// repair turn. An aborted call decides nothing.
import type { Shown } from '../../agents/finished-steps.ts'
import { repairRequest } from '../../agents/read-output.ts'
import type { Message, ModelReply, Rehearsal } from '../../models/port/model.ts'
import type { NewUsage } from '../../store/run-log/run-change.ts'
import type { ExecutionContext } from '../context/execution-context.ts'
import { callModel, type ModelCallEnd } from '../models/call-model.ts'
import { FittingPrompt } from './fitting-prompt.ts'

export interface JudgeQuestion<Answer> {
  /** Identifies the call within the run. */
  readonly key: string
  /** Default: the prompt of the judge. */
  readonly prompt?: 'grade'
  /** `shown` is given if the prompt was too long. */
  readonly messages: (shown?: Shown) => Message[]
  readonly outputSchema: Readonly<Record<string, unknown>>
  /** Returns a sentence if the reply cannot be used, which says why. */
  readonly read: (reply: ModelReply) => Answer | string
  readonly rehearsal: Omit<Rehearsal, 'script'>
}

type Reply = Extract<ModelCallEnd, { kind: 'reply' }>

export type JudgeAnswer<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly model: string; readonly usage: readonly NewUsage[] }
  /** Even after the repair turn. */
  | { readonly kind: 'unreadable'; readonly problem: string; readonly usage: readonly NewUsage[] }
  | Exclude<ModelCallEnd, Reply>

export async function askJudge<Answer extends object>(
  context: ExecutionContext,
  question: JudgeQuestion<Answer>,
): Promise<JudgeAnswer<Answer>> {
  const prompt = new FittingPrompt(context, context.models.judge)
  const first = await prompt.ask(question.messages, (messages) => send(context, question, { ...question, messages }))
  if (first.kind !== 'reply') return first
  const answer = question.read(first.reply)
  if (typeof answer !== 'string') return { ...first, kind: 'answer', answer }
  await context.ledger.record({ usage: first.usage })
  const said: Message[] = [
    { from: 'assistant', text: first.reply.text, toolCalls: [] },
    { from: 'user', text: repairRequest(answer) },
  ]
  const second = await prompt.ask(
    (shown) => [...question.messages(shown), ...said],
    (messages) => send(context, question, { key: `${question.key}-repair`, messages }),
  )
  return second.kind === 'reply' ? readRepaired(question, second) : second
}

function readRepaired<Answer extends object>(question: JudgeQuestion<Answer>, end: Reply): JudgeAnswer<Answer> {
  const { reply, model, usage } = end
  const answer = question.read(reply)
  if (typeof answer === 'string') return { kind: 'unreadable', problem: answer, usage }
  return { kind: 'answer', answer, model, usage }
}

interface Sending {
  readonly key: string
  readonly messages: () => Message[]
}

const send = (
  context: ExecutionContext,
  { prompt, outputSchema, rehearsal }: Pick<JudgeQuestion<object>, 'prompt' | 'outputSchema' | 'rehearsal'>,
  { key, messages }: Sending,
): Promise<ModelCallEnd> =>
  callModel(context, {
    role: 'judge',
    ...(prompt && { prompt }),
    key,
    request: {
      messages,
      tools: [],
      outputSchema,
      onText: () => undefined,
      rehearsal: context.inputs.rehearsal(rehearsal),
    },
  })
