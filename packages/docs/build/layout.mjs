// @ts-check
// The page around the content: header with search, menu, and the headings of the page. All links are relative, so that
// the site works behind a proxy that adds a path prefix.

/** @typedef {{ path: string, title: string }} MenuEntry */
/** @typedef {{ title: string, entries: MenuEntry[] }} MenuSection */
/**
 * @typedef {{ path: string, title: string, html: string, headings: { id: string, title: string, level: number }[] }}
 * Page
 */

/** @param {string} text */
export const escapeHtml = (text) =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character] ?? '')

/**
 * The way from a page to a file of the site. A page `a/b` is served as `a/b.html`, and the first one as the folder.
 * @param {string} from
 * @param {string} to
 */
export const relative = (from, to) =>
  `${'../'.repeat(from.split('/').length - 1)}${to.replace(/^index\.html/, '')}` || './'

/** @param {Page} page @param {MenuSection[]} menu */
export function renderPage(page, menu) {
  const to = (/** @type {string} */ path) => relative(page.path, path)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(page.title)} · Runwright</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${to('assets/docs.css')}">
    <script src="${to('assets/theme.js')}"></script>
    <script type="module" src="${to('assets/search.js')}"></script>
    <script type="module" src="${to('assets/copy.js')}"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header>
      <a class="home" href="${to('index.html')}">Runwright docs</a>
      <search data-index="${to('assets/search-index.json')}" data-root="${to('')}">
        <label class="hidden" for="search">Search the docs</label>
        <input id="search" type="search" placeholder="Search ( / )" autocomplete="off" disabled>
        <ul class="results" hidden></ul>
        <p class="hidden" role="status"></p>
      </search>
      <a href="${to('../console/')}">Console</a>
      <button id="theme" type="button" hidden>Dark mode</button>
    </header>
    <div class="columns">
      <details class="menu" open>
        <summary>Menu</summary>
        <nav aria-label="Pages">
${menu.map((section) => renderSection(section, page)).join('\n')}
        </nav>
      </details>
      <main id="content" tabindex="-1">
${page.html}
      </main>
${renderHeadings(page.headings)}
    </div>
  </body>
</html>
`
}

/** @param {MenuSection} section @param {Page} page */
function renderSection({ title, entries }, page) {
  const items = entries.map((entry) => {
    const current = entry.path === page.path ? ' aria-current="page"' : ''
    return `            <li><a href="${relative(page.path, `${entry.path}.html`)}"${current}>${escapeHtml(entry.title)}</a></li>`
  })
  return `          <h2>${escapeHtml(title)}</h2>\n          <ul>\n${items.join('\n')}\n          </ul>`
}

/** @param {Page['headings']} headings */
function renderHeadings(headings) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ id, title, level }) => `          <li class="level-${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  )
  return `      <nav class="on-page" aria-label="On this page">\n        <h2>On this page</h2>\n        <ul>\n${items.join('\n')}\n        </ul>\n      </nav>`
}
