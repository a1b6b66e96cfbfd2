// A notice as a message of Slack's Block Kit. Texts of others are only in `plain_text` objects and in the text elements
// of a `rich_text` block, in which Slack reads no markup: no mention, no link, no emoji. The text for notifications is
// markup, so it is escaped.
import type { Link, Notice } from './notice.ts'

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const

export function slackMessage({ headline, about, facts, call, link }: Notice): Record<string, unknown> {
  return {
    text: escaped(`${headline}: ${about.replace(/\s+/g, ' ')}`),
    // Nothing follows the links: neither those of others nor our own.
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(headline) },
      { type: 'section', text: plain(about) },
      ...(call ? callBlocks(call) : []),
      ...facts.map(({ name, value }) => ({ type: 'context', elements: [plain(`${name}: ${value}`)] })),
      { type: 'section', text: linkText(link) },
    ],
  }
}

const callBlocks = ({ tool, arguments: input }: NonNullable<Notice['call']>) => [
  { type: 'section', text: plain(`Tool: ${tool}`) },
  {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: input }] }],
  },
]

/** Only markup of our own: the label, and an address from the settings. */
const linkText = (link: Link) =>
  'url' in link
    ? { type: 'mrkdwn', text: `<${escaped(link.url).replaceAll('|', '%7C')}|${link.label}>`, verbatim: true }
    : plain(link.missing)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character] ?? '')
