// Two texts as one: what was removed, what was added, and all that stays. Colour is never the only sign.
import { visibleText } from '@runwright/contract'
import { useMemo } from 'react'
import { compareTexts, type TextPart } from './compare-texts.ts'
import { usePartEnd } from './shown-parts.ts'

interface TextDiffProps {
  readonly before: string
  readonly after: string
  /** For screen readers: `old_text and new_text`. */
  readonly label: string
}

export function TextDiff({ before, after, label }: TextDiffProps) {
  const parts = useMemo(() => compareTexts(visibleText(before), visibleText(after)), [before, after])
  const end = usePartEnd(false)
  return (
    // A group: a call may have several, and landmarks must be told apart.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div role="group" aria-label={`Comparison of ${label}`} className="px-2.5 py-1.5">
      <p className="font-mono text-code whitespace-pre-wrap wrap-anywhere">
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and never change.
          <Part key={index} part={part} />
        ))}
        <span ref={end} className="inline-block size-px" />
      </p>
    </div>
  )
}

function Part({ part: { kind, text } }: { readonly part: TextPart }) {
  if (kind === 'same') return text
  if (kind === 'removed')
    return (
      <del className="bg-bad/12 text-bad decoration-1">
        <span className="sr-only">removed: </span>
        {text}
      </del>
    )
  return (
    <ins className="bg-good/14 text-good decoration-1">
      <span className="sr-only">added: </span>
      {text}
    </ins>
  )
}
