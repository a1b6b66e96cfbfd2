// The HTML of decision links: no scripts, nothing from elsewhere, and texts of runs are only ever text.
import { createHash } from 'node:crypto'
import { visibleText } from '@runwright/contract'
import { plainPageHeaders } from '../../server/response/security-headers.ts'

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.25rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .75rem; border: 1px solid; border-radius: .5rem }
p, dd { overflow-wrap: anywhere }
dt { font-weight: 600 }
dd { margin: 0 0 .5rem }
label { display: block; margin-top: 1rem; font-weight: 600 }
textarea { box-sizing: border-box; width: 100%; min-height: 5rem; font: inherit }
button, summary { box-sizing: border-box; width: 100%; min-height: 3rem; margin-top: 1rem; font: inherit; font-weight: 600 }
button { display: block }
summary { padding: .75rem; border: 1px solid; border-radius: .5rem; text-align: center; list-style: none; cursor: pointer }
summary::-webkit-details-marker { display: none }
details[open] { border-inline-start: 3px solid; padding-inline-start: .75rem }
[role=alert] { padding: .75rem; border: 2px solid; border-radius: .5rem }
`

export const htmlHeaders = {
  ...plainPageHeaders(`sha256-${createHash('sha256').update(style).digest('base64')}`),
  'content-type': 'text/html; charset=utf-8',
}

/** Markup that may stand in a page as it is. */
export interface Html {
  readonly markup: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const withEntities = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

const escaped = (text: string): string => withEntities(visibleText(text))

type Part = string | Html | readonly Part[] | false | undefined

const markupOf = (part: Part): string => {
  if (part === false || part === undefined) return ''
  if (typeof part === 'string') return escaped(part)
  return 'markup' in part ? part.markup : part.map(markupOf).join('')
}

/** A template whose values are texts to escape, or markup. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  markup: texts.map((text, index) => text + markupOf(parts[index])).join(''),
})

/** A field with what its reader has typed, as it is. Browsers leave out the first line break. */
export const textArea = (name: string, typed: string): Html => ({
  markup: `<textarea id="${name}" name="${name}">\n${withEntities(typed)}</textarea>`,
})

const styleElement: Html = { markup: `<style>${style}</style>` }

export const renderPage = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${styleElement}
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.markup
