// Copies a text to the clipboard.
import { useState } from 'react'
import { announce } from '../layout/status-line.tsx'
import { Icon } from './icon.tsx'

/** Without HTTPS, browsers offer only the old way. */
const copyFromField = (text: string): boolean => {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'sr-only'
  document.body.append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
}

const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyFromField(text)
  }
}

interface CopyButtonProps {
  readonly text: string | (() => string)
  /** What is copied: `Copy the run id`. */
  readonly label: string
  /** Shows the label as text, not only the icon. */
  readonly isTextShown?: boolean
}

export function CopyButton({ text, label, isTextShown = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    const isDone = await copyText(typeof text === 'string' ? text : text())
    setCopied(isDone)
    announce(isDone ? 'Copied.' : 'The browser did not allow copying.')
  }
  return (
    <button
      type="button"
      title={isTextShown ? undefined : label}
      aria-label={isTextShown ? undefined : label}
      onClick={() => void copy()}
      onBlur={() => setCopied(false)}
      className="inline-flex items-center gap-1.5 rounded-md p-1.5 text-sm text-muted hover:bg-sunken hover:text-ink"
    >
      <Icon name={isCopied ? 'done' : 'copy'} />
      {isTextShown && label}
    </button>
  )
}
