// Sends the answer. It carries the `seq` of the wait, so that it cannot apply to a later one, and one idempotency key
// per answer, so that sending it again after a lost reply is safe.
import { RunwrightError } from '@runwright/client'
import type { Signal } from '@runwright/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { announce } from '../parts/layout/status-line.tsx'
import { randomKey } from '../parts/random-key.ts'
import { useSession } from '../session/session.ts'

export type Answer = Pick<Signal, 'action' | 'payload' | 'call'>

const isConflict = (error: unknown) => error instanceof RunwrightError && error.status === 409

const done: Readonly<Record<Signal['action'], string>> = {
  approve: 'Approved.',
  reject: 'Rejected.',
  submit_input: 'Your data was sent.',
}

export const useAnswer = (runId: string, awaitSeq: number, onAnswered: () => void) => {
  const { client } = useSession()
  const queries = useQueryClient()
  const lastSent = useRef<{ readonly text: string; readonly key: string }>(undefined)
  const keyFor = (answer: Answer) => {
    const text = JSON.stringify(answer)
    if (lastSent.current?.text !== text) lastSent.current = { text, key: randomKey() }
    return lastSent.current.key
  }
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: (answer: Answer) =>
      client.runs.signal(runId, { ...answer, await_seq: awaitSeq }, { idempotencyKey: keyFor(answer) }),
    onSuccess: (_result, { action }) => {
      announce(done[action])
      onAnswered()
    },
    onSettled: () => {
      // The count in the navigation.
      void queries.invalidateQueries({ queryKey: ['run-counts'] })
      return queries.invalidateQueries({ queryKey: ['run', runId] })
    },
  })
  return { send: mutate, error, isConflict: isConflict(error), isSending: isPending, isSent: isSuccess }
}
