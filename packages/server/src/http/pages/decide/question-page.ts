// The page of an open question: everything that the answer decides about, and a form that sends it to the same address.
import type { Decision, ReadKind } from '@runwright/contract'
import type { Question } from '../../../store/runs/question.ts'
import { decidedSoFar, lengthOf } from './decided-so-far.ts'
import { type Html, html, renderPage, textArea } from './link-html.ts'

const maxShown = 200_000

/** What is longer is not shown, so it cannot be decided about here. */
export const isTooLarge = ({ call, prompt }: Question): boolean =>
  (argumentsText(call)?.length ?? 0) > maxShown || (prompt?.length ?? 0) > maxShown

const argumentsText = (call: Question['call']): string | undefined =>
  call?.arguments === undefined ? undefined : JSON.stringify(call.arguments, undefined, 2)

export interface ShownQuestion extends Question {
  readonly title: string | null
  /** The person, or somebody with a role. */
  readonly decidesAs: string
  /** The end of the link or of the wait, whichever is earlier. */
  readonly expiresAt: Date
  /** Of other people. */
  readonly decisions: readonly Decision[]
  /** Why the last try was refused. */
  readonly problem?: string
  /** The fields of the last try. */
  readonly typed?: URLSearchParams
}

export function questionPage(question: ShownQuestion): string {
  const { title, decidesAs, expiresAt, problem, call, prompt, others, rules, decisions } = question
  const input = argumentsText(call)
  const isShown = !isTooLarge(question) && lengthOf(decisions) <= maxShown
  const content = html`
${problem !== undefined && html`<p role="alert">Not recorded: ${problem}</p>`}
${title !== null && html`<p>${title}</p>`}
${prompt !== null && isShown && html`<pre>${prompt}</pre>`}
<dl>
${
  call !== null && [
    fact('Tool', call.tool),
    fact('Asked because', call.why),
    call.hasRead.length > 0 && fact('The run has read', call.hasRead.map((kind) => readWords[kind]).join('; ')),
    input !== undefined && isShown && html`<dt>Arguments</dt><dd><pre>${input}</pre></dd>`,
  ]
}
${(rules.approvals ?? 1) > 1 && fact('Approvals', `${rules.approvals} different people must give the same answer.`)}
${isShown && decidedSoFar(decisions)}
${others.length > 0 && fact('Other calls', `${others.length} more. The run asks about them afterwards.`)}
${fact('You decide as', decidesAs)}
${fact('Open until', expiresAt.toISOString().replace('T', ' ').replace(/\..*/, ' UTC'))}
</dl>
${isShown ? answerForm(question) : tooLarge}`
  return renderPage('A run waits for your decision', content)
}

const readWords: Readonly<Record<ReadKind, string>> = {
  private: 'private data',
  untrusted: 'text from untrusted sources, which can mislead a model',
  sensitive: 'sensitive values, or what may be such',
}

const fact = (name: string, value: string): Html => html`<dt>${name}</dt><dd>${value}</dd>`

const tooLarge = html`<p role="alert">This question is too large to be shown here. Sign in to the console to answer it.</p>`

/** Relative to nothing: a form without `action` is sent to the address of its page. */
const answerForm = (question: ShownQuestion): Html => html`<form method="post">
${takesData(question) && dataField(question)}
${question.inputKind === 'payload' ? html`<button name="answer" value="submit">Send the answer</button>` : approval(question)}
${isAboutOutcome(question) ? outcomeFields(question) : refusalFields(question)}
${twoPresses('Reject', 'The run fails.', html`<button name="answer" value="reject">Yes, reject</button>`)}
</form>`

const textField = ({ typed }: ShownQuestion, name: string): Html => textArea(name, typed?.get(name) ?? '')

const dataField = (question: ShownQuestion): Html => {
  const { approval_schema: schema } = question.rules
  return html`
<label for="data">Your answer${schema !== undefined && ', as JSON'}</label>
${schema !== undefined && html`<pre>${JSON.stringify(schema, undefined, 2)}</pre>`}
${textField(question, 'data')}`
}

const reasonField = (question: ShownQuestion, label: string): Html => html`<label for="reason">${label}</label>
${textField(question, 'reason')}`

const refusalFields = (question: ShownQuestion): Html => html`${reasonField(question, 'Reason, if you do not approve')}
${
  question.call !== null &&
  html`<p>Without the call, a model reads your reason and goes on. A step of a plan that only makes this call fails.</p>
<button name="answer" value="deny">Do not make the call</button>`
}`

const outcomeFields = (
  question: ShownQuestion,
): Html => html`<label for="result">What the call returned, if it took effect: JSON or text</label>
${textField(question, 'result')}
<button name="answer" value="result">It took effect</button>
${reasonField(question, 'Its error, or why it is not made again')}
<button name="answer" value="error">It failed</button>
<button name="answer" value="deny">Do not make it again</button>`

function approval(question: ShownQuestion): Html {
  if (!isAboutOutcome(question))
    return twoPresses(
      'Approve',
      whenApproved(question),
      html`<button name="answer" value="approve">Yes, approve</button>`,
    )
  const consequence = `It may have taken effect already. ${whenApproved(question)}`
  return twoPresses(
    'Make it again',
    consequence,
    html`<button name="answer" value="approve">Yes, make it again</button>`,
  )
}

/** The page has no scripts, so it cannot take an answer back: a single accidental press must not send one. */
const twoPresses = (word: string, consequence: string, button: Html): Html =>
  html`<details><summary>${word}…</summary><p>${consequence}</p>${button}</details>`

function whenApproved(question: Pick<Question, 'call' | 'rules' | 'reasonCode'>): string {
  const { call, rules } = question
  const made = isAboutOutcome(question) ? 'made once more' : 'made'
  const follows = call === null ? 'the run goes on' : `the call of ${call.tool} is ${made} with the arguments above`
  const when = (rules.approvals ?? 1) > 1 ? 'When enough people have approved' : 'When you approve'
  return `${when}, ${follows}. This cannot be taken back.`
}

/** A call was made, and how it ended is not known. */
export const isAboutOutcome = ({ reasonCode }: Pick<Question, 'reasonCode'>): boolean =>
  reasonCode === 'tool_outcome_unknown'

/** The answer has a payload. */
export const takesData = ({ inputKind, rules }: Pick<Question, 'inputKind' | 'rules'>): boolean =>
  inputKind === 'payload' || rules.approval_schema !== undefined
