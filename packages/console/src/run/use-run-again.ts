// Creates a run with the same request, or opens the form with it.
import type { EventPayload, RunClass, RunDetail } from '@runwright/contract'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { announce } from '../parts/layout/status-line.tsx'
import { randomKey } from '../parts/random-key.ts'
import { useSession } from '../session/session.ts'
import { againRequest } from './again-request.ts'

interface RunAgainSources {
  readonly run: RunDetail
  readonly created: EventPayload<'run.created'> | undefined
}

export const useRunAgain = ({ run, created }: RunAgainSources) => {
  const { client } = useSession()
  const navigate = useNavigate()
  const edit = (runClass?: RunClass) =>
    void navigate({ to: '/create', search: { from: run.id, ...(runClass && { run_class: runClass }) } })
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (runClass: RunClass | undefined) => {
      const { input: sent } = await client.runs.get(run.id, { include: ['input'] })
      if (!sent) return undefined
      const { request, isMasked } = againRequest({ run, sent, created, ...(runClass && { runClass }) })
      return isMasked ? undefined : client.runs.create(request, { idempotencyKey: randomKey() })
    },
    onSuccess: (copy, runClass) => {
      if (!copy) return edit(runClass)
      announce('A new run was created.')
      void navigate({ to: '/runs/$runId', params: { runId: copy.id } })
    },
  })
  return { runAgain: (runClass?: RunClass) => mutate(runClass), edit, isPending, error }
}
