// The body of a message to a chat, from what the database knows when the message is sent. So an attempt that comes
// later may say less: a question that was answered meanwhile is not asked again.
import type { WebhookFormat } from '@runwright/contract'
import type { Database } from '../../store/postgres/database.ts'
import type { ClaimedDelivery } from '../../store/webhooks/claim-deliveries.ts'
import { findNotices, noticeKey } from '../../store/webhooks/notices.ts'
import { type Notice, noticeOf } from './notice.ts'
import { slackMessage } from './slack-message.ts'
import { teamsMessage } from './teams-message.ts'

const formats: Readonly<Partial<Record<WebhookFormat, (notice: Notice) => Record<string, unknown>>>> = {
  slack: slackMessage,
  teams: teamsMessage,
}

interface Source {
  readonly database: Database
  readonly publicUrl: string | undefined
}

export const composeChat =
  ({ database, publicUrl }: Source) =>
  async (delivery: ClaimedDelivery): Promise<string | undefined> => {
    const found = await findNotices(database, delivery.customerId, [delivery])
    const notice = noticeOf(delivery, found.get(noticeKey(delivery)), publicUrl)
    return notice && JSON.stringify(formats[delivery.format]?.(notice))
  }
