// Which parts of a value have been on the screen, for a decision that needs all of them. A long text has many parts. A
// part counts as shown when its end has stayed in view. What is folded is one part, not shown until it is opened.
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useSeenWatch } from './use-seen-watch.ts'

interface ShownParts {
  /** Registers the end of a part, or the place of a folded one with what opens it. Returns how it is removed. */
  readonly add: (element: Element, open: (() => void) | undefined) => () => void
}

const ShownPartsContext = createContext<ShownParts | undefined>(undefined)
export const ShownPartsProvider = ShownPartsContext.Provider

interface UnseenPart {
  readonly element: Element
  readonly open: (() => void) | undefined
  /** In view it counts as shown a moment later. Undefined: the browser has not said yet. */
  readonly isInView: boolean | undefined
}

export const useShownParts = () => {
  const [unseen, setUnseen] = useState<readonly UnseenPart[]>([])
  const isOpening = useRef(false)
  const watch = useSeenWatch()
  const add = useCallback(
    (element: Element, open: (() => void) | undefined) => {
      const remove = () => setUnseen((was) => was.filter((one) => one.element !== element))
      const onView = (isInView: boolean) =>
        setUnseen((was) => was.map((one) => (one.element === element ? { ...one, isInView } : one)))
      setUnseen((was) => [...was, { element, open, isInView: open ? false : undefined }])
      const stop = open ? undefined : watch.watch(element, { onSeen: remove, onView })
      return () => {
        stop?.()
        remove()
      }
    },
    [watch],
  )
  // What was opened is registered first: then the first of what is left can be shown.
  useEffect(() => {
    if (!isOpening.current || unseen.some(({ isInView }) => isInView === undefined)) return
    isOpening.current = false
    bringIntoView(topmost(unseen)?.element)
  }, [unseen])
  /** One screen further: pressed again and again, it leads past everything. */
  const showAll = () => {
    const next = topmost(unseen)
    if (!next?.open) return bringIntoView(next?.element)
    isOpening.current = true
    next.open()
  }
  const parts = useMemo(() => ({ add }), [add])
  return { parts, unseen: unseen.length, offScreen: unseen.filter(isOffScreen).length, showAll }
}

const isOffScreen = ({ isInView }: UnseenPart): boolean => isInView === false

const topOf = ({ element }: UnseenPart): number => element.getBoundingClientRect().top

/** Of those that are not on the screen. */
const topmost = (parts: readonly UnseenPart[]): UnseenPart | undefined =>
  parts.filter(isOffScreen).toSorted((one, other) => topOf(one) - topOf(other))[0]

/** From its beginning, or the end of a part that is higher than the screen. */
const bringIntoView = (end: Element | undefined): void => {
  const part = end?.closest('[data-part]')
  if (part && part.getBoundingClientRect().height < window.innerHeight / 2) part.scrollIntoView({ block: 'start' })
  else end?.scrollIntoView({ block: 'center' })
}

/** A ref for the end of a part, or for what stands in its place while it is folded, with what opens it. */
export const usePartEnd = (open?: () => void): ((element: Element | null) => (() => void) | undefined) => {
  const add = useContext(ShownPartsContext)?.add
  const latest = useRef(open)
  useEffect(() => {
    latest.current = open
  })
  const isFolded = open !== undefined
  return useCallback(
    (element) => (element ? add?.(element, isFolded ? () => latest.current?.() : undefined) : undefined),
    [add, isFolded],
  )
}
