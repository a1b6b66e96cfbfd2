// What input a run awaits, in full: a person must see everything that an approval allows. The text of models stands
// behind a bar, so that it cannot pass for text of this program.
import type { AwaitingInput, Decision } from '@runwright/client'
import { channelWords, type ReadKind } from '@runwright/contract'
import { commandLine } from '../output/command-line.ts'
import { safeText } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'

const headings = {
  approval: 'The run asks for approval.',
  rejection: 'The run asks whether to reject.',
  payload: 'The run asks for input.',
} as const

/** What an answer means, where it is not obvious. */
const meanings: Readonly<Record<string, string>> = {
  tool_outcome_unknown:
    'Approve: call again. Submit: use your input as its result. Failed: it was made and failed. Reject: fail the run.',
}

const readKinds: Readonly<Record<string, string>> = {
  private: 'private data',
  untrusted: 'untrusted content',
  sensitive: 'perhaps a sensitive value',
} satisfies Record<ReadKind, string>

/** Whether the run asks how a call ended. */
export const isAboutOutcome = (reasonCode: string): boolean => reasonCode === 'tool_outcome_unknown'

export function renderWait(wait: AwaitingInput, style: Style): string {
  const { input_kind, reason_code } = wait
  const heading = input_kind ? headings[input_kind] : 'The run awaits input.'
  const meaning = meanings[reason_code]
  return [
    `${style.yellow('?')} ${style.bold(heading)} ${style.dim(`(${safeText(reason_code)})`)}`,
    ...(wait.prompt === null ? [] : quoted(wait.prompt, style)),
    ...(meaning === undefined ? [] : [`  ${meaning}`]),
    ...(wait.why === null ? [] : [`  Why: ${safeText(wait.why).replaceAll('\n', ' ')}`]),
    ...(wait.tool === null ? [] : [`  Tool: ${style.bold(safeText(wait.tool).replaceAll('\n', ' '))}`]),
    ...(wait.tool === null ? [] : [renderArguments(wait.arguments, style)]),
    ...approverLines(wait),
    ...readLines(wait, style),
    `  ${style.dim(`Awaits input until ${wait.expires_at}.`)}`,
  ].join('\n')
}

export const renderArguments = (value: unknown, style: Style): string =>
  ['  Arguments:', ...quoted(JSON.stringify(value, null, 2) ?? 'null', style)].join('\n')

/** Who may decide, and who has. */
function approverLines(wait: AwaitingInput): string[] {
  const { approvers, approvals, decisions, escalate_to, escalates_at, not_requester, reauth } = wait
  const name = (text: string) => safeText(text).replaceAll('\n', ' ')
  const given = decisions.map(({ person, key_name, key_id, via, ...answer }) =>
    name(`${person ?? key_name ?? key_id}${channelWords(via)}: ${wordsFor(answer)}`),
  )
  return [
    ...(approvers ? [`  Approvers: ${approvers.map(name).join(', ')}`] : []),
    ...(escalate_to && escalates_at ? [`  From ${escalates_at} also: ${escalate_to.map(name).join(', ')}`] : []),
    ...(approvals > 1 ? [`  Needs ${approvals} people who give the same answer.`] : []),
    ...(not_requester ? ['  Who created the run does not decide.'] : []),
    ...(reauth
      ? ['  Who decides must have signed in within the last 5 minutes: answer in the console. API keys cannot.']
      : []),
    ...given.map((words) => `  Answered so far: ${words}`),
  ]
}

const wordsFor = ({ action, call, calls }: Pick<Decision, 'action' | 'call' | 'calls'>): string =>
  call || calls ? JSON.stringify(call ?? calls) : action

const quoted = (text: string, style: Style): string[] =>
  safeText(text)
    .split('\n')
    .map((line) => `  ${style.dim('│')} ${line}`)

function readLines({ has_read }: AwaitingInput, style: Style): string[] {
  if (!has_read || has_read.length === 0) return []
  return [
    `  ${style.yellow('!')} The run has read ${has_read.map((kind) => readKinds[kind] ?? safeText(kind)).join(' and ')}.`,
  ]
}

/** For a run that is followed without a person at a terminal. */
export function renderHowToAnswer(runId: string, { seq, reason_code, tool }: AwaitingInput): string {
  const signal = (action: string, options = '') =>
    `    ${commandLine(`signal ${runId} ${action} --await-seq ${seq}${options}`)}`
  return [
    '  Answer with one of:',
    signal('approve'),
    signal('reject', ' --reason "why"'),
    signal('submit', ` --payload '{"key": "value"}'`),
    ...(tool === null ? [] : [signal('submit', ' --deny "why not"')]),
    ...(isAboutOutcome(reason_code) ? [signal('submit', ' --error "what failed"')] : []),
  ].join('\n')
}
