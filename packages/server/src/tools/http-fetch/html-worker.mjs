// @ts-check
// Makes HTML into text on a thread of its own, once. Plain JavaScript, since a thread can't be started from TypeScript
// sources, and copied by the build as it is.
import { parentPort, workerData } from 'node:worker_threads'
import { compile } from 'html-to-text'

const ownLine = { leadingLineBreaks: 1, trailingLineBreaks: 1 }
const paragraph = { leadingLineBreaks: 2, trailingLineBreaks: 2 }

const unseen = [
  'script',
  'style',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'canvas',
  'audio',
  'video',
  '[hidden]',
]
const unseenStyles = ['display:none', 'display: none', 'visibility:hidden', 'visibility: hidden'].map(
  (style) => `[style*="${style}" i]`,
)

/**
 * Where a link leads, in full; what is no address of the web is not shown.
 * @param {string} href
 */
function showLink(href) {
  if (!URL.canParse(href, workerData.url)) return ''
  const link = new URL(href, workerData.url)
  return /^https?:$/.test(link.protocol) ? link.href : ''
}

const selectors = [
  { selector: 'a', options: { noAnchorUrl: true, hideLinkHrefIfSameAsText: true, pathRewrite: showLink } },
  // The library would take the scheme away first, and what is left looks like a relative link.
  { selector: 'a[href^="mailto:"]', format: 'inline' },
  { selector: 'img', options: { pathRewrite: () => '' } },
  ...['title', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
    selector,
    format: 'heading',
    options: { ...paragraph, uppercase: false },
  })),
  ...['tr', 'dt', 'dd', 'option', 'caption'].map((selector) => ({ selector, format: 'block', options: ownLine })),
  // A table with aligned columns would pad every row to its longest cell.
  ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' | ' } })),
  ...[...unseen, ...unseenStyles].map((selector) => ({ selector, format: 'skip' })),
]

const toText = compile({
  wordwrap: false,
  // Not only the body, which many pages leave out, and the title too.
  baseElements: { selectors: [] },
  limits: { maxDepth: workerData.maxDepth, ellipsis: '…' },
  selectors,
})

parentPort?.postMessage(toText(workerData.html))
