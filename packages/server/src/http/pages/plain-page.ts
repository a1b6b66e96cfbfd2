// A page of a few sentences, for what happens outside of the console. It has no style and no script, and shows nothing
// that a request has sent.
import type { FastifyReply } from 'fastify'
import { pageHeaders, securityHeaders } from '../server/response/security-headers.ts'

interface PageLink {
  readonly text: string
  /** Relative to the page. */
  readonly href: string
}

interface PlainPage {
  readonly status: number
  readonly title: string
  readonly text: string
  readonly links: readonly PageLink[]
}

export function sendPlainPage(reply: FastifyReply, page: PlainPage): FastifyReply {
  return reply
    .code(page.status)
    .headers({ ...pageHeaders, 'cache-control': securityHeaders['cache-control'] })
    .type('text/html; charset=utf-8')
    .send(render(page))
}

const render = ({ title, text, links }: PlainPage): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} · Runwright</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <main>
      <h1>${escapeHtml(title)}</h1>
      <p>${escapeHtml(text)}</p>
${links.map(({ href, text: name }) => `      <p><a href="${escapeHtml(href)}">${escapeHtml(name)}</a></p>`).join('\n')}
    </main>
  </body>
</html>
`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
