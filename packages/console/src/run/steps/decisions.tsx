// What was decided about a step or the run, and why.
import { Icon } from '../../parts/icon.tsx'
import { plural } from '../../parts/plural.ts'
import { readable } from '../../parts/readable.ts'
import type { StoryDecision } from '../story/story.ts'
import { ownWords, toldDecisions } from '../story/told-decisions.ts'
import { reasonWords } from './reason-words.ts'

export function Decisions({ decisions }: { readonly decisions: readonly StoryDecision[] }) {
  const { told, details } = toldDecisions(decisions)
  return (
    <>
      {told.length > 0 && <DecisionList decisions={told} />}
      {details.length > 0 && (
        <details className="text-sm text-muted">
          <summary>{plural(details.length, 'decision')} to go on</summary>
          <DecisionList decisions={details} />
        </details>
      )}
    </>
  )
}

function DecisionList({ decisions }: { readonly decisions: readonly StoryDecision[] }) {
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
        {own === undefined ? reasonWords(reasonCode) : `“${own}”`}
      </span>
    </li>
  )
}
