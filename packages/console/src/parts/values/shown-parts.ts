// Which parts of a value have been on the screen, for a decision that needs all of them. A part counts as shown when
// its end was in view. A folded part has no end on the page, and is not shown until it is opened.
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'

interface ShownParts {
  /** Changes when everything is to be opened. */
  readonly openedAt: number
  /** Registers the end of a part, or the place of a folded one. Returns how it is removed. */
  readonly add: (element: Element, isFolded: boolean) => () => void
}

const ShownPartsContext = createContext<ShownParts | undefined>(undefined)
export const ShownPartsProvider = ShownPartsContext.Provider

interface UnseenPart {
  readonly element: Element
  readonly isFolded: boolean
}

/** Calls back once, when the element is in view. Elements inside a scrolled box count only if they are in its view. */
const whenSeen = (element: Element, onSeen: () => void): (() => void) => {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    onSeen()
  })
  observer.observe(element)
  return () => observer.disconnect()
}

export const useShownParts = () => {
  const [unseen, setUnseen] = useState<readonly UnseenPart[]>([])
  const [openedAt, setOpenedAt] = useState(0)
  const isShowing = useRef(false)
  const add = useCallback((element: Element, isFolded: boolean) => {
    const part = { element, isFolded }
    const remove = () => setUnseen((was) => was.filter((one) => one !== part))
    setUnseen((was) => [...was, part])
    const stop = isFolded ? undefined : whenSeen(element, remove)
    return () => {
      stop?.()
      remove()
    }
  }, [])
  // What was opened is registered again: then the first of what is left can be shown.
  useEffect(() => {
    if (!isShowing.current || unseen.some(({ isFolded }) => isFolded)) return
    isShowing.current = false
    topmost(unseen)?.scrollIntoView({ block: 'center' })
  }, [unseen])
  const showAll = useCallback(() => {
    isShowing.current = true
    setOpenedAt((was) => was + 1)
    setUnseen((was) => [...was])
  }, [])
  const parts = useMemo(() => ({ openedAt, add }), [openedAt, add])
  return { parts, unseen: unseen.length, showAll }
}

const topmost = (parts: readonly UnseenPart[]): Element | undefined =>
  parts
    .map(({ element }) => element)
    .toSorted((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)[0]

/** A ref for the end of a part, or for what stands in its place while it is folded. */
export const usePartEnd = (isFolded: boolean): ((element: Element | null) => (() => void) | undefined) => {
  const add = useContext(ShownPartsContext)?.add
  return useCallback((element) => (element ? add?.(element, isFolded) : undefined), [add, isFolded])
}

/** Grows when everything is to be opened; 0 outside of a decision. */
export const useOpenedAt = (): number => useContext(ShownPartsContext)?.openedAt ?? 0
