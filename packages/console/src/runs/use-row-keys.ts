// Moves through the rows of the list by keyboard. The focus is the cursor: it stands on the link of a row, so that
// Enter and Ctrl+Enter do what the browser does with links.
import { type RefObject, useRef } from 'react'
import { focusIfLost } from '../parts/use-kept-focus.ts'
import { useShortcut } from '../shell/shortcuts.ts'

const linkOf = (row: Element | undefined) => row?.querySelector<HTMLElement>('[data-row-link]')

const useCurrentRow = (list: RefObject<HTMLElement | null>) => {
  /** Where the cursor was: a row that leaves the list takes the focus with it. */
  const last = useRef(-1)
  const rows = () => [...(list.current?.querySelectorAll('[data-row]') ?? [])]
  const index = () => {
    const at = rows().findIndex((row) => row.contains(document.activeElement))
    if (at >= 0) last.current = at
    return at
  }
  const move = (by: number) => {
    const all = rows()
    const isOnRow = index() >= 0
    // The row that took the place of a lost one is the next.
    const from = isOnRow || by < 0 ? last.current : Math.max(-1, last.current - 1)
    const to = Math.max(0, Math.min(all.length - 1, from + by))
    last.current = to
    linkOf(all[to])?.focus()
  }
  const goBack = () => {
    const all = rows()
    focusIfLost(linkOf(all[Math.max(0, Math.min(all.length - 1, last.current))]) ?? document.querySelector('main'))
  }
  return { move, goBack, current: () => rows()[index()] }
}

interface RowKeys {
  /** What a row is called in the list of shortcuts: `run`. */
  readonly what: string
}

interface RowKeysOf {
  readonly current: () => Element | undefined
  /** To the row where the cursor was, if the focus is lost. */
  readonly goBack: () => void
}

/** Rows have the attribute `data-row`, their links `data-row-link`. */
export const useRowKeys = (list: RefObject<HTMLElement | null>, { what }: RowKeys): RowKeysOf => {
  const { move, goBack, current } = useCurrentRow(list)
  useShortcut('j', `Next ${what}`, () => move(1))
  useShortcut('k', `Previous ${what}`, () => move(-1))
  useShortcut('Enter', `Open the ${what}`, () => linkOf(current())?.click())
  return { current, goBack }
}
