// @ts-check
// A worker thread that converts one HTML page to text. Plain JavaScript, because a thread cannot start from TypeScript
// sources; the build copies it unchanged.
import { parentPort, workerData } from 'node:worker_threads'
import { compile } from 'html-to-text'

const ownLine = { leadingLineBreaks: 1, trailingLineBreaks: 1 }
const paragraph = { leadingLineBreaks: 2, trailingLineBreaks: 2 }

const hiddenElements = [
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
const hiddenStyles = ['display:none', 'display: none', 'visibility:hidden', 'visibility: hidden'].map(
  (style) => `[style*="${style}" i]`,
)

/**
 * The absolute URL of a link; empty if it is not http or https.
 * @param {string} href
 */
function showLink(href) {
  if (!URL.canParse(href, workerData.url)) return ''
  const link = new URL(href, workerData.url)
  return /^https?:$/.test(link.protocol) ? link.href : ''
}

const selectors = [
  { selector: 'a', options: { noAnchorUrl: true, hideLinkHrefIfSameAsText: true, pathRewrite: showLink } },
  // The library removes `mailto:` first, and the rest would look like a relative link.
  { selector: 'a[href^="mailto:"]', format: 'inline' },
  { selector: 'img', options: { pathRewrite: () => '' } },
  ...['title', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
    selector,
    format: 'heading',
    options: { ...paragraph, uppercase: false },
  })),
  ...['tr', 'dt', 'dd', 'option', 'caption'].map((selector) => ({ selector, format: 'block', options: ownLine })),
  // The library's table format would pad every cell to the width of its column.
  ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' | ' } })),
  ...[...hiddenElements, ...hiddenStyles].map((selector) => ({ selector, format: 'skip' })),
]

const toText = compile({
  wordwrap: false,
  // The whole document: many pages have no body element, and the title is in the head.
  baseElements: { selectors: [] },
  limits: { maxDepth: workerData.maxDepth, ellipsis: '…' },
  selectors,
})

parentPort?.postMessage(toText(workerData.html))
