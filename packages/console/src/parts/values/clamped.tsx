// A long text, folded to a few lines until it is opened. Very long texts open in portions and can be saved.
import { type ReactNode, useState } from 'react'
import { saveFile } from '../save-file.ts'
import { readableNumber } from './readable.ts'

interface ClampedTextProps {
  readonly text: string
  /** How many characters are shown at first. */
  readonly most?: number
  /** Renders the part that is shown. */
  readonly children: (shown: string) => ReactNode
  /** The name of the file that it is saved as. */
  readonly fileName?: string
}

/** More at once would make the page slow. */
const portion = 20_000

export function ClampedText({ text, most = 1_200, children, fileName = 'text.txt' }: ClampedTextProps) {
  const [shown, setShown] = useState(most)
  if (text.length <= most * 1.1) return children(text)
  const left = text.length - shown
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {children(left > 0 ? `${text.slice(0, shown)}…` : text)}
      <span className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {left > 0 ? (
          <button type="button" className="text-accent underline" onClick={() => setShown(shown + portion)}>
            {left > portion
              ? `Show ${readableNumber(portion)} more of ${readableNumber(text.length)} characters`
              : `Show all ${readableNumber(text.length)} characters`}
          </button>
        ) : (
          <button type="button" className="text-accent underline" onClick={() => setShown(most)}>
            Show less
          </button>
        )}
        <button type="button" className="text-accent underline" onClick={() => saveFile(fileName, text, 'text/plain')}>
          Download
        </button>
      </span>
    </div>
  )
}
