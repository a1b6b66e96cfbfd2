// What can be done with the selected runs.
import type { ListedRun } from '@runwright/client'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { linkButton } from '../parts/controls/link-button.ts'
import { plural } from '../parts/values/plural.ts'
import { useSession } from '../session/session.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { type BulkName, bulkActions, bulkNames } from './bulk-actions.ts'
import type { Selection } from './selection.ts'

interface SelectionBarProps {
  readonly selection: Selection
  readonly onStart: (name: BulkName, runs: readonly ListedRun[]) => void
}

export function SelectionBar({ selection, onStart }: SelectionBarProps) {
  const { can } = useSession()
  const { runs } = selection
  const [one, other] = runs
  const bar = useRef<HTMLElement>(null)
  // The bar comes after all rows, which would be many presses of Tab.
  useShortcut('s', 'To the actions for the selected runs', () => bar.current?.focus())
  return (
    <section
      ref={bar}
      tabIndex={-1}
      aria-keyshortcuts="s"
      aria-label="Selected runs"
      className="sticky bottom-4 z-2 flex flex-wrap items-center gap-3 self-center rounded-lg border border-edge/60 bg-surface px-4 py-2.5 shadow-lg"
    >
      <span role="status">{plural(runs.length, 'run')} selected</span>
      <Button onClick={selection.clear}>Select none</Button>
      {one && other && runs.length === 2 && (
        <Link to="/compare" search={{ left: other.id, right: one.id }} className={linkButton('plain')}>
          Compare
        </Link>
      )}
      {bulkNames.map((name) => {
        const { verb, isDangerous, isFor, scope } = bulkActions[name]
        const chosen = runs.filter(isFor)
        if (chosen.length === 0 || !can(scope)) return null
        return (
          <span key={name} className={isDangerous ? 'ml-3 border-l border-line pl-3' : ''}>
            <Button variant={isDangerous ? 'danger' : 'plain'} onClick={() => onStart(name, chosen)}>
              {verb} {plural(chosen.length, 'run')}
            </Button>
          </span>
        )
      })}
    </section>
  )
}
