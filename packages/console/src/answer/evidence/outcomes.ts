// What happens after each answer that a question can be given, in words.
import { type AwaitingInput, visibleText } from '@runwright/contract'
import { plural } from '../../parts/values/plural.ts'
import { type DraftPart, hasApprove, isApprovalWithData, nameOf, partsOf } from '../answer-parts.ts'
import { isAboutOutcome } from '../question-text.ts'

export interface Outcome {
  /** Of the answer. */
  readonly name: string
  readonly text: string
}

const called = ({ tool, reason_code, arguments_hash, calls }: AwaitingInput): string => {
  if (tool === null) return 'the step is answered.'
  const name = visibleText(tool)
  if (isAboutOutcome(reason_code)) return `${name} is called once more.`
  const others = (calls ?? []).length - 1
  const asks = others > 0 ? ` The run asks about the other ${others === 1 ? 'call' : plural(others, 'call')}.` : ''
  return `${name} is called once${arguments_hash === null ? '' : ', as shown'}.${asks}`
}

const dataText = ({ tool }: AwaitingInput): string =>
  tool === null ? 'the run reads it.' : `${visibleText(tool)} is called once. The data may be part of its arguments.`

type Texts = (wait: AwaitingInput, ahead: string) => string

const again = ({ reason_code }: AwaitingInput): string => (isAboutOutcome(reason_code) ? ' again' : '')

/** Of the answers on which several people may have to agree. */
const texts: Readonly<Record<Exclude<DraftPart, 'deny' | 'reason'> | 'approve', Texts>> = {
  approve: (wait, ahead) => `${called(wait)} ${ahead}`,
  data: (wait, ahead) => `${dataText(wait)} ${ahead}`,
  arguments: ({ tool }) =>
    `${visibleText(tool ?? '')} is called once with what you enter, if policy allows that. The model is told.`,
  result: (wait) => `the call is not made${again(wait)}. The run goes on with this result.`,
  error: () => 'the call is not made again. The run goes on with this error.',
  calls: () => 'each call is made or not, as you decide. The run asks again about those that you leave out.',
}

/** One person is enough for them. */
const noTexts = {
  deny: 'The call is not made. The model reads your reason and goes on; a step of a plan that only makes this call fails.',
  reason: 'The run fails. Nothing more is called.',
} as const

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const textOf = (part: keyof typeof texts, wait: AwaitingInput, ahead: string): string => {
  const text = texts[part](wait, ahead)
  // The name of a tool is written as it is.
  if (wait.approvals > 1) return `After ${wait.approvals} equal answers: ${text}`
  return wait.tool !== null && text.startsWith(visibleText(wait.tool)) ? text : capital(text)
}

/** `ahead` says how the run goes on. */
export const outcomesOf = (wait: AwaitingInput, ahead: string): readonly Outcome[] => {
  const approve = hasApprove(wait) ? [{ name: 'Approve', text: textOf('approve', wait, ahead) }] : []
  const parts = partsOf(wait).map((part) => ({ name: nameOf(part, wait), text: textOfPart(part, wait, ahead) }))
  return [...approve, ...parts, { name: nameOf('reason', wait), text: noTexts.reason }]
}

const textOfPart = (part: DraftPart, wait: AwaitingInput, ahead: string): string => {
  if (part === 'deny' || part === 'reason') return noTexts[part]
  return textOf(part === 'data' && isApprovalWithData(wait) ? 'approve' : part, wait, ahead)
}
