// The commands that the status of the run allows: resume, retry, cancel, and run again.
import type { EventPayload, RunDetail, RunStatus } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { RunLinks } from '../fork/run-links.tsx'
import { Button } from '../parts/controls/button.tsx'
import { Choice } from '../parts/controls/choice.tsx'
import { Dialog } from '../parts/controls/dialog.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { useSession } from '../session/session.ts'
import { RunAgainDialog } from './run-again-dialog.tsx'
import { useRunAgain } from './use-run-again.ts'

const commands = ['resume', 'retry', 'cancel'] as const
type Command = (typeof commands)[number]

const allowed: Readonly<Record<RunStatus, readonly Command[]>> = {
  queued: ['cancel'],
  running: ['cancel'],
  stalled: ['resume', 'cancel'],
  succeeded: [],
  failed: ['retry'],
  cancelled: [],
}

const names: Readonly<Record<Command, string>> = { resume: 'Resume', retry: 'Retry', cancel: 'Cancel run' }
const done: Readonly<Record<Command, string>> = {
  resume: 'The run goes on.',
  retry: 'The run is retried.',
  cancel: 'The run is cancelled.',
}

export const useCommand = (id: string) => {
  const { client } = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (command: Command) => client.runs[command](id),
    onSuccess: (_run, command) => announce(done[command]),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', id] }),
  })
}

interface RunCommandsProps {
  readonly run: RunDetail
  readonly created: EventPayload<'run.created'> | undefined
}

export function RunCommands({ run, created }: RunCommandsProps) {
  const { can } = useSession()
  const [asks, setAsks] = useState<'cancel' | 'again'>()
  const { mutate, isPending, error } = useCommand(run.id)
  const again = useRunAgain({ run, created })
  const keptFocus = useKeptFocus<HTMLFieldSetElement>()
  if (!can('runs:write')) return null
  const possible = allowed[run.status]
  const answer = (action: () => void) => () => {
    setAsks(undefined)
    action()
  }
  return (
    <fieldset {...keptFocus} tabIndex={-1} className="flex flex-col items-end gap-2">
      <legend className="sr-only">Commands</legend>
      <div className="flex flex-wrap items-center gap-2">
        {possible
          .filter((command) => command !== 'cancel')
          .map((command) => (
            <Button key={command} variant="primary" disabled={isPending} onClick={() => mutate(command)}>
              {names[command]}
            </Button>
          ))}
        <Button disabled={again.isPending} onClick={() => setAsks('again')}>
          Run again…
        </Button>
        <Button variant="quiet" onClick={() => again.edit()}>
          Edit and run again
        </Button>
        <RunLinks run={run} />
        {possible.includes('cancel') && (
          <span className="ml-4 border-l border-line pl-4">
            <Button variant="danger" disabled={isPending} onClick={() => setAsks('cancel')}>
              Cancel run…
            </Button>
          </span>
        )}
      </div>
      {(error ?? again.error) && <Problem error={error ?? again.error} />}
      <Dialog title="Cancel this run?" isOpen={asks === 'cancel'} onClose={() => setAsks(undefined)}>
        <p>It stops at once. A cancelled run cannot be resumed.</p>
        <Choice keep="Keep it" onKeep={() => setAsks(undefined)}>
          <Button variant="danger" onClick={answer(() => mutate('cancel'))}>
            Yes, cancel it
          </Button>
        </Choice>
      </Dialog>
      <RunAgainDialog isOpen={asks === 'again'} onClose={() => setAsks(undefined)} onYes={answer(again.runAgain)} />
    </fieldset>
  )
}
