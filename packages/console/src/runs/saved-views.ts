// Filters that a person has given a name, kept in this browser for each customer: a filter may name what only that
// customer may know. The URL of a view is its filter, so a link to it works everywhere.
import { useMemo, useSyncExternalStore } from 'react'
import { keepInBrowser, readKept } from '../parts/kept-in-browser.ts'
import { useSession } from '../session/session.ts'
import { type RunFilter, runFilterOf } from './run-filter.ts'

export interface SavedView {
  readonly name: string
  readonly filter: RunFilter
}

export const mostViews = 30
export const longestName = 60

const viewOf = (value: unknown): readonly SavedView[] => {
  const { name, filter } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>
  if (typeof name !== 'string' || name === '' || typeof filter !== 'object' || filter === null) return []
  return [{ name: name.slice(0, longestName), filter: runFilterOf(filter as Record<string, unknown>) }]
}

/** What an older or a newer console has stored is read as far as it is understood. */
export const viewsOf = (text: string | null): readonly SavedView[] => {
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(stored) ? stored.slice(0, mostViews).flatMap(viewOf) : []
  } catch {
    return []
  }
}

/** A name that is taken replaces its view. */
export const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-mostViews)

/** The order of the parts does not matter. */
export const isSameFilter = (one: RunFilter, other: RunFilter): boolean => {
  const text = (filter: RunFilter) => JSON.stringify(Object.entries(filter).toSorted())
  return text(one) === text(other)
}

class ViewStore {
  readonly #name: string
  readonly #listeners = new Set<() => void>()
  #views: readonly SavedView[]

  constructor(customerId: string) {
    this.#name = `runwright.views.${customerId}`
    this.#views = viewsOf(readKept(this.#name))
  }

  readonly get = (): readonly SavedView[] => this.#views

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly set = (views: readonly SavedView[]): void => {
    this.#views = views
    keepInBrowser(this.#name, views.length === 0 ? null : JSON.stringify(views))
    for (const listener of this.#listeners) listener()
  }
}

const stores = new Map<string, ViewStore>()

const storeOf = (customerId: string): ViewStore => {
  const store = stores.get(customerId) ?? new ViewStore(customerId)
  stores.set(customerId, store)
  return store
}

const noViews: readonly SavedView[] = []
const nothing = { get: () => noViews, subscribe: () => () => undefined, set: () => undefined }

/** None as long as it is not known who is signed in. */
export const useSavedViews = () => {
  const customerId = useSession().signedInKey?.customer_id
  const store = useMemo(() => (customerId === undefined ? nothing : storeOf(customerId)), [customerId])
  const views = useSyncExternalStore(store.subscribe, store.get)
  return {
    views,
    canSave: customerId !== undefined,
    save: (view: SavedView) => store.set(withView(store.get(), view)),
    remove: (name: string) => store.set(store.get().filter((view) => view.name !== name)),
  }
}
