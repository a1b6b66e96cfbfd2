// A notice as a message of Slack's Block Kit. Texts of others are only in `plain_text` objects and in the text elements
// of a `rich_text` block, in which Slack reads no markup: no mention, no link, no emoji. The text for notifications is
// markup, so it is escaped.
import type { Link, Notice } from './notice.ts'

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const

export function slackMessage({ headline, about, facts, call, link }: Notice) {
  return {
    text: escaped(`${headline}: ${about.replace(/\s+/g, ' ')}`),
    // Nothing follows the links: neither those of others nor our own.
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header' as const, text: plain(headline) },
      { type: 'section' as const, text: plain(about) },
      ...(call ? callBlocks(call) : []),
      ...facts.map(({ name, value }) => ({ type: 'context' as const, elements: [plain(`${name}: ${value}`)] })),
      { type: 'section' as const, text: linkText(link) },
    ],
  }
}

const callBlocks = ({ tool, arguments: input }: NonNullable<Notice['call']>) => [
  { type: 'section' as const, text: plain(`Tool: ${tool}`) },
  {
    type: 'rich_text' as const,
    elements: [{ type: 'rich_text_preformatted' as const, elements: [{ type: 'text' as const, text: input }] }],
  },
]

/** Only markup of our own: the label, and an address from the settings. */
const linkText = (link: Link) =>
  'url' in link
    ? { type: 'mrkdwn' as const, text: `<${escaped(link.url).replaceAll('|', '%7C')}|${link.label}>`, verbatim: true }
    : plain(link.missing)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character] ?? '')
