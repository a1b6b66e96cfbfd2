// The search field: loads the index on first use, shows the best ten places, and is used by keyboard as by mouse.
import MiniSearch from './minisearch.js'
import { stem } from './stem.js'

const area = document.querySelector('search')
const input = area.querySelector('input')
const list = area.querySelector('ul')
const status = area.querySelector('[role=status]')
const options = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'path', 'text', 'boost'],
  processTerm: stem,
  searchOptions: {
    prefix: true,
    fuzzy: 0.15,
    boost: { title: 4, page: 2 },
    combineWith: 'AND',
    boostDocument: (_id, _term, { boost }) => boost,
  },
}
const snippetLength = 160

let index
const loadIndex = () => {
  index ??= fetch(area.dataset.index)
    .then((response) => response.text())
    .then((text) => MiniSearch.loadJSON(text, options))
  return index
}

/** The words of the text around the first one that was found, with all found words marked. */
const snippet = (text, terms) => {
  const isFound = (word) => terms.some((term) => stem(word).startsWith(term))
  const words = text.split(/([\p{L}\p{N}_]+)/u)
  const first = words.findIndex(isFound)
  const from = Math.max(0, first - 16)
  const shown = document.createElement('p')
  if (from > 0) shown.append('… ')
  for (const word of words.slice(from)) {
    if (shown.textContent.length > snippetLength) break
    const mark = document.createElement('mark')
    mark.textContent = word
    shown.append(isFound(word) ? mark : word)
  }
  return shown
}

const item = ({ title, page, path, text, terms }) => {
  const link = document.createElement('a')
  link.href = area.dataset.root + path
  link.append(title)
  if (title !== page) {
    const where = document.createElement('small')
    where.textContent = page
    link.append(where)
  }
  if (text.trim() !== '') link.append(snippet(text, terms))
  const li = document.createElement('li')
  li.append(link)
  return li
}

const show = async () => {
  const words = input.value.trim()
  const found = words === '' ? [] : (await loadIndex()).search(words).slice(0, 10)
  if (words !== input.value.trim()) return
  list.replaceChildren(...found.map(item))
  list.hidden = found.length === 0
  status.textContent = words === '' ? '' : found.length === 1 ? '1 result' : `${found.length} results`
}

const close = () => {
  list.hidden = true
}

/** The field and the results are one line for the arrow keys. */
const move = (step) => {
  const places = [input, ...list.querySelectorAll('a')]
  places[places.indexOf(document.activeElement) + step]?.focus()
}

input.disabled = false
input.addEventListener('focus', loadIndex, { once: true })
input.addEventListener('input', show)
input.addEventListener('focus', () => {
  if (list.childElementCount > 0) list.hidden = false
})
area.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    move(event.key === 'ArrowDown' ? 1 : -1)
  } else if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click()
  else if (event.key === 'Escape') {
    input.focus()
    close()
  }
})
area.addEventListener('focusout', (event) => {
  if (!area.contains(event.relatedTarget)) close()
})
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(input|textarea|select)$/i.test(event.target.tagName))
    return
  event.preventDefault()
  input.focus()
})
