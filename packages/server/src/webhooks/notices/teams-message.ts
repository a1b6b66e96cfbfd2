// A notice as an Adaptive Card, in the message that Teams accepts. Texts of others are only in the text runs of rich
// text blocks, in which there is no Markdown. Teams mentions only whom `msteams.entities` lists, and there is no list.
import type { Notice } from './notice.ts'

const cardVersion = '1.4'

export function teamsMessage({ headline, about, facts, call, link }: Notice): Record<string, unknown> {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: cardVersion,
    body: [
      { type: 'TextBlock', text: headline, weight: 'Bolder', size: 'Medium', wrap: true },
      textOf([run(about)]),
      ...(call ? [textOf([bold('Tool: '), run(call.tool)]), textOf([{ ...run(call.arguments), ...monospace }])] : []),
      ...facts.map(({ name, value }) => textOf([bold(`${name}: `), run(value)])),
      ...('missing' in link ? [textOf([run(link.missing)])] : []),
    ],
    actions: 'url' in link ? [{ type: 'Action.OpenUrl', title: link.label, url: link.url }] : [],
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

const run = (text: string) => ({ type: 'TextRun', text })
const bold = (text: string) => ({ ...run(text), weight: 'Bolder' })
const monospace = { fontType: 'Monospace' } as const
const textOf = (inlines: readonly object[]) => ({ type: 'RichTextBlock', inlines })
