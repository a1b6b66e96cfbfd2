// The current row of a list: the one that has the focus, or had it last.
import { type RefObject, useRef } from 'react'
import { focusIfLost } from '../parts/use-kept-focus.ts'

export const linkOf = (row: Element | undefined): HTMLElement | null | undefined =>
  row?.querySelector<HTMLElement>('[data-row-link]')

/** The properties of the element that has the rows. */
export interface RowList<List extends HTMLElement> {
  readonly ref: RefObject<List | null>
  readonly onFocus: () => void
}

export interface CurrentRow<List extends HTMLElement> {
  readonly list: RowList<List>
  /** The row that has the focus. */
  readonly find: () => Element | undefined
  readonly move: (by: number) => void
  /** To the row that had the focus last, if the focus is lost. Without one, to the content of the page. */
  readonly goBack: () => void
}

/** Rows have the attribute `data-row`, their links `data-row-link`. */
export const useCurrentRow = <List extends HTMLElement>(): CurrentRow<List> => {
  const ref = useRef<List>(null)
  const last = useRef<{ readonly row: Element; readonly at: number }>(undefined)
  const rows = () => [...(ref.current?.querySelectorAll('[data-row]') ?? [])]
  const find = () => rows().find((row) => row.contains(document.activeElement))
  const remember = () => {
    const row = find()
    if (row) last.current = { row, at: rows().indexOf(row) }
  }
  /** Where the last row is now, or where it was before it left the list. -1: there was none. */
  const lastAt = () => {
    if (!last.current) return -1
    const { row, at } = last.current
    return rows().includes(row) ? rows().indexOf(row) : at
  }
  const move = (by: number) => {
    // The row that took the place of a lost one is the next.
    const from = find() || by < 0 ? lastAt() : Math.max(-1, lastAt() - 1)
    const all = rows()
    linkOf(all[Math.max(0, Math.min(all.length - 1, from + by))])?.focus()
  }
  const goBack = () => {
    const all = rows()
    focusIfLost(linkOf(all[Math.min(all.length - 1, lastAt())]) ?? document.querySelector('main'))
  }
  return { list: { ref, onFocus: remember }, find, move, goBack }
}
