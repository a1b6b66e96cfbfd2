// The status line: short messages about what was just done, read out by screen readers.
import { useEffect, useSyncExternalStore } from 'react'

interface Message {
  readonly id: number
  readonly text: string
}

const shownMs = 6_000
let messages: readonly Message[] = []
let lastId = 0
const listeners = new Set<() => void>()

const change = (next: readonly Message[]) => {
  messages = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows a short message: "Copied", "3 runs cancelled". Errors belong beside what caused them, not here. */
export const announce = (text: string): void => {
  lastId += 1
  change([...messages.slice(-2), { id: lastId, text }])
}

const dismiss = (id: number) => change(messages.filter((message) => message.id !== id))

export function StatusLine() {
  const shown = useSyncExternalStore(subscribe, () => messages)
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-10 flex flex-col items-center gap-2"
    >
      {shown.map((message) => (
        <Toast key={message.id} {...message} />
      ))}
    </div>
  )
}

function Toast({ id, text }: Message) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), shownMs)
    return () => clearTimeout(timer)
  }, [id])
  return <p className="rounded-lg bg-ink px-3.5 py-2 text-sm font-medium text-page shadow-lg">{text}</p>
}
