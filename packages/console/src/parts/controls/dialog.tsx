// A modal dialog on the native element: it keeps the focus inside, closes on Escape and returns the focus by itself.
// Libraries such as Radix lock the scrolling with an inline style element, which our content security policy forbids.
import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from 'react'
import { focusIfLost } from '../use-kept-focus.ts'
import { Icon } from './icon.tsx'

/** What `showModal` looks for: React has no attribute for it, and focuses too early. */
export const focusWhenOpened = (element: HTMLElement | null): void => element?.setAttribute('autofocus', '')

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  /** The person wants to close it, by × or Escape. It stays as long as `isOpen` says so. */
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    if (!isOpen) return dialog.current?.close()
    const opener = document.activeElement
    dialog.current?.showModal()
    // The browser gives the focus back when a dialog is closed, but not when an open one is taken away.
    return () => focusIfLost(opener)
  }, [isOpen])
  const [, setClosings] = useState(0)
  useEffect(() => {
    if (isOpen && dialog.current?.open === false) dialog.current.showModal()
  })
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault()
    onClose()
  }
  const onClosed = () => {
    // The browser tells it later: it was closed here, or is open again already.
    if (!isOpen || dialog.current?.open) return
    // Chromium closes it on a second Escape, even if the first was prevented.
    setClosings((count) => count + 1)
    onClose()
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={onCancel}
      onClose={onClosed}
      className="m-auto max-h-[85dvh] w-[min(36rem,calc(100vw-2rem))] overflow-y-auto rounded-xl border border-line bg-surface p-0 text-ink shadow-xl backdrop:bg-black/50"
    >
      {isOpen && (
        <div className="flex flex-col gap-4 p-5">
          <div className="flex items-start justify-between gap-4">
            <h2 id={titleId} className="text-lg font-semibold">
              {title}
            </h2>
            <button
              type="button"
              aria-label="Close"
              onClick={onClose}
              className="-m-1.5 rounded-md p-1.5 text-muted hover:bg-sunken hover:text-ink"
            >
              <Icon name="close" />
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  )
}
