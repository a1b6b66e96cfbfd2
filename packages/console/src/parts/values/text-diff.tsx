// Two texts as one: what was removed, what was added, and all that stays.
import { visibleText } from '@runwright/contract'
import { useMemo } from 'react'
import { compareTexts } from './compare-texts.ts'
import { TextParts } from './text-parts.tsx'

interface TextDiffProps {
  readonly before: string
  readonly after: string
  /** For screen readers: `old_text and new_text`. */
  readonly label: string
}

export function TextDiff({ before, after, label }: TextDiffProps) {
  const parts = useMemo(() => compareTexts(visibleText(before), visibleText(after)), [before, after])
  return (
    // A group: a call may have several, and landmarks must be told apart.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div role="group" aria-label={`Comparison of ${label}`}>
      <TextParts parts={parts} className="font-mono text-code" />
    </div>
  )
}
