// @ts-check
// The search index: one entry per heading, so that a result leads to the right place on its page.
import MiniSearch from 'minisearch'
import { stem } from '../assets/stem.js'

/**
 * @typedef {{
 *   path: string,
 *   title: string,
 *   boost: number,
 *   sections: { id: string, title: string, text: string }[],
 * }} Searchable
 */

/** `text` is stored for the snippet under a result. */
export const searchOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'path', 'text', 'boost'],
  processTerm: stem,
}

/** @param {Searchable[]} pages */
export function searchIndex(pages) {
  const index = new MiniSearch(searchOptions)
  index.addAll(
    pages.flatMap(({ path, title, boost, sections }) =>
      sections
        .filter((section) => section.title !== '' || section.text !== '')
        .map((section) => ({
          id: `${path}#${section.id}`,
          path: `${path === 'index' ? '' : `${path}.html`}${section.id && `#${section.id}`}`,
          title: section.title || title,
          page: title,
          text: section.text,
          boost,
        })),
    ),
  )
  return JSON.stringify(index)
}
