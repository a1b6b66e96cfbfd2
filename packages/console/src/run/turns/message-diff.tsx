// A message that has changed: only the places where it did, a few at first.
import { useMemo, useState } from 'react'
import { plural } from '../../parts/values/plural.ts'
import { TextDiff } from '../../parts/values/text-diff.tsx'
import { type HunkOrGap, textHunks } from './text-hunks.ts'

/** Of hunks and gaps. */
const portion = 20

interface MessageDiffProps {
  readonly before: string
  readonly after: string
  /** `the user message`. */
  readonly label: string
}

export function MessageDiff({ before, after, label }: MessageDiffProps) {
  const [most, setMost] = useState(portion)
  const found = useMemo(() => textHunks(before, after), [before, after])
  const left = found.length - most
  return (
    <div className="flex min-w-0 flex-col">
      {found.slice(0, most).map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places never move.
        <Place key={index} place={one} label={label} />
      ))}
      {left > 0 && (
        <button
          type="button"
          className="self-start px-2.5 text-sm text-accent underline"
          onClick={() => setMost(most + portion)}
        >
          Show more of what has changed
        </button>
      )}
    </div>
  )
}

function Place({ place, label }: { readonly place: HunkOrGap; readonly label: string }) {
  if (typeof place !== 'number') return <TextDiff {...place} label={label} />
  return <p className="px-2.5 text-sm text-muted">… {plural(place, 'character')} that stay the same …</p>
}
