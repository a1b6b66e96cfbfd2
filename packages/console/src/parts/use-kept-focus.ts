// When an element that has the focus is removed, such as the row of a deleted budget, the browser focuses nothing, and
// Tab starts again at the beginning of the page. Here, the focus goes to the element around the removed one. The page
// never scrolls for it: a person with a mouse may be reading another part.
import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import { focusMain } from './focus-main.ts'

/** Gives the focus to the element, unless the focus is somewhere. */
export const focusIfLost = (element: Element | null | undefined): void => {
  if (document.activeElement === document.body && element instanceof HTMLElement) element.focus({ preventScroll: true })
}

export interface KeptFocus<Place extends HTMLElement> {
  readonly ref: RefObject<Place | null>
  readonly onFocus: () => void
  readonly onBlur: (event: FocusEvent) => void
}

/** The properties of an element with a `tabIndex`. If it goes away itself, the content of the page gets the focus. */
export const useKeptFocus = <Place extends HTMLElement>(): KeptFocus<Place> => {
  const ref = useRef<Place>(null)
  const isInside = useRef(false)
  useLayoutEffect(() => {
    if (!isInside.current) return
    focusIfLost(ref.current)
    const { activeElement, body } = document
    isInside.current = activeElement === body || ref.current?.contains(activeElement) === true
  })
  useLayoutEffect(() => {
    const place = ref.current
    return () => {
      if (place?.contains(document.activeElement)) focusMain()
    }
  }, [])
  return {
    ref,
    onFocus: () => {
      isInside.current = true
    },
    onBlur: ({ target }) => {
      // A button that is disabled while it waits for an answer loses the focus, but the person is still there.
      isInside.current = target instanceof HTMLButtonElement && target.disabled
    },
  }
}
