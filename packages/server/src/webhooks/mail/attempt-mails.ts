// One attempt to mail what is due for a customer: a mail for each question, one mail for many, and nothing for a
// question that was answered meanwhile.
import { randomUUID } from 'node:crypto'
import { escalationType } from '@runwright/contract'
import type { Logger } from '../../runtime/logger.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { ClaimedDelivery } from '../../store/webhooks/claim-deliveries.ts'
import type { AttemptResult } from '../../store/webhooks/finish-deliveries.ts'
import { noteMails } from '../../store/webhooks/note-mails.ts'
import { findNotices, type NoticeRecord, noticeKey } from '../../store/webhooks/notices.ts'
import { deliveryIdOf } from '../delivery/delivery-id.ts'
import { held, interrupted, mailFailure, skipped, type Verdict } from '../delivery/verdict.ts'
import { linkTo, type Notice, noticeOf } from '../notices/notice.ts'
import { type MailAddresses, recipientsOf } from './mail-addresses.ts'
import type { MailPace } from './mail-pace.ts'
import { digestOf, mailOf, messageIdOf } from './mail-text.ts'
import { type MailResult, mailLeaseMs, type SendMail } from './send-mail.ts'

export interface MailService {
  readonly addresses: MailAddresses
  readonly send: SendMail
  readonly pace: MailPace
}

export interface MailAttempt {
  readonly database: Database
  readonly publicUrl: string | undefined
  /** Undefined: the settings have no mail server. */
  readonly mail: MailService | undefined
  readonly signal: AbortSignal
  readonly logger: Pick<Logger, 'warn'>
}

/** So many questions to the same people at once are one mail. */
export const digestFrom = 4

interface Item {
  readonly delivery: ClaimedDelivery
  readonly notice: Notice
  readonly to: readonly string[]
}

/** One mail, about one question or a list of them. */
interface Letter {
  readonly mail: string
  readonly items: readonly Item[]
}

/** All of one customer. Returns an outcome for each. */
export async function attemptMails(
  deliveries: readonly ClaimedDelivery[],
  attempt: MailAttempt,
): Promise<AttemptResult[]> {
  // The jitter of the next attempt: what fails together is due together.
  const random = Math.random()
  try {
    return await mailAll(deliveries, { ...attempt, random })
  } catch (error) {
    attempt.logger.warn({ err: error }, 'mail could not be sent')
    return deliveries.map((delivery) => resultOf(delivery, mailFailure(delivery.attempt, { error: defect, random })))
  }
}

interface Batch extends MailAttempt {
  readonly random: number
}

const defect = 'An error in the service. Its log has the details.'

async function mailAll(deliveries: readonly ClaimedDelivery[], batch: Batch): Promise<AttemptResult[]> {
  const { mail, database, publicUrl, random } = batch
  const [first] = deliveries
  if (!first) return []
  if (!mail)
    return deliveries.map((delivery) => resultOf(delivery, mailFailure(delivery.attempt, { error: noServer, random })))
  const found = await findNotices(database, first.customerId, deliveries)
  const groups = new Map<string, Item[]>()
  const results: AttemptResult[] = []
  for (const delivery of deliveries) {
    const record = found.get(noticeKey(delivery))
    const notice = noticeOf(delivery, record, publicUrl)
    const roles = rolesOf(delivery, record)
    const to = recipientsOf(mail.addresses, delivery.customerId, roles)
    const refusal = notice ? (to.length === 0 ? noAddress(roles) : undefined) : skipped
    if (refusal || !notice) results.push(resultOf(delivery, refusal ?? skipped))
    else {
      const group = groupOf(delivery, to)
      groups.set(group, [...(groups.get(group) ?? []), { delivery, notice, to }])
    }
  }
  const letters = inLetters([...groups.values()])
  const now: Letter[] = []
  for (const letter of letters) {
    const waitMs = mail.pace.waitMs(first.customerId)
    if (waitMs > 0 || batch.signal.aborted) results.push(...resultsOf(letter, () => held(waitMs)))
    else {
      mail.pace.count(first.customerId)
      now.push(letter)
    }
  }
  return [...results, ...(await sendAll(now, mail, batch))]
}

/** A mail that may have been sent is sent again as it was. What was in none is new. */
const groupOf = ({ mail }: ClaimedDelivery, to: readonly string[]): string => `${mail ?? 'new'} ${to.join()}`

/** Who is told: those who may decide, and later those to whom the question is escalated. */
const rolesOf = ({ type }: ClaimedDelivery, record: NoticeRecord | undefined): readonly string[] | null =>
  (type === escalationType ? record?.question?.escalateTo : record?.question?.approvers) ?? null

const noServer = 'RUNWRIGHT_SMTP_URL and RUNWRIGHT_MAIL are not set in the process that sends.'

const noAddress = (roles: readonly string[] | null): Verdict => {
  const whose = roles ? `the roles ${roles.join(', ')}, and no default address` : 'this customer'
  return { ...skipped, error: `Not sent: RUNWRIGHT_MAIL has no address for ${whose}.` }
}

/** If other addresses have become those of a part of a mail, its parts are mails of their own. */
function inLetters(groups: readonly (readonly Item[])[]): Letter[] {
  const mails = groups.map(([first]) => first?.delivery.mail)
  return groups.flatMap((items, index) => {
    const mail = mails[index]
    if (!mail && items.length < digestFrom) return items.map((item) => ({ mail: randomUUID(), items: [item] }))
    const isWhole = mail && mails.indexOf(mail) === mails.lastIndexOf(mail)
    return [{ mail: isWhole ? mail : randomUUID(), items }]
  })
}

/** What another process has claimed meanwhile is its own to send. */
async function sendAll(letters: readonly Letter[], mail: MailService, batch: Batch): Promise<AttemptResult[]> {
  const noted = await noteMails(
    batch.database,
    letters.flatMap((letter) => letter.items.map(({ delivery }) => ({ ...delivery, mail: letter.mail }))),
    mailLeaseMs,
  )
  // At once: together they take no longer than one, and so end before their lease.
  const sends = letters.map((letter) =>
    noted.get(letter.mail) === letter.items.length
      ? sendOne(letter, mail, batch)
      : resultsOf(letter, () => interrupted),
  )
  return (await Promise.all(sends)).flat()
}

async function sendOne(
  letter: Letter,
  { addresses, send }: MailService,
  { publicUrl, signal, logger, random }: Batch,
): Promise<AttemptResult[]> {
  const { items } = letter
  const [first] = items as [Item]
  const deliveryIds = items.map(({ delivery }) => deliveryIdOf(delivery))
  const inbox = linkTo(publicUrl, { label: '', path: '#/inbox' })
  const { subject, text } =
    items.length === 1
      ? mailOf(first.notice)
      : digestOf(
          items.map(({ notice }) => notice),
          'url' in inbox ? inbox.url : inbox.missing,
        )
  const { from } = addresses
  const messageId = messageIdOf(deliveryIds, from)
  const mail = { from, to: first.to, subject, text, messageId, date: first.delivery.at, deliveryIds }
  const result = await send(mail, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (!result) return resultsOf(letter, () => interrupted)
  if ('error' in result) logger.warn({ code: result.code, recipients: first.to.length }, `no mail: ${result.error}`)
  else if (result.refused > 0) logger.warn(result, 'the mail server refused some recipients')
  return resultsOf(letter, 'error' in result ? notSent(result, random) : sent(result, first.to.length))
}

const sent = ({ refused }: { readonly refused: number }, recipients: number): (() => Verdict) => {
  const error = refused > 0 ? `The mail server refused ${refused} of ${recipients} recipients.` : null
  return () => ({ outcome: 'delivered', nextInMs: null, responseStatus: null, error })
}

const notSent =
  ({ error, code, isPermanent, mayHaveArrived }: Extract<MailResult, { error: string }>, random: number) =>
  ({ attempt, mail }: ClaimedDelivery): Verdict => {
    const failed = { ...mailFailure(attempt, { error, code, random }), wasNotSent: !mayHaveArrived && mail === null }
    return isPermanent ? { ...failed, nextInMs: null } : failed
  }

const resultsOf = ({ items }: Letter, verdict: (delivery: ClaimedDelivery) => Verdict): AttemptResult[] =>
  items.map(({ delivery }) => resultOf(delivery, verdict(delivery)))

const resultOf = (delivery: ClaimedDelivery, verdict: Verdict): AttemptResult => {
  const { customerId, webhookId, runId, seq, type, attempt, triedAt } = delivery
  return { customerId, webhookId, runId, seq, type, attempt, triedAt, ...verdict }
}
