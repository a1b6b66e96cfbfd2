// What input a run awaits, in full: a person must see everything that an approval allows. The text of models stands
// behind a bar, so that it cannot pass for text of this program.
import type { AwaitingInput, Decision } from '@runwright/client'
import { channelWords, type ReadKind } from '@runwright/contract'
import { commandLine } from '../output/command-line.ts'
import { safeLine, safeText } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'

const headings = {
  approval: 'The run asks for approval.',
  rejection: 'The run asks whether to reject.',
  payload: 'The run asks for input.',
} as const

/** What an answer does, where it is not obvious. */
const aboutCall = [
  '  Approve: the call is made. Submit: the same, and later steps get your input. Reject: the run fails.',
  '  Deny: it is not made, and a model goes on without it. A step of a plan that only makes this call fails.',
]
const aboutOutcome = [
  '  Approve: the call is made again. Submit: its result, if it took effect. Failed: it was made and failed.',
  '  Deny: it is not made again. Reject: the run fails.',
]

const maxOtherCalls = 10
/** Of the arguments of a call that the run asks about afterwards, again and in full. */
const maxOtherLength = 2_000

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
  return [
    `${style.yellow('?')} ${style.bold(heading)} ${style.dim(`(${safeText(reason_code)})`)}`,
    ...(wait.prompt === null ? [] : quoted(wait.prompt, style)),
    ...callLines(wait, style),
    ...otherCallLines(wait, style),
    ...schemaLines(wait, style),
    ...approverLines(wait),
    ...readLines(wait, style),
    ...(isAboutOutcome(reason_code) ? aboutOutcome : wait.tool === null ? [] : aboutCall),
    `  ${style.dim(`Awaits input until ${wait.expires_at}.`)}`,
  ].join('\n')
}

type ShownCall = Pick<AwaitingInput, 'tool' | 'arguments' | 'arguments_hash' | 'why'>

function callLines({ tool, why, arguments_hash, arguments: given }: ShownCall, style: Style): string[] {
  return [
    ...(why === null ? [] : [`  Why: ${safeLine(why)}`]),
    ...(tool === null ? [] : [`  Tool: ${style.bold(safeLine(tool))}`, renderArguments(given, style)]),
    ...(tool === null || arguments_hash !== null
      ? []
      : [
          '  They are shown as written in the plan, and filled in after your answer: {{signal.payload}} is your input.',
        ]),
  ]
}

export const renderArguments = (value: unknown, style: Style): string =>
  ['  Arguments:', ...quoted(toText(value), style)].join('\n')

const toText = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null'

const otherCallsOf = ({ calls }: AwaitingInput) => calls?.slice(1) ?? []

export const hasSeveralCalls = (wait: AwaitingInput): boolean => otherCallsOf(wait).length > 0

/** The other calls of the turn. */
function otherCallLines(wait: AwaitingInput, style: Style): string[] {
  const others = otherCallsOf(wait)
  if (others.length === 0) return []
  const shown = others.slice(0, maxOtherCalls)
  const isCut = shown.length < others.length || shown.some((call) => toText(call.arguments).length > maxOtherLength)
  return [
    `  This answer is about the call above. The run asks afterwards about ${others.length} more:`,
    ...shown.flatMap(({ call_id, tool, why, arguments: given }) => [
      `  Tool: ${style.bold(safeLine(tool))} ${style.dim(`(${safeLine(call_id)})`)}`,
      `  Why: ${safeLine(why)}`,
      '  Arguments:',
      ...quoted(cut(toText(given)), style),
    ]),
    ...(isCut ? [`  Not all is shown here: see awaiting_input.calls of ${commandLine('get <run id> --json')}`] : []),
  ]
}

const cut = (text: string): string => (text.length > maxOtherLength ? `${text.slice(0, maxOtherLength)}…` : text)

const schemaLines = ({ approval_schema: schema }: AwaitingInput, style: Style): string[] =>
  schema
    ? ['  Every answer but a rejection or a denial needs JSON that matches:', ...quoted(toText(schema), style)]
    : []

/** Who may decide, and who has. */
function approverLines(wait: AwaitingInput): string[] {
  const { approvers, approvals, decisions, escalate_to, escalates_at, not_requester, reauth } = wait
  const given = decisions.map(
    ({ person, key_name, key_id, via, ...answer }) =>
      `${safeLine(person ?? key_name ?? key_id)}${channelWords(via)}: ${safeText(wordsFor(answer))}`,
  )
  return [
    ...(approvers ? [`  Approvers: ${approvers.map(safeLine).join(', ')}`] : []),
    ...(escalate_to && escalates_at ? [`  From ${escalates_at} also: ${escalate_to.map(safeLine).join(', ')}`] : []),
    ...(approvals > 1 ? [`  Needs ${approvals} people who give the same answer.`] : []),
    ...(not_requester ? ['  Who created the run does not decide.'] : []),
    ...(reauth
      ? ['  Who decides must have signed in within the last 5 minutes: answer in the console. API keys cannot.']
      : []),
    ...given.map((words) => `  Answered so far: ${words}`),
  ]
}

type Said = Pick<Decision, 'action' | 'call' | 'calls' | 'payload'>

/** In full: the answer of the next person counts with it only if it says the same. */
const wordsFor = ({ action, call, calls, payload }: Said): string => {
  const said = call || calls ? JSON.stringify(call ?? calls) : action
  return (payload ?? null) === null ? said : `${said} with ${JSON.stringify(payload)}`
}

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

/** For a run that is followed without a person at a terminal, or whose question cannot be answered there. */
export function renderHowToAnswer(runId: string, wait: AwaitingInput, heading = 'Answer with one of:'): string {
  if (wait.reauth) return `  Answer in the console: ${commandLine(`open ${runId}`)}`
  const { tool, reason_code, approval_schema } = wait
  const data = ` --payload '{"key": "value"}'`
  const form = approval_schema ? data : ''
  const result = ` --result '{"key": "value"}'${form}`
  return [
    `  ${heading}`,
    ...[
      `approve${form}`,
      'reject --reason "why"',
      `submit${isAboutOutcome(reason_code) ? result : data}`,
      ...(isAboutOutcome(reason_code) ? [`submit --error "what failed"${form}`] : []),
      ...(tool === null ? [] : ['submit --deny "why not"']),
    ].map((answer) => signalLine(runId, wait, answer)),
    ...(hasSeveralCalls(wait) ? [renderHowToAnswerAll(runId, wait)] : []),
  ].join('\n')
}

export function renderHowToAnswerAll(runId: string, wait: AwaitingInput): string {
  const calls = (wait.calls ?? []).slice(0, maxOtherCalls + 1).map(({ call_id }) => ({ call_id, approve: true }))
  const form = wait.approval_schema ? ` --payload '{"key": "value"}'` : ''
  return [
    '  To decide about all calls at once, each with "approve": true, "deny", "arguments" or "result":',
    signalLine(runId, wait, `submit --calls '${JSON.stringify(calls)}'${form}`),
  ].join('\n')
}

const signalLine = (runId: string, { seq }: AwaitingInput, answer: string): string =>
  `    ${commandLine(`signal ${runId} ${answer} --await-seq ${seq}`)}`
