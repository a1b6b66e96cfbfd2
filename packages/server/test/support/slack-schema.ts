// The limits that Slack documents for messages to incoming webhooks, as far as our messages use its blocks:
// - text objects: 1 to 3,000 characters; `emoji` only with plain_text, `verbatim` only with mrkdwn
//   (https://docs.slack.dev/reference/block-kit/composition-objects/text-object)
// - header: plain_text, up to 150 characters (https://docs.slack.dev/reference/block-kit/blocks/header-block)
// - section: a text object (https://docs.slack.dev/reference/block-kit/blocks/section-block)
// - context: up to 10 elements (https://docs.slack.dev/reference/block-kit/blocks/context-block)
// - rich_text: preformatted elements of text elements (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block)
// - up to 50 blocks in a message (https://docs.slack.dev/reference/block-kit/blocks)
// - all blocks together: messages of more than about 13,200 characters were refused with msg_blocks_too_long
//   (https://github.com/slackapi/bolt-js/issues/2509)
import { z } from 'zod'

const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(max), emoji: z.boolean().optional() })
const mrkdwn = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().min(1).max(3_000),
  verbatim: z.boolean().optional(),
})
const text = z.discriminatedUnion('type', [plainText(3_000), mrkdwn])
const textElement = z.strictObject({ type: z.literal('text'), text: z.string().min(1) })
const preformatted = z.strictObject({
  type: z.literal('rich_text_preformatted'),
  elements: z.array(textElement).min(1),
})

const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plainText(150) }),
  z.strictObject({ type: z.literal('section'), text }),
  z.strictObject({ type: z.literal('context'), elements: z.array(text).min(1).max(10) }),
  z.strictObject({ type: z.literal('rich_text'), elements: z.array(preformatted).min(1) }),
])

export const slackMessageSchema = z.strictObject({
  text: z.string().min(1).max(40_000),
  unfurl_links: z.boolean(),
  unfurl_media: z.boolean(),
  blocks: z
    .array(block)
    .max(50)
    .refine((blocks) => JSON.stringify(blocks).length <= 13_200, { error: 'msg_blocks_too_long' }),
})
