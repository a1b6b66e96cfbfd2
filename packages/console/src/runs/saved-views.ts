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
export const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] => [
  ...views.filter(({ name }) => name !== view.name),
  view,
]

/** The order of the parts does not matter. */
export const isSameFilter = (one: RunFilter, other: RunFilter): boolean => {
  const text = (filter: RunFilter) => JSON.stringify(Object.entries(filter).toSorted())
  return text(one) === text(other)
}

export class ViewStore {
  readonly #name: string
  readonly #listeners = new Set<() => void>()
  /** What the views were read from, or stored as. */
  #text: string | null
  #views: readonly SavedView[]

  constructor(customerId: string) {
    this.#name = `runwright.views.${customerId}`
    this.#text = readKept(this.#name)
    this.#views = viewsOf(this.#text)
    window.addEventListener('storage', this.#readAgain)
  }

  readonly get = (): readonly SavedView[] => this.#views

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** False: there are as many as this browser keeps. */
  readonly save = (view: SavedView): boolean => {
    this.#readAgain()
    const views = withView(this.#views, view)
    if (views.length > mostViews) return false
    this.#set(views)
    return true
  }

  readonly remove = (name: string): void => {
    this.#readAgain()
    this.#set(this.#views.filter((view) => view.name !== name))
  }

  /** Another tab may have changed them. */
  readonly #readAgain = (): void => {
    const text = readKept(this.#name)
    if (text === this.#text) return
    this.#text = text
    this.#views = viewsOf(text)
    this.#tell()
  }

  #set(views: readonly SavedView[]): void {
    this.#views = views
    keepInBrowser(this.#name, views.length === 0 ? null : JSON.stringify(views))
    // Not what was written: a browser may forbid storage.
    this.#text = readKept(this.#name)
    this.#tell()
  }

  #tell(): void {
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
const nothing = {
  get: () => noViews,
  subscribe: () => () => undefined,
  save: () => false,
  remove: () => undefined,
}

/** None as long as it is not known who is signed in. */
export const useSavedViews = () => {
  const customerId = useSession().signedInKey?.customer_id
  const store = useMemo(() => (customerId === undefined ? nothing : storeOf(customerId)), [customerId])
  const views = useSyncExternalStore(store.subscribe, store.get)
  return {
    views,
    canSave: customerId !== undefined,
    save: store.save,
    remove: store.remove,
  }
}
