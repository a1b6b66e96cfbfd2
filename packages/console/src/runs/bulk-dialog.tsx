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
  /** Whether the work was begun. */
  readonly onClose: (isBegun: boolean) => void
}

const useWork = ({ send, done }: BulkAction, runs: readonly ListedRun[]) => {
  const { client } = useSession()
  const [results, setResults] = useState<readonly BulkResult[]>([])
  const [state, setState] = useState<'asks' | 'works' | 'stops' | 'done'>('asks')
  const stopped = useRef(new AbortController())
  useEffect(() => () => stopped.current.abort(), [])
  const start = async () => {
    stopped.current = new AbortController()
    setState('works')
    const all: BulkResult[] = []
    await workOnRuns(
      runs.map(({ id }) => id),
      { send: (id) => send(client, id), done, signal: stopped.current.signal },
      (result) => {
        all.push(result)
        setResults([...all])
      },
    )
    setState('done')
    announce(summaryOf(all, done))
  }
  const stop = () => {
    setState('stops')
    stopped.current.abort()
  }
  return { results, state, start, stop }
}

const summaryOf = (results: readonly BulkResult[], done: string): string => {
  const count = results.filter(({ isDone }) => isDone).length
  const left = results.length - count
  const others = left === 0 ? '' : ` ${plural(left, 'run was', 'runs were')} not.`
  return `${plural(count, 'run')} ${done}.${others}`
}

export function BulkDialog({ action, runs, onClose }: BulkDialogProps) {
  const { results, state, start, stop } = useWork(action, runs)
  const count = plural(runs.length, 'run')
  const closeButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (state === 'done') closeButton.current?.focus()
  }, [state])
  const close = () => {
    if (state === 'works') stop()
    else if (state !== 'stops') onClose(state === 'done')
  }
  const title = state === 'asks' ? `${action.verb} ${count}?` : `${action.working} ${count}`
  return (
    <Dialog title={title} isOpen onClose={close}>
      {state === 'asks' && <p>{action.note}</p>}
      <ul className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto rounded-md border border-line">
        {runs.map((run) => (
          <Item key={run.id} run={run} result={results.find(({ id }) => id === run.id)} isStarted={state !== 'asks'} />
        ))}
      </ul>
      {state === 'asks' ? (
        <Question action={action} count={runs.length} onKeep={close} onStart={() => void start()} />
      ) : (
        <div className="flex flex-wrap items-center justify-end gap-2">
          {state === 'works' && <Button onClick={close}>Stop</Button>}
          <span role="status" className="text-sm text-muted">
            {state === 'stops' && 'Stopping after those on their way…'}
          </span>
          <Button ref={closeButton} variant="primary" disabled={state !== 'done'} onClick={close}>
            {state === 'done' ? 'Close' : `${results.length} of ${runs.length}…`}
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
