import { afterEach, expect, test, vi } from 'vitest'
import { isSameFilter, mostViews, ViewStore, viewsOf, withView } from './saved-views.ts'

test('what cannot be read is left out, and the rest is kept', () => {
  expect(viewsOf(null)).toEqual([])
  expect(viewsOf('{')).toEqual([])
  expect(viewsOf('{"name":"a"}')).toEqual([])
  const stored = [
    null,
    7,
    { name: '' },
    { name: 'Failed', filter: { status: 'failed', status_of: 'x', period: 'ever' } },
  ]
  expect(viewsOf(JSON.stringify(stored))).toEqual([{ name: 'Failed', filter: { status: 'failed' } }])
})

afterEach(() => void vi.unstubAllGlobals())

/** A browser with a storage, or one that forbids it. */
const openBrowser = (stored: Map<string, string> | undefined) => {
  const localStorage = stored && {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  }
  vi.stubGlobal('window', { localStorage, addEventListener: () => undefined })
}

const names = (store: ViewStore) => store.get().map(({ name }) => name)

test('what another tab has saved or removed since is not lost', () => {
  openBrowser(new Map())
  const [one, other] = [new ViewStore('acme'), new ViewStore('acme')]
  expect(one.save({ name: 'One', filter: {} })).toBe(true)
  expect(other.save({ name: 'Other', filter: {} })).toBe(true)
  expect(names(other)).toEqual(['One', 'Other'])
  other.remove('One')
  one.save({ name: 'Third', filter: {} })
  expect(names(one)).toEqual(['Other', 'Third'])
})

test('without a storage, views last as long as the page', () => {
  openBrowser(undefined)
  const store = new ViewStore('acme')
  store.save({ name: 'One', filter: {} })
  store.save({ name: 'Other', filter: {} })
  expect(names(store)).toEqual(['One', 'Other'])
})

test('a view more than the limit is not saved, and no view is lost', () => {
  openBrowser(new Map())
  const store = new ViewStore('acme')
  for (let n = 0; n < mostViews; n += 1) store.save({ name: `View ${n}`, filter: {} })
  expect(store.save({ name: 'One more', filter: {} })).toBe(false)
  expect(store.save({ name: 'View 3', filter: { status: 'failed' } })).toBe(true)
  expect(names(store).toSorted()).toEqual(Array.from({ length: mostViews }, (_, n) => `View ${n}`).toSorted())
})

test('a name that is taken replaces its view', () => {
  const one = withView([], { name: 'Mine', filter: { agent: 'clerk' } })
  expect(withView(one, { name: 'Mine', filter: { agent: 'writer' } })).toEqual([
    { name: 'Mine', filter: { agent: 'writer' } },
  ])
})

test('two filters are the same in any order of their parts', () => {
  expect(isSameFilter({ status: 'failed', agent: 'a' }, { agent: 'a', status: 'failed' })).toBe(true)
  expect(isSameFilter({ status: 'failed' }, { status: 'failed', agent: 'a' })).toBe(false)
})
