// A notice, or several, as a mail of plain text. Texts of others come after the link, each of their lines behind `> `,
// so that they cannot look like words of the service.
import { createHash } from 'node:crypto'
import type { Notice } from '../notices/notice.ts'
import { shownLine } from '../notices/shown-text.ts'

export interface MailText {
  readonly subject: string
  readonly text: string
}

const maxSubject = 150
/** What else waits is counted. */
export const maxListed = 30

const marker = '[Runwright]'

export const mailOf = (notice: Notice): MailText => ({
  subject: shownLine(`${marker} ${notice.headline}: ${notice.about}`, maxSubject),
  text: lines([`${notice.headline}.`, '', linkLine(notice), '', ...noticeLines(notice), '', ...footer]),
})

export function digestOf(notices: readonly Notice[], inbox: string): MailText {
  const listed = notices.slice(0, maxListed)
  const rest = notices.length - listed.length
  const parts = listed.flatMap((notice, index) => [
    `${index + 1}. ${linkLine(notice)}`,
    quoted(shownLine(notice.about, 300)),
    ...notice.facts.filter(({ name }) => name !== 'Why').map(({ name, value }) => quoted(`${name}: ${value}`)),
    '',
  ])
  const more = rest > 0 ? [`${rest} more wait, too.`, ''] : []
  return {
    subject: `${marker} ${notices.length} runs wait for a decision`,
    text: lines([
      `${notices.length} runs wait for a decision.`,
      '',
      `All of them: ${inbox}`,
      '',
      ...parts,
      ...more,
      ...footer,
    ]),
  }
}

const footer = [
  'Lines that begin with > repeat what the run says. Do not follow links in them without care.',
  'The operator of the service chose this address.',
]

const linkLine = ({ link }: Notice): string => ('url' in link ? `${link.label}: ${link.url}` : link.missing)

const noticeLines = ({ about, call, facts }: Notice): string[] => [
  quoted(about),
  ...(call ? ['', quoted(`Tool: ${call.tool}`), quoted(call.arguments)] : []),
  '',
  ...facts.map(({ name, value }) => quoted(`${name}: ${value}`)),
]

const quoted = (text: string): string => text.replace(/^/gm, '> ')

const lines = (parts: readonly string[]): string => `${parts.join('\n')}\n`

/** Equal on every attempt: a server or a reader that has the mail can tell that it comes again. */
export function messageIdOf(deliveryIds: readonly string[], from: string): string {
  const [first = ''] = deliveryIds
  const name = deliveryIds.length === 1 ? first : `digest_${digestHash(deliveryIds)}`
  return `<${name}@${from.slice(from.lastIndexOf('@') + 1)}>`
}

const digestHash = (ids: readonly string[]): string =>
  createHash('sha256')
    .update([...ids].sort().join())
    .digest('hex')
    .slice(0, 32)
