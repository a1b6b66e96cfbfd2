// @ts-check
// `npm run build` in this package: renders docs/ and the API reference into `dist`. The service serves it at /docs/.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApiDocument } from '@runwright/contract'
import { renderReference } from './api-reference.mjs'
import { contents } from './contents.mjs'
import { relative, renderPage } from './layout.mjs'
import { renderMarkdown } from './render-markdown.mjs'
import { searchIndex } from './search-index.mjs'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const root = join(packageFolder, '../..')
const docs = join(root, 'docs')
const output = join(packageFolder, 'dist')

const decisions = readdirSync(join(docs, 'decisions'))
  .filter((name) => name !== 'README.md')
  .sort()
const sections = contents(decisions)
const entries = sections.flatMap((section) => section.entries)
/** Of a page, by its file in the project. */
const pathOf = new Map(entries.map(({ source, path }) => [normalize(join('docs', source)), path]))

/**
 * Links between Markdown files lead to the pages of the site, and pictures into its folder. Other files of the project
 * are not part of the site: the name stays, without a link.
 * @param {import('./contents.mjs').Entry} entry
 */
const linksOf = (entry) => (/** @type {string} */ link) => {
  if (/^([a-z]+:|#)/.test(link)) return link
  const [file = '', anchor] = link.split('#')
  const target = normalize(join('docs', dirname(entry.source), file)).replace(/\/$/, '')
  const page = pathOf.get(target) ?? pathOf.get(`${target}/README.md`)
  if (page !== undefined) return relative(entry.path, `${page}.html`) + (anchor ? `#${anchor}` : '')
  return target.startsWith('docs/images/') ? relative(entry.path, target.slice('docs/'.length)) : undefined
}

/** @param {import('./contents.mjs').Entry} entry */
function renderEntry(entry) {
  const rendered =
    entry.source === 'openapi'
      ? renderReference(openApiDocument())
      : renderMarkdown(readFileSync(join(docs, entry.source), 'utf8'), linksOf(entry))
  const title = rendered.headings.find(({ level }) => level === 1)?.title ?? entry.title ?? entry.path
  return { ...rendered, path: entry.path, title, menuTitle: entry.title ?? title }
}

/** @param {string} path @param {string} content */
function write(path, content) {
  const file = join(output, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

rmSync(output, { recursive: true, force: true })
const pages = entries.map(renderEntry)
const menu = sections.map(({ title, entries: own }) => ({
  title,
  entries: own.map(({ path }) => ({ path, title: pages.find((page) => page.path === path)?.menuTitle ?? path })),
}))
for (const page of pages) write(`${page.path}.html`, renderPage(page, menu))
/** A reader looks for how to do something before why it was decided. @param {{ path: string }} page */
const boostOf = ({ path }) => (path.startsWith('guides/') ? 2 : path.startsWith('decisions/') ? 0.3 : 1)
write('assets/search-index.json', searchIndex(pages.map((page) => ({ ...page, boost: boostOf(page) }))))
cpSync(join(docs, 'images'), join(output, 'images'), { recursive: true })
cpSync(join(packageFolder, 'assets'), join(output, 'assets'), { recursive: true })
cpSync(fileURLToPath(import.meta.resolve('minisearch')), join(output, 'assets/minisearch.js'))
