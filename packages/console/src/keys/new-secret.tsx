// The secret of a new or rotated key or webhook. The service never shows it again, so it stays until the user closes
// it: a dialog would close on Escape.
import { useEffect, useRef } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { focusIfLost } from '../parts/use-kept-focus.ts'

export interface NewSecret {
  readonly title: string
  readonly apiKey: string
  /** What it is, in a sentence. Default: `key`. */
  readonly what?: string
  /** What happens to the secret before, if there was one. */
  readonly note?: string | undefined
}

interface NewSecretPanelProps extends NewSecret {
  readonly onClose: () => void
}

export function NewSecretPanel({ title, apiKey, what = 'key', note, onClose }: NewSecretPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    heading.current?.focus()
    return () => focusIfLost(opener)
  }, [])
  return (
    <section aria-label={title} className="flex flex-col gap-3 rounded-lg border border-good/50 bg-good/8 p-4">
      <h2 ref={heading} tabIndex={-1} className="font-semibold">
        {title}
      </h2>
      <p>
        Copy the {what} now: it is shown only once. {note}
      </p>
      <div className="flex items-center gap-2 rounded-md border border-line bg-surface px-3 py-2">
        <code className="min-w-0 flex-1 font-mono text-sm wrap-anywhere">{apiKey}</code>
        <CopyButton text={apiKey} label={`Copy the ${what}`} />
      </div>
      <div>
        <Button onClick={onClose}>I have stored it</Button>
      </div>
    </section>
  )
}
