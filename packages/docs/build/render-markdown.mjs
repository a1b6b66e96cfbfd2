// @ts-check
// Markdown to HTML: heading ids as GitHub makes them, links between Markdown files as links between pages, and code
// that is highlighted here, so that the page needs no script and no inline style for it.
import hljs from 'highlight.js'
import MarkdownIt from 'markdown-it'

/** @typedef {{ id: string, title: string, level: number }} Heading */
/** @typedef {(link: string) => string | undefined} LinkResolver */
/**
 * @typedef {{ html: string, headings: Heading[], sections: { id: string, title: string, text: string }[] }} Rendered
 */

const languages = /** @type {Record<string, string>} */ ({
  sh: 'bash',
  ts: 'typescript',
  js: 'javascript',
  py: 'python',
})

const markdown = new MarkdownIt({ html: true, linkify: false, highlight })

/** @param {string} code @param {string} language */
function highlight(code, language) {
  const name = languages[language] ?? language
  return hljs.getLanguage(name) ? hljs.highlight(code, { language: name }).value : ''
}

/** @param {string} text */
const asText = (text) => markdown.utils.escapeHtml(text)

// The first word after the fence is the language: `text` is what a program prints. `file=` names the file that the
// reader is to write.
markdown.renderer.rules.fence = (tokens, index) => {
  const { info, content } = /** @type {import('markdown-it').Token} */ (tokens[index])
  const [language = '', ...attributes] = info.trim().split(/\s+/)
  const file = attributes.find((one) => one.startsWith('file='))?.slice('file='.length)
  const caption = file ? `<figcaption>${asText(file)}</figcaption>` : ''
  const code = highlight(content, language) || asText(content)
  const kind = language === 'text' && !file ? 'code output' : 'code'
  return `<figure class="${kind}">${caption}<pre tabindex="0"><code>${code}</code></pre></figure>\n`
}

// Wide tables scroll by themselves; a region that scrolls must be reachable by keyboard.
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'

/** @param {string} heading */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/**
 * @param {string} source
 * @param {LinkResolver} resolveLink
 * @returns {Rendered}
 */
export function renderMarkdown(source, resolveLink) {
  const tokens = markdown.parse(source, {})
  /** @type {Heading[]} */
  const headings = []
  /** @type {Rendered['sections']} */
  const sections = [{ id: '', title: '', text: '' }]
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const title = plainText(tokens[index + 1])
      const id = uniqueId(anchorOf(title), headings)
      token.attrSet('id', id)
      headings.push({ id, title, level: Number(token.tag.slice(1)) })
      sections.push({ id, title, text: '' })
    }
    if (token.type === 'inline' && token.content === '') asCell(tokens[index - 1], tokens[index + 1])
    rewriteLinks(token.children ?? [], resolveLink)
    const section = sections.at(-1)
    if (section && token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      section.text += `${plainText(token)} `
    }
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), headings, sections }
}

/**
 * Markdown tables need a header, but an empty heading says nothing to a screen reader.
 * @param {(import('markdown-it').Token | undefined)[]} heading
 */
function asCell(...heading) {
  for (const token of heading) if (token?.tag === 'th') token.tag = 'td'
}

/** @param {string} source one line, without a paragraph around it */
export const renderLine = (source) => markdown.renderInline(source)

/** @param {string} source */
export const renderText = (source) => markdown.render(source)

/** @param {string} code @param {string} language */
export const renderCode = (code, language) => markdown.render(`\`\`\`${language}\n${code}\n\`\`\``)

/** @param {import('markdown-it').Token | undefined} token */
const plainText = (token) =>
  (token?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('')

/** @param {string} id @param {Heading[]} headings */
function uniqueId(id, headings) {
  const count = headings.filter((one) => one.id === id || one.id.replace(/-\d+$/, '') === id).length
  return count === 0 ? id : `${id}-${count}`
}

/**
 * A link that leads nowhere on the site becomes its text.
 * @param {import('markdown-it').Token[]} tokens
 * @param {LinkResolver} resolveLink
 */
function rewriteLinks(tokens, resolveLink) {
  /** @type {boolean[]} */
  const kept = []
  for (const token of tokens) {
    if (token.type === 'image') token.attrSet('src', resolveLink(String(token.attrGet('src'))) ?? '')
    if (token.type === 'link_open') {
      const link = resolveLink(String(token.attrGet('href')))
      kept.push(link !== undefined)
      if (link !== undefined) token.attrSet('href', link)
      else token.type = 'text'
    } else if (token.type === 'link_close' && kept.pop() === false) token.type = 'text'
  }
}
