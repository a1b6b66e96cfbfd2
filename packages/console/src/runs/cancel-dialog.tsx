// Asks before several runs are cancelled, then shows what became of each.
import type { ListedRun } from '@runwright/client'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { plural } from '../parts/values/plural.ts'
import { useSession } from '../session/session.ts'
import { type CancelResult, cancelRuns } from './cancel-runs.ts'
import { RunName } from './run-name.tsx'

interface CancelDialogProps {
  /** The runs as they were when the dialog opened. */
  readonly runs: readonly ListedRun[]
  readonly onClose: (results: readonly CancelResult[]) => void
}

const useCancel = (runs: readonly ListedRun[]) => {
  const { client } = useSession()
  const [results, setResults] = useState<readonly CancelResult[]>([])
  const [state, setState] = useState<'asks' | 'works' | 'done'>('asks')
  const start = async () => {
    setState('works')
    const done: CancelResult[] = []
    await cancelRuns(
      runs.map(({ id }) => id),
      (id) => client.runs.cancel(id),
      (result) => {
        done.push(result)
        setResults([...done])
      },
    )
    setState('done')
    announce(`${plural(done.filter(({ isCancelled }) => isCancelled).length, 'run')} cancelled.`)
  }
  return { results, state, start }
}

export function CancelDialog({ runs, onClose }: CancelDialogProps) {
  const { results, state, start } = useCancel(runs)
  const close = () => onClose(results)
  const title = state === 'asks' ? `Cancel ${plural(runs.length, 'run')}?` : `Cancelling ${plural(runs.length, 'run')}`
  return (
    <Dialog title={title} isOpen onClose={close}>
      {state === 'asks' && <p>A cancelled run cannot be resumed.</p>}
      <ul className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto rounded-md border border-line">
        {runs.map((run) => (
          <Item key={run.id} run={run} result={results.find(({ id }) => id === run.id)} isStarted={state !== 'asks'} />
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        {state === 'asks' ? (
          <>
            <Button autoFocus onClick={close}>
              Keep them
            </Button>
            <Button variant="danger" onClick={() => void start()}>
              Cancel {plural(runs.length, 'run')}
            </Button>
          </>
        ) : (
          <Button variant="primary" disabled={state === 'works'} onClick={close}>
            {state === 'works' ? `${results.length} of ${runs.length}…` : 'Close'}
          </Button>
        )}
      </div>
    </Dialog>
  )
}

interface ItemProps {
  readonly run: ListedRun
  readonly result: CancelResult | undefined
  readonly isStarted: boolean
}

function Item({ run, result, isStarted }: ItemProps) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 px-3 py-1.5 text-sm">
      <span className="min-w-0 wrap-anywhere">
        <RunName run={run} />
      </span>
      {result ? (
        <span className={result.isCancelled ? 'text-muted' : 'text-bad'}>{result.words}</span>
      ) : (
        isStarted && <span className="text-muted">…</span>
      )}
    </li>
  )
}
