// Asks before something is done to several runs, then shows what became of each.
import type { ListedRun } from '@runwright/client'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Choice } from '../parts/controls/choice.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { plural } from '../parts/values/plural.ts'
import { useSession } from '../session/session.ts'
import type { BulkAction } from './bulk-actions.ts'
import { type BulkResult, workOnRuns } from './bulk-runs.ts'
import { RunName } from './run-name.tsx'

interface BulkDialogProps {
  readonly action: BulkAction
  /** The runs as they were when the dialog opened. */
  readonly runs: readonly ListedRun[]
  readonly onClose: () => void
}

const useWork = ({ send, done }: BulkAction, runs: readonly ListedRun[]) => {
  const { client } = useSession()
  const [results, setResults] = useState<readonly BulkResult[]>([])
  const [state, setState] = useState<'asks' | 'works' | 'done'>('asks')
  const start = async () => {
    setState('works')
    const all: BulkResult[] = []
    await workOnRuns(
      runs.map(({ id }) => id),
      { send: (id) => send(client, id), done },
      (result) => {
        all.push(result)
        setResults([...all])
      },
    )
    setState('done')
    announce(`${plural(all.filter(({ isDone }) => isDone).length, 'run')} ${done}.`)
  }
  return { results, state, start }
}

export function BulkDialog({ action, runs, onClose }: BulkDialogProps) {
  const { results, state, start } = useWork(action, runs)
  const count = plural(runs.length, 'run')
  const closeButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (state === 'done') closeButton.current?.focus()
  }, [state])
  const title = state === 'asks' ? `${action.verb} ${count}?` : `${action.working} ${count}`
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {state === 'asks' && <p>{action.note}</p>}
      <ul className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto rounded-md border border-line">
        {runs.map((run) => (
          <Item key={run.id} run={run} result={results.find(({ id }) => id === run.id)} isStarted={state !== 'asks'} />
        ))}
      </ul>
      {state === 'asks' ? (
        <Question action={action} count={runs.length} onKeep={onClose} onStart={() => void start()} />
      ) : (
        <div className="flex justify-end">
          <Button ref={closeButton} variant="primary" disabled={state === 'works'} onClick={onClose}>
            {state === 'works' ? `${results.length} of ${runs.length}…` : 'Close'}
          </Button>
        </div>
      )}
    </Dialog>
  )
}

interface QuestionProps {
  readonly action: BulkAction
  readonly count: number
  readonly onKeep: () => void
  readonly onStart: () => void
}

function Question({ action, count, onKeep, onStart }: QuestionProps) {
  const [typed, setTyped] = useState('')
  return (
    <>
      {action.isTyped && (
        <Field label={`Type ${count} to confirm`}>
          {(field) => (
            <input
              {...field}
              inputMode="numeric"
              autoComplete="off"
              className={`${inputClass} max-w-32`}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      )}
      <Choice keep={action.keep} onKeep={onKeep}>
        <Button
          variant={action.isDangerous ? 'danger' : 'primary'}
          disabled={action.isTyped && typed.trim() !== String(count)}
          onClick={onStart}
        >
          {action.verb} {plural(count, 'run')}
        </Button>
      </Choice>
    </>
  )
}

interface ItemProps {
  readonly run: ListedRun
  readonly result: BulkResult | undefined
  readonly isStarted: boolean
}

function Item({ run, result, isStarted }: ItemProps) {
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 px-3 py-1.5 text-sm">
      <span className="min-w-0 wrap-anywhere">
        <RunName run={run} />
      </span>
      {result ? (
        <span className={result.isDone ? 'text-muted' : 'text-bad'}>{result.words}</span>
      ) : (
        isStarted && <span className="text-muted">…</span>
      )}
    </li>
  )
}
