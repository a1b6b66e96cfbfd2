// @ts-check
// The search index: one entry per heading, so that a result leads to the right place on its page.
import MiniSearch from 'minisearch'

/** @typedef {{ path: string, title: string, sections: { id: string, title: string, text: string }[] }} Searchable */

export const searchOptions = { fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'path'] }

/** @param {Searchable[]} pages */
export function searchIndex(pages) {
  const index = new MiniSearch(searchOptions)
  index.addAll(
    pages.flatMap(({ path, title, sections }) =>
      sections
        .filter((section) => section.title !== '' || section.text !== '')
        .map((section) => ({
          id: `${path}#${section.id}`,
          path: `${path === 'index' ? '' : `${path}.html`}${section.id && `#${section.id}`}`,
          title: section.title || title,
          page: title,
          text: section.text,
        })),
    ),
  )
  return JSON.stringify(index)
}
