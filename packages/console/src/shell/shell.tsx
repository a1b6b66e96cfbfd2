// The frame around every page: navigation, theme, keyboard help and the status line.
import { Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { DecisionBarHost } from '../answer/decisions/decision-bar-host.tsx'
import { StatusLine } from '../parts/layout/status-line.tsx'
import { Header } from './header.tsx'
import { PaletteHost } from './palette/palette-host.tsx'
import { rememberScroll, scrollOnNewPage } from './scroll-places.ts'
import { ShortcutHelp } from './shortcut-help.tsx'

/**
 * When the page changes, scrolls to the top, or with Back to where one was, and moves the focus to the content. Not on
 * the first load.
 */
const useFocusOnNewPage = (path: string) => {
  const main = useRef<HTMLElement>(null)
  const last = useRef(path)
  const { history } = useRouter()
  useEffect(() => rememberScroll(history), [history])
  useEffect(() => {
    if (last.current === path) return
    // A redirect from the start page is the first load, not a change.
    const isFirst = last.current === '/'
    last.current = path
    if (isFirst) return
    scrollOnNewPage(history)
    main.current?.focus({ preventScroll: true })
  }, [path, history])
  return main
}

export function Shell() {
  const path = useLocation({ select: ({ pathname }) => pathname })
  const main = useFocusOnNewPage(path)
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[var(--spacing-nav)_minmax(0,1fr)]">
      <button
        type="button"
        onClick={() => main.current?.focus()}
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-20 focus:rounded-md focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        Skip to content
      </button>
      <Header key={path} />
      <main ref={main} tabIndex={-1} className="min-w-0 px-4 pt-5 pb-16 outline-none sm:px-6 lg:px-8">
        <div className="mx-auto max-w-6xl">
          <Outlet />
        </div>
        <DecisionBarHost />
      </main>
      <StatusLine />
      <ShortcutHelp />
      <PaletteHost />
    </div>
  )
}
