// What Teams accepts from an incoming webhook: a message with one Adaptive Card, of up to 28 KB
// (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using). The card is
// parsed and checked by the library of its makers: the package has no JSON Schema. The library passes over what it does
// not know, such as a misspelled property, so all of the card must still be there after it was read.
import { createRequire } from 'node:module'
import { z } from 'zod'

const { AdaptiveCard, SerializationContext } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof import('adaptivecards')

const maxBytes = 28 * 1024

const messageSchema = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.looseObject({ type: z.literal('AdaptiveCard'), version: z.string() }),
    }),
  ]),
})

/** What is wrong with the message. */
export function teamsProblems(body: string): string[] {
  if (Buffer.byteLength(body) > maxBytes) return ['too large']
  const { attachments } = messageSchema.parse(JSON.parse(body))
  const card = new AdaptiveCard()
  const context = new SerializationContext()
  card.parse(attachments[0].content, context)
  const parsing = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message)
  const invalid = card.validateProperties().validationEvents.map(({ message }) => message)
  return [...parsing, ...invalid, ...lostFrom(attachments[0].content, card.toJSON()).map((path) => `unknown: ${path}`)]
}

/** The paths of what is in the value, and not in what was read of it. Empty lists and texts are left out there. */
function lostFrom(value: unknown, read: unknown, path = '$'): string[] {
  if (typeof value !== 'object' || value === null) return value === read ? [] : [path]
  const known: Readonly<Record<string, unknown>> = { ...(read as object | undefined) }
  return Object.entries(value)
    .filter(([, member]) => member !== '' && !(Array.isArray(member) && member.length === 0))
    .flatMap(([name, member]) => lostFrom(member, known[name], `${path}.${name}`))
}
