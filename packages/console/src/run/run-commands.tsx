// The commands that the status of the run allows: resume, retry, cancel, and run again.
import type { EventPayload, RunDetail, RunStatus } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { announce } from '../parts/layout/status-line.tsx'
import { useSession } from '../session/session.ts'
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
  const [isConfirming, setConfirming] = useState(false)
  const { mutate, isPending, error } = useCommand(run.id)
  const again = useRunAgain({ run, created })
  if (!can('runs:write')) return null
  const possible = allowed[run.status]
  const send = (command: Command) => {
    setConfirming(false)
    mutate(command)
  }
  return (
    <div className="flex flex-col items-end gap-2">
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Commands</legend>
        {isConfirming && possible.includes('cancel') ? (
          <>
            <span className="self-center text-sm">A cancelled run cannot be resumed.</span>
            <Button variant="danger" onClick={() => send('cancel')}>
              Yes, cancel it
            </Button>
            <Button autoFocus onClick={() => setConfirming(false)}>
              Keep it
            </Button>
          </>
        ) : (
          <>
            {possible.map((command) => (
              <Button
                key={command}
                variant={command === 'cancel' ? 'danger' : 'primary'}
                disabled={isPending}
                onClick={() => (command === 'cancel' ? setConfirming(true) : send(command))}
              >
                {names[command]}
              </Button>
            ))}
            <Button disabled={again.isPending} onClick={() => again.runAgain()}>
              Run again
            </Button>
            <Button variant="quiet" onClick={() => again.edit()}>
              Edit and run again
            </Button>
          </>
        )}
      </fieldset>
      {(error ?? again.error) && <Problem error={error ?? again.error} />}
    </div>
  )
}
