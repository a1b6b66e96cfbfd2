// Which parts of a value have been on the screen, for a decision that needs all of them. A part counts as shown when
// its end has stayed in view. A folded part has no end on the page, and is not shown until it is opened.
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useSeenWatch } from './use-seen-watch.ts'

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
  /** In view it counts as shown a moment later. Undefined: the browser has not said yet. */
  readonly isInView: boolean | undefined
}

export const useShownParts = () => {
  const [unseen, setUnseen] = useState<readonly UnseenPart[]>([])
  const [openedAt, setOpenedAt] = useState(0)
  const isShowing = useRef(false)
  const watch = useSeenWatch()
  const add = useCallback(
    (element: Element, isFolded: boolean) => {
      const remove = () => setUnseen((was) => was.filter((one) => one.element !== element))
      const onView = (isInView: boolean) =>
        setUnseen((was) => was.map((one) => (one.element === element ? { ...one, isInView } : one)))
      setUnseen((was) => [...was, { element, isFolded, isInView: isFolded ? false : undefined }])
      const stop = isFolded ? undefined : watch.watch(element, { onSeen: remove, onView })
      return () => {
        stop?.()
        remove()
      }
    },
    [watch],
  )
  // What was opened is registered again: then the first of what is left can be shown.
  useEffect(() => {
    if (!isShowing.current || unseen.some(({ isFolded, isInView }) => isFolded || isInView === undefined)) return
    isShowing.current = false
    topmost(unseen.filter(isOffScreen))?.scrollIntoView({ block: 'center' })
  }, [unseen])
  const showAll = useCallback(() => {
    isShowing.current = true
    setOpenedAt((was) => was + 1)
    setUnseen((was) => [...was])
  }, [])
  const parts = useMemo(() => ({ openedAt, add }), [openedAt, add])
  return { parts, unseen: unseen.length, offScreen: unseen.filter(isOffScreen).length, showAll }
}

const isOffScreen = ({ isInView }: UnseenPart): boolean => isInView === false

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
