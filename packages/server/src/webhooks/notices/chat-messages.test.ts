// Notices as messages for Slack and Teams, checked against what these accept. The texts are hostile.
import { dangerousCharacters } from '@runwright/contract'
import type { KnownBlock } from '@slack/types'
import { describe, expect, test } from 'vitest'
import { slackMessageSchema } from '../../../test/support/slack-schema.ts'
import { teamsProblems } from '../../../test/support/teams-schema.ts'
import { newUuid, toWireId } from '../../runtime/ids.ts'
import type { GivenAnswer, NoticeRecord } from '../../store/webhooks/notices.ts'
import { type Notice, type NoticeEvent, noticeOf } from './notice.ts'
import { slackMessage } from './slack-message.ts'
import { teamsMessage } from './teams-message.ts'

const runId = newUuid()
const event: NoticeEvent = {
  ...{ type: 'run.awaiting_input', status: 'running', runId, seq: 4, workspaceId: 'acme', subjectId: 'user-42' },
}

function record(texts: string, changes: Partial<NoticeRecord> = {}): NoticeRecord {
  return {
    runId,
    seq: 4,
    title: texts,
    createdBy: { keyId: 'key_1', keyName: texts, via: 'api' },
    question: {
      ...{
        reasonCode: 'tool_requires_approval',
        prompt: texts,
        tool: texts,
        arguments: JSON.stringify({ note: texts }),
      },
      ...{ why: texts, hasRead: ['private', 'untrusted'], approvers: [texts], others: [texts] },
      ...{ approvals: 2, notRequester: true, escalateTo: [texts], escalatesAt: new Date('2026-11-15T09:30:00Z') },
    },
    openUntil: new Date('2026-11-15T10:00:00Z'),
    answer: undefined,
    ...changes,
  }
}

const noticeWith = (texts: string, changes: Partial<NoticeRecord> = {}): Notice => {
  const notice = noticeOf(event, record(texts, changes), 'https://run.example.com')
  if (!notice) throw new Error('nothing to say')
  return notice
}

const slackText = (texts: string) => JSON.stringify(slackMessage(noticeWith(texts)))
const teamsText = (texts: string) => JSON.stringify(teamsMessage(noticeWith(texts)))

const hostile = [
  '<!channel> <!here> <@U123> <#C123> @channel',
  '<https://evil.example|Open the decision page>',
  '*Approved* by `Ada` :white_check_mark: ~no~ > quote',
  '[Approve](https://evil.example) <at>Ada</at> **bold**\n\n# Title',
  '"}]},{"type":"header","text":{"type":"plain_text","text":"fake',
  '\u202egnp.exe \u0000\u001b[31m \ud800 \u{1f600}',
]

const worst = ['x', '"', '\\', '\n', '€', '\u{1f600}', '\u202e', '\ud800', '&', '<'].map((part) => part.repeat(100_000))

describe('a message', () => {
  test.each([...hostile, ...worst, 'plain'])('is one that Slack accepts: %.20j', (texts) => {
    const message = slackMessage(noticeWith(texts))
    // The types that Slack publishes. The schema has the limits that it documents.
    message.blocks satisfies KnownBlock[]
    expect(slackMessageSchema.safeParse(message).error).toBeUndefined()
  })

  test.each([...hostile, ...worst, 'plain'])('is one that Teams accepts: %.20j', (texts) => {
    expect(teamsProblems(teamsText(texts))).toEqual([])
  })

  test.each([
    ['a misspelled property', '"fontType"', '"fonttype"', 'fonttype'],
    ['a value that there is not', '"Monospace"', '"Typewriter"', 'fontType'],
  ])('would not be one that Teams accepts with %s', (_what, right, wrong, name) => {
    expect(teamsProblems(teamsText('plain').replaceAll(right, wrong)).join()).toContain(name)
  })

  test('has the question, the call, who asks and why, and the way to the decision page', () => {
    const id = toWireId('run', runId)
    const link = `https://run.example.com/console/#/decide/${id}/4`
    const notice = noticeWith('Pay?')
    expect(notice).toEqual({
      headline: 'A run waits for a decision',
      about: 'Call Pay??',
      call: { tool: 'Pay?', arguments: '{\n  "note": "Pay?"\n}' },
      facts: [
        { name: 'Run', value: `Pay? (${id})` },
        { name: 'Asked by', value: 'Pay?, workspace acme, subject user-42' },
        { name: 'Why', value: 'Pay?' },
        { name: 'Has read', value: 'private data, text from an untrusted source' },
        { name: 'Further calls', value: 'Pay?' },
        { name: 'Who decides', value: 'Pay?' },
        { name: 'Needs', value: '2 people who give the same answer, not who created the run' },
        { name: 'Also, from 2026-11-15T09:30:00.000Z', value: 'Pay?' },
        { name: 'Open until', value: '2026-11-15T10:00:00.000Z' },
      ],
      link: { label: 'Open the decision page', url: link },
    })
    for (const text of [slackText('Pay?'), teamsText('Pay?')]) {
      expect(text).toContain(link)
      for (const { value } of notice.facts) expect(text).toContain(value)
      expect(text).toContain('{\\n  \\"note\\": \\"Pay?\\"\\n}')
    }
  })

  test('says which setting is missing when it has no link', () => {
    const notice = noticeOf(event, record('x'), undefined) as Notice
    for (const message of [slackMessage(notice), teamsMessage(notice)])
      expect(JSON.stringify(message)).toContain('RUNWRIGHT_PUBLIC_URL is not set')
  })

  test('does not ask what is over, and does not speak of a run that is gone', () => {
    expect(noticeOf(event, record('x', { openUntil: undefined }), undefined)).toBeUndefined()
    expect(noticeOf(event, undefined, undefined)).toBeUndefined()
  })

  const answer: GivenAnswer = {
    ...{ action: 'reject', decision: null, keyId: 'key_2', keyName: 'books', person: null, roles: [], via: 'api' },
  }

  test.each<[string, Partial<GivenAnswer>, string, string]>([
    ['data', { action: 'submit_input' }, 'Answered with data', 'books'],
    ['a person', { action: 'approve', person: 'ada', roles: ['finance'] }, 'Approved', 'ada (finance)'],
    ['a link', { action: 'approve', person: 'ada', via: 'link' }, 'Approved', 'ada by link'],
    ['a link for a role', { action: 'approve', roles: ['finance'], via: 'link' }, 'Approved', 'finance by link'],
    ['a token', { action: 'approve', via: 'token' }, 'Approved', 'books with a token'],
    ['a denial', { action: 'submit_input', decision: 'deny' }, 'Denied', 'books'],
    ['an edit', { action: 'submit_input', decision: 'arguments' }, 'Approved with changed arguments', 'books'],
    ['a result', { action: 'submit_input', decision: 'result' }, 'Answered with a result', 'books'],
    ['a failure', { action: 'submit_input', decision: 'error' }, 'Answered with a failure', 'books'],
    ['several calls', { action: 'submit_input', decision: 'calls' }, 'Decided about several calls', 'books'],
  ])('tells an answer: %s', (_, changes, headline, by) => {
    const given = record('x', { answer: { ...answer, ...changes } })
    const told = noticeOf({ ...event, type: 'run.signal_applied' }, given, undefined)
    expect(told?.headline).toBe(headline)
    expect(told?.facts).toContainEqual({ name: 'Decided by', value: by })
  })

  test('names who answered, and how a run has ended', () => {
    const answered = noticeOf({ ...event, type: 'run.signal_applied' }, record('x', { answer }), undefined)
    expect(answered).toMatchObject({ headline: 'Rejected', about: 'Call x?', call: undefined })
    expect(answered?.facts).toContainEqual({ name: 'Decided by', value: 'books' })
    const ended = { ...event, type: 'run.cancelled', status: 'cancelled' } as const
    expect(noticeOf(ended, record('x', { question: undefined }), undefined)?.headline).toBe(
      'A run has ended: cancelled',
    )
  })
})

/** All objects in a value that have the property. */
function objectsWith(value: unknown, property: string): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap((part) => objectsWith(part, property))
  return Object.hasOwn(value, property) ? [value as Record<string, unknown>, ...inside] : inside
}

const canary = 'c4n4ry'

describe('a hostile text', () => {
  test.each(hostile)('reaches Slack only where it reads no markup: %j', (texts) => {
    const { text, blocks } = slackMessage(noticeWith(`${canary} ${texts}`))
    const markup = objectsWith(blocks, 'text').filter(({ type }) => type === 'mrkdwn')
    expect(markup).toHaveLength(1)
    expect(JSON.stringify(markup)).not.toContain(canary)
    const literal = objectsWith(blocks, 'text').filter(({ text: part }) => String(part).includes(canary))
    expect(literal.map(({ type }) => type)).toEqual(
      literal.map(({ emoji }) => (emoji === false ? 'plain_text' : 'text')),
    )
    expect(text).toContain(canary)
    expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
  })

  test.each(hostile)('reaches Teams only where it reads no Markdown: %j', (texts) => {
    const message = teamsMessage(noticeWith(`${canary} ${texts}`))
    const parts = objectsWith(message, 'text').filter(({ text }) => String(text).includes(canary))
    expect(parts.length).toBeGreaterThan(3)
    expect(new Set(parts.map(({ type }) => type))).toEqual(new Set(['TextRun']))
    expect(JSON.stringify(message)).not.toContain('msteams')
  })

  test.each(hostile)('is not invisible: %j', (texts) => {
    const messages = [slackMessage(noticeWith(texts)), teamsMessage(noticeWith(texts))]
    const said = messages.flatMap((message) => objectsWith(message, 'text')).map(({ text }) => String(text))
    for (const text of said) expect(text).not.toMatch(dangerousCharacters)
  })
})
