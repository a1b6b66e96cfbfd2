// One attempt to mail what is due for a customer: a mail for each question, one mail for many, and nothing for a
// question that was answered meanwhile.
import type { Logger } from '../../runtime/logger.ts'
import type { Database } from '../../store/postgres/database.ts'
import type { ClaimedDelivery } from '../../store/webhooks/claim-deliveries.ts'
import type { AttemptResult } from '../../store/webhooks/finish-deliveries.ts'
import { findNotices, type NoticeRecord, noticeKey } from '../../store/webhooks/notices.ts'
import { deliveryIdOf } from '../delivery/delivery-id.ts'
import { failure, held, interrupted, skipped, type Verdict } from '../delivery/verdict.ts'
import { linkTo, type Notice, noticeOf } from '../notices/notice.ts'
import { type MailAddresses, recipientsOf } from './mail-addresses.ts'
import type { MailPace } from './mail-pace.ts'
import { digestOf, mailOf, messageIdOf } from './mail-text.ts'
import type { MailResult, SendMail } from './send-mail.ts'

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

interface Letter {
  readonly delivery: ClaimedDelivery
  readonly notice: Notice
  readonly to: readonly string[]
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
    return deliveries.map((delivery) => resultOf(delivery, failure(delivery.attempt, { error: defect, random })))
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
    return deliveries.map((delivery) => resultOf(delivery, failure(delivery.attempt, { error: noServer, random })))
  const found = await findNotices(database, first.customerId, deliveries)
  const groups = new Map<string, Letter[]>()
  const results: AttemptResult[] = []
  for (const delivery of deliveries) {
    const record = found.get(noticeKey(delivery))
    const notice = noticeOf(delivery, record, publicUrl)
    const to = recipientsOf(mail.addresses, delivery.customerId, record?.question?.approvers ?? null)
    const refusal = notice ? (to.length === 0 ? noAddress(record) : undefined) : skipped
    if (refusal || !notice) results.push(resultOf(delivery, refusal ?? skipped))
    else {
      const group = groupOf(delivery, to)
      groups.set(group, [...(groups.get(group) ?? []), { delivery, notice, to }])
    }
  }
  // At once: together they take no longer than one, and so end before their lease.
  const mails = [...groups.values()].flatMap(inMails).map((letters) => sendOne(letters, mail, batch))
  return [...results, ...(await Promise.all(mails)).flat()]
}

/**
 * What was tried together is tried together again, with nothing else: if the server has the mail already, it comes with
 * the same id.
 */
const groupOf = ({ triedAt }: ClaimedDelivery, to: readonly string[]): string =>
  `${triedAt?.getTime() ?? 'new'} ${to.join()}`

const noServer = 'RUNWRIGHT_SMTP_URL and RUNWRIGHT_MAIL are not set in the process that sends.'

const noAddress = (record: NoticeRecord | undefined): Verdict => {
  const roles = record?.question?.approvers
  const whose = roles ? `the roles ${roles.join(', ')}, and no default address` : 'this customer'
  return { ...skipped, error: `Not sent: RUNWRIGHT_MAIL has no address for ${whose}.` }
}

const inMails = (letters: readonly Letter[]): (readonly Letter[])[] =>
  letters.length >= digestFrom ? [letters] : letters.map((letter) => [letter])

async function sendOne(
  letters: readonly Letter[],
  { addresses, send, pace }: MailService,
  { publicUrl, signal, logger, random }: Batch,
): Promise<AttemptResult[]> {
  const [first] = letters as [Letter]
  const { customerId } = first.delivery
  const waitMs = pace.waitMs(customerId)
  if (waitMs > 0 || signal.aborted) return letters.map(({ delivery }) => resultOf(delivery, held(waitMs)))
  const deliveryIds = letters.map(({ delivery }) => deliveryIdOf(delivery))
  const inbox = linkTo(publicUrl, { label: '', path: '#/inbox' })
  const { subject, text } =
    letters.length === 1
      ? mailOf(first.notice)
      : digestOf(
          letters.map(({ notice }) => notice),
          'url' in inbox ? inbox.url : inbox.missing,
        )
  const { from } = addresses
  const messageId = messageIdOf(deliveryIds, from)
  pace.count(customerId)
  const mail = { from, to: first.to, subject, text, messageId, date: first.delivery.at, deliveryIds }
  const result = await send(mail, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (!result) return letters.map(({ delivery }) => resultOf(delivery, interrupted))
  if ('error' in result) logger.warn({ code: result.code, recipients: first.to.length }, `no mail: ${result.error}`)
  else if (result.refused > 0) logger.warn(result, 'the mail server refused some recipients')
  const verdict = 'error' in result ? notSent(result, random) : sent(result, first.to.length)
  return letters.map(({ delivery }) => resultOf(delivery, verdict(delivery.attempt)))
}

const sent = ({ refused }: { readonly refused: number }, recipients: number): (() => Verdict) => {
  const error = refused > 0 ? `The mail server refused ${refused} of ${recipients} recipients.` : null
  return () => ({ outcome: 'delivered', nextInMs: null, responseStatus: null, error })
}

const notSent =
  ({ error, code, isPermanent }: Extract<MailResult, { error: string }>, random: number) =>
  (attempt: number): Verdict => {
    const failed = { ...failure(attempt, { error, random }), responseStatus: code }
    return isPermanent ? { ...failed, nextInMs: null } : failed
  }

const resultOf = (delivery: ClaimedDelivery, verdict: Verdict): AttemptResult => {
  const { customerId, webhookId, runId, seq, attempt } = delivery
  return { customerId, webhookId, runId, seq, attempt, ...verdict }
}
