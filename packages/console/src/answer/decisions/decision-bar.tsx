// At the foot of every page: the decisions that no panel of the page shows, so that one can undo them from anywhere.
import { Link } from '@tanstack/react-router'
import { Button } from '../../parts/controls/button.tsx'
import type { Decision } from './decision-box.ts'
import { DecisionStatus } from './decision-status.tsx'
import { useDecisionBox, useDecisions, useShownPanels } from './decisions.ts'

export function DecisionBar() {
  const panels = useShownPanels()
  const decisions = useDecisions()
  const shown = decisions.filter(
    ({ key, state }) => state.kind !== 'sent' && state.kind !== 'counted' && !panels.includes(key),
  )
  if (shown.length === 0) return null
  return (
    <section
      aria-label="Your answers"
      className="fixed inset-x-0 bottom-0 z-10 flex max-h-[40dvh] flex-col overflow-y-auto lg:left-nav divide-y divide-line border-t border-warn/60 bg-surface px-4 py-3 shadow-bar"
    >
      {shown.map((decision) => (
        <Item key={decision.key} decision={decision} />
      ))}
      <UndoAll decisions={decisions} />
    </section>
  )
}

/** For several answers that were given with one press. */
function UndoAll({ decisions }: { readonly decisions: readonly Decision[] }) {
  const box = useDecisionBox()
  const counting = decisions.filter(({ state }) => state.kind === 'counting')
  if (counting.length < 2) return null
  const undoAll = () => {
    for (const { key } of counting) box.undo(key)
  }
  return (
    <div className="sticky bottom-0 flex justify-end bg-surface pt-2">
      <Button onClick={undoAll}>Undo all {counting.length}</Button>
    </div>
  )
}

function Item({ decision }: { readonly decision: Decision }) {
  const box = useDecisionBox()
  return (
    <div className="flex flex-col gap-1 py-2 first:pt-0 last:pb-0">
      <Link to="/runs/$runId" params={{ runId: decision.runId }} className="text-sm text-accent underline">
        {decision.name}
      </Link>
      {decision.state.kind === 'late' ? (
        <div role="status" className="flex flex-wrap items-center justify-between gap-3">
          <p>Your answer was not taken: the run no longer awaits it.</p>
          <Button onClick={() => box.dismiss(decision.key)}>Close</Button>
        </div>
      ) : (
        <DecisionStatus decision={decision} />
      )}
    </div>
  )
}
