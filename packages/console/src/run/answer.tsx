// Sends a signal to a waiting run. The signal contains the `seq` of the wait, so that it cannot apply to a later one.
import type { RunDetail, Signal } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Problem } from '../parts/problem.tsx'
import { useSession } from '../session/session.ts'
import { AnswerForm } from './answer-form.tsx'

const useAnswer = (runId: string) => {
  const { client } = useSession()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (signal: Signal) => client.runs.signal(runId, signal),
    onSettled: () => queries.invalidateQueries({ queryKey: ['run', runId] }),
  })
}

/** The error stays visible without the form: the wait may be over because another user was faster. */
export function Answer({ run: { id, awaiting_input: wait } }: { readonly run: RunDetail }) {
  const { mutate, error, isPending, isSuccess, variables } = useAnswer(id)
  const wasSent = isSuccess && variables.await_seq === wait?.seq
  return (
    <>
      {error && <Problem error={error} />}
      {wait && (
        <AnswerForm
          key={wait.seq}
          wait={wait}
          state={isPending ? 'sending' : wasSent ? 'sent' : 'open'}
          onAnswer={mutate}
        />
      )}
    </>
  )
}
