// Where one was on a page: Back returns there. The browser does not, because a page is short until its data is there.
import type { RouterHistory } from '@tanstack/react-router'

/** By the key of the history entry. */
const places = new Map<string, number>()
/** As long as a page may take to load. */
const patienceMs = 3_000

const keyOf = (history: RouterHistory): string | undefined => history.location.state.__TSR_key

/** Scrolls there as soon as the page is long enough, unless the user scrolls first. */
const returnTo = (top: number) => {
  const observer = new ResizeObserver(() => tryIt())
  const end = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const name of ['wheel', 'touchmove', 'keydown']) window.removeEventListener(name, end)
  }
  const timer = setTimeout(end, patienceMs)
  const tryIt = () => {
    if (document.documentElement.scrollHeight - window.innerHeight < top) return
    window.scrollTo(0, top)
    end()
  }
  for (const name of ['wheel', 'touchmove', 'keydown']) window.addEventListener(name, end, { once: true })
  observer.observe(document.body)
}

let wasBack = false

/** Starts to remember. Returns how it ends. */
export const rememberScroll = (history: RouterHistory): (() => void) => {
  window.history.scrollRestoration = 'manual'
  let key = keyOf(history)
  const onScroll = () => {
    if (key !== undefined) places.set(key, window.scrollY)
  }
  const stop = history.subscribe(({ location, action }) => {
    key = location.state.__TSR_key
    wasBack = action.type === 'BACK' || action.type === 'FORWARD' || action.type === 'GO'
  })
  window.addEventListener('scroll', onScroll, { passive: true })
  return () => {
    stop()
    window.removeEventListener('scroll', onScroll)
  }
}

/** After a change of the page: to where one was, or to the top. */
export const scrollOnNewPage = (history: RouterHistory): void => {
  const key = keyOf(history)
  const top = wasBack && key !== undefined ? places.get(key) : undefined
  window.scrollTo(0, 0)
  if (top !== undefined && top > 0) returnTo(top)
}
