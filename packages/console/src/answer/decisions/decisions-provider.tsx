// Keeps the decisions of the signed-in person and sends them. Asks before the page is closed with one that is not sent.
import { RunwrightError } from '@runwright/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { announce } from '../../parts/layout/status-line.tsx'
import { isRefusedKey } from '../../session/query-client.ts'
import { useSession } from '../../session/session.ts'
import { type Answer, DecisionBox, isOpen } from './decision-box.ts'
import { type Decisions, DecisionsContext } from './decisions.ts'
import { ShownPanels } from './shown-panels.ts'
import { StoredNotes, type UnsentNote } from './unsent-notes.ts'
import { UnsentNotices } from './unsent-notices.tsx'

/** The words are loaded with the page of the question. */
const tell = async (answer: Answer) => announce((await import('./decision-words.ts')).wordsOf(answer).done)

const isConflict = (error: unknown) => error instanceof RunwrightError && error.status === 409

const useBox = () => {
  const { client, signOut } = useSession()
  const queries = useQueryClient()
  const [made] = useState(() => {
    const notes = new StoredNotes()
    const earlier = notes.take()
    const refresh = (runId: string) => {
      void queries.invalidateQueries({ queryKey: ['run-counts'] })
      void queries.invalidateQueries({ queryKey: ['run', runId] })
    }
    const box = new DecisionBox({
      send: ({ runId, awaitSeq, answer, idempotencyKey }) =>
        client.runs.signal(runId, { ...answer, await_seq: awaitSeq }, { idempotencyKey }),
      isConflict,
      isOnline: () => navigator.onLine,
      notes,
      onSent: ({ runId, answer }) => {
        void tell(answer)
        refresh(runId)
      },
      onFailed: ({ runId }, error) => {
        refresh(runId)
        if (isRefusedKey(error)) void signOut(`You were signed out. ${error.message}`)
      },
    })
    return { box, earlier }
  })
  return made
}

/** The browser asks whether to leave. */
const useAskBeforeLeaving = (box: DecisionBox) => {
  const isAny = useSyncExternalStore(box.subscribe, () => box.snapshot().some(isOpen))
  useEffect(() => {
    if (!isAny) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isAny])
}

export function DecisionsProvider({ children }: { readonly children: ReactNode }) {
  const { box, earlier } = useBox()
  const [notices, setNotices] = useState<readonly UnsentNote[]>(earlier)
  const [decisions] = useState<Decisions>(() => ({ box, panels: new ShownPanels() }))
  useAskBeforeLeaving(box)
  useEffect(() => box.close, [box])
  return (
    <DecisionsContext value={decisions}>
      {children}
      <UnsentNotices notes={notices} onClose={() => setNotices([])} />
    </DecisionsContext>
  )
}
