// The cancel, retry and resume buttons, enabled if the status of the run allows the command.
import type { RunDetail, RunStatus } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Problem } from '../parts/problem.tsx'
import { useSession } from '../session/session.ts'

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

const useCommand = (id: string) => {
  const { client } = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (command: Command) => client.runs[command](id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', id] }),
  })
}

export function RunCommands({ run }: { readonly run: RunDetail }) {
  const [isConfirming, setConfirming] = useState(false)
  const { mutate, isPending, error } = useCommand(run.id)
  const isAllowed = (command: Command) => !isPending && allowed[run.status].includes(command)
  const send = (command: Command) => {
    setConfirming(false)
    mutate(command)
  }
  return (
    <div className="flex flex-col items-end gap-2">
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Commands</legend>
        {isConfirming && isAllowed('cancel') ? (
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
          commands.map((command) => (
            <Button
              key={command}
              variant={command === 'cancel' ? 'danger' : 'plain'}
              disabled={!isAllowed(command)}
              onClick={() => (command === 'cancel' ? setConfirming(true) : send(command))}
            >
              {names[command]}
            </Button>
          ))
        )}
      </fieldset>
      {error && <Problem error={error} />}
    </div>
  )
}
