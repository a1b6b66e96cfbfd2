// What a message to people says about an event: a question that a run asks, its answer, or how the run ended. The
// formats show the same notice, each in its own way. Texts of clients, models and tools are only in `about`, `call` and
// the values of `facts`; a format shows them so that they cannot be more than text.
import {
  channelWords,
  type DeliveryType,
  escalationType,
  eventReasons,
  isEventReason,
  type ReadKind,
  type RunStatus,
  type SignalAction,
} from '@runwright/contract'
import { toWireId } from '../../runtime/ids.ts'
import type { AskedQuestion, GivenAnswer, NoticeRecord } from '../../store/webhooks/notices.ts'
import { maxNoticeArguments } from '../../store/webhooks/notices.ts'
import { shownLine, shownText } from './shown-text.ts'

export interface Notice {
  /** In words of the service. */
  readonly headline: string
  /** What is asked, or which run it is. */
  readonly about: string
  readonly facts: readonly Fact[]
  readonly call: ShownCall | undefined
  readonly link: Link
}

interface Fact {
  readonly name: string
  readonly value: string
}

interface ShownCall {
  readonly tool: string
  /** JSON on several lines. */
  readonly arguments: string
}

/** `missing` says why there is none. */
export type Link = { readonly label: string; readonly url: string } | { readonly missing: string }

export interface NoticeEvent {
  readonly type: DeliveryType
  readonly status: RunStatus
  readonly runId: string
  readonly seq: number
  readonly workspaceId: string | null
  readonly subjectId: string | null
}

export const noticeLimits = { about: 1_500, line: 200, why: 500, arguments: 2_500 } as const

/**
 * Undefined if there is nothing to say any more: the wait is over that the event began, or the run was removed. Without
 * a base address there is no link.
 */
export function noticeOf(
  event: NoticeEvent,
  record: NoticeRecord | undefined,
  publicUrl: string | undefined,
): Notice | undefined {
  if (event.type === 'webhook.test') return testNotice
  if (!record) return undefined
  const id = toWireId('run', event.runId)
  const run = { name: 'Run', value: runText(record, id) }
  const runLink = linkTo(publicUrl, { label: 'Open the run', path: `#/runs/${id}` })
  const isEscalation = event.type === escalationType
  if (event.type === 'run.awaiting_input' || isEscalation) {
    if (!record.question || !record.openUntil) return undefined
    const link = linkTo(publicUrl, { label: 'Open the decision page', path: `#/decide/${id}/${event.seq}` })
    const facts = [run, ...questionFacts(record.question, { event, record })]
    const headline = isEscalation ? 'Escalated: a run still waits for a decision' : 'A run waits for a decision'
    return { headline, ...shownQuestion(record.question), facts, link }
  }
  if (record.answer && record.question) {
    const about = shownQuestion(record.question).about
    const facts = [run, { name: 'Decided by', value: decidedBy(record.answer) }]
    return { headline: headlineOf(record.answer), about, facts, call: undefined, link: runLink }
  }
  return { headline: `A run has ended: ${event.status}`, about: run.value, facts: [], call: undefined, link: runLink }
}

const answerWords: Readonly<Record<SignalAction, string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  submit_input: 'Answered with data',
}

const decisionWords: Readonly<Record<NonNullable<GivenAnswer['decision']>, string>> = {
  deny: 'Denied',
  arguments: 'Approved with changed arguments',
  result: 'Answered with a result',
  error: 'Answered with a failure',
  calls: 'Decided about several calls',
}

const headlineOf = ({ action, decision }: GivenAnswer): string =>
  decision === null ? answerWords[action] : decisionWords[decision]

/** `Ada (finance) by link`. A link for a role names no person, and the key is that of the program that made it. */
function decidedBy({ keyId, keyName, person, roles, via }: GivenAnswer): string {
  const isRole = via === 'link' && person === null
  const more = isRole || roles.length === 0 ? '' : ` (${roles.join(', ')})`
  const who = isRole ? roles.join(', ') : `${person ?? keyName ?? keyId}${more}`
  return shownLine(`${who}${channelWords(via)}`, noticeLimits.line)
}

const testNotice: Notice = {
  headline: 'A test of Runwright',
  about: 'Messages arrive here when a run waits for a decision.',
  facts: [],
  call: undefined,
  link: { missing: 'A test has no link.' },
}

export const linkTo = (publicUrl: string | undefined, { label, path }: { label: string; path: string }): Link =>
  publicUrl === undefined
    ? { missing: 'There is no link to the decision page, because RUNWRIGHT_PUBLIC_URL is not set.' }
    : { label, url: `${publicUrl}/console/${path}` }

const runText = ({ title }: Pick<NoticeRecord, 'title'>, id: string): string =>
  title === null ? id : `${shownLine(title, noticeLimits.line)} (${id})`

/** As the console shows it: the question about a call repeats its arguments and the reason, which have their places. */
export function shownQuestion(question: AskedQuestion): Pick<Notice, 'about' | 'call'> {
  const { tool, arguments: input } = question
  const about = shownText(questionText(question), noticeLimits.about)
  if (tool === null) return { about, call: undefined }
  const shown = input === null ? '(no arguments)' : shownText(indented(input), noticeLimits.arguments)
  return { about, call: { tool: shownLine(tool, noticeLimits.line), arguments: shown } }
}

function questionText({ reasonCode, prompt, tool, arguments: input }: AskedQuestion): string {
  const asked = prompt?.trim() ? prompt : undefined
  if (reasonCode === 'tool_outcome_unknown' && asked !== undefined) return asked
  if (tool !== null && input !== null) return `Call ${tool}?`
  return asked ?? (isEventReason(reasonCode) ? eventReasons[reasonCode] : `The run asks: ${reasonCode}`)
}

/** What was cut cannot be parsed. */
const indented = (json: string): string =>
  json.length < maxNoticeArguments ? JSON.stringify(JSON.parse(json), null, 2) : json

interface Asking {
  readonly event: Pick<NoticeEvent, 'workspaceId' | 'subjectId'>
  readonly record: Pick<NoticeRecord, 'createdBy' | 'openUntil'>
}

const readWords: Readonly<Record<ReadKind, string>> = {
  private: 'private data',
  untrusted: 'text from an untrusted source',
  sensitive: 'perhaps a sensitive value that it was not shown',
}

export function questionFacts(question: AskedQuestion, { event, record }: Asking): Fact[] {
  const { why, hasRead, others } = question
  const words = hasRead.map((kind) => readWords[kind] ?? 'other data')
  const facts = [
    { name: 'Asked by', value: askedBy(event, record) },
    { name: 'Why', value: shownText(why ?? '', noticeLimits.why) },
    { name: 'Has read', value: words.join(', ') },
    { name: 'Further calls', value: shownLine(others.join(', '), noticeLimits.line) },
    ...deciderFacts(question),
    { name: 'Open until', value: record.openUntil?.toISOString() ?? '' },
  ]
  return facts.filter(({ value }) => value !== '')
}

function deciderFacts({ approvers, approvals, notRequester, escalateTo, escalatesAt }: AskedQuestion): Fact[] {
  const needed = [
    ...(approvals > 1 ? [`${approvals} people who give the same answer`] : []),
    ...(notRequester ? ['not who created the run'] : []),
  ]
  return [
    { name: 'Who decides', value: shownLine(approvers?.join(', ') ?? '', noticeLimits.line) },
    { name: 'Needs', value: needed.join(', ') },
    {
      name: `Also, from ${escalatesAt?.toISOString()}`,
      value: shownLine(escalateTo?.join(', ') ?? '', noticeLimits.line),
    },
  ]
}

function askedBy({ workspaceId, subjectId }: Asking['event'], { createdBy }: Asking['record']): string {
  const creator = createdBy ? (createdBy.keyName ?? createdBy.keyId ?? 'the operator') : 'a schedule'
  const labels = [
    ...(workspaceId === null ? [] : [`workspace ${workspaceId}`]),
    ...(subjectId === null ? [] : [`subject ${subjectId}`]),
  ]
  return shownLine([creator, ...labels].join(', '), noticeLimits.line)
}
