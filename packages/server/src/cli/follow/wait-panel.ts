// What input a run awaits, in full: a person must see everything that an approval allows. The text of models stands
// behind a bar, so that it cannot pass for text of this program.
import type { AwaitingInput } from '@runwright/client'
import type { ReadKind } from '@runwright/contract'
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
    ...(wait.tool === null
      ? []
      : ['  Arguments:', ...quoted(JSON.stringify(wait.arguments, null, 2) ?? 'null', style)]),
    ...readLines(wait, style),
    `  ${style.dim(`Awaits input until ${wait.expires_at}.`)}`,
  ].join('\n')
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

/** For a run that is followed without a person at a terminal. */
export const renderHowToAnswer = (runId: string, { seq, reason_code }: AwaitingInput): string =>
  [
    '  Answer with one of:',
    `    runwright signal ${runId} approve --await-seq ${seq}`,
    `    runwright signal ${runId} reject --await-seq ${seq} --reason "why"`,
    `    runwright signal ${runId} submit --await-seq ${seq} --payload '{"key": "value"}'`,
    ...(isAboutOutcome(reason_code)
      ? [`    runwright signal ${runId} submit --await-seq ${seq} --error "what failed"`]
      : []),
  ].join('\n')
