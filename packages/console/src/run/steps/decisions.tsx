// What was decided about a step or the run, and why.
import { visibleText } from '@runwright/contract'
import { useState } from 'react'
import { Icon } from '../../parts/controls/icon.tsx'
import { plural } from '../../parts/values/plural.ts'
import { readable } from '../../parts/values/readable.ts'
import type { StoryDecision } from '../story/story.ts'
import { needsSentence, ownWords, toldDecisions } from '../story/told-decisions.ts'
import { reasonWords } from './reason-words.ts'

interface DecisionsProps {
  readonly decisions: readonly StoryDecision[]
}

export function Decisions({ decisions }: DecisionsProps) {
  const { told } = toldDecisions(decisions)
  return told.length === 0 ? null : <DecisionList decisions={told} />
}

/** For all steps together: on every card they would be in the way. */
export function DecisionsToGoOn({ decisions }: DecisionsProps) {
  const [isOpen, setOpen] = useState(false)
  const { details } = toldDecisions(decisions)
  if (details.length === 0) return null
  return (
    <details className="text-sm text-muted" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{plural(details.length, 'decision')} to go on</summary>
      {isOpen && <DecisionList decisions={details} />}
    </details>
  )
}

function DecisionList({ decisions }: DecisionsProps) {
  return (
    <ul aria-label="Decisions" className="flex flex-col gap-1">
      {decisions.map((decision) => (
        <DecisionItem key={decision.seq} decision={decision} />
      ))}
    </ul>
  )
}

function DecisionItem({ decision: { role, type, reasonCode, words } }: { readonly decision: StoryDecision }) {
  const own = ownWords(words, reasonCode)
  return (
    <li className="flex gap-2 text-sm text-muted">
      <Icon name="decision" className="mt-0.5" />
      <span className="wrap-anywhere">
        <span className="inline-block font-medium text-ink first-letter:uppercase">{role}</span>: {readable(type)}.{' '}
        {own !== undefined && `“${visibleText(own)}” `}
        {(own === undefined || needsSentence(reasonCode)) && reasonWords(reasonCode)}
      </span>
    </li>
  )
}
