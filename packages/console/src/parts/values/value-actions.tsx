// Copies a JSON value, or saves it as a file.
import { CopyButton } from '../controls/copy-button.tsx'
import { saveFile } from '../save-file.ts'

interface ValueActionsProps {
  /** `the result`. */
  readonly label: string
  readonly fileName: string
  readonly value: unknown
}

const textOf = (value: unknown) => JSON.stringify(value, undefined, 2) ?? ''

export function ValueActions({ label, fileName, value }: ValueActionsProps) {
  return (
    <span className="flex items-center gap-3 text-sm">
      <CopyButton label={`Copy ${label} as JSON`} text={() => textOf(value)} />
      <button
        type="button"
        className="text-accent underline"
        onClick={() => saveFile(fileName, textOf(value), 'application/json')}
      >
        Download<span className="sr-only"> {label}</span>
      </button>
    </span>
  )
}
