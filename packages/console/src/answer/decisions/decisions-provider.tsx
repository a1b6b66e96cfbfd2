// Keeps the decisions of the signed-in person and sends them. Asks before the page is closed with one that is not sent.
import { type Runwright, RunwrightError } from '@runwright/client'
import type { AwaitingInput } from '@runwright/contract'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { announce } from '../../parts/layout/status-line.tsx'
import { isRefusedKey } from '../../session/query-client.ts'
import { useSession } from '../../session/session.ts'
import { type Answer, type Decision, DecisionBox, isOpen } from './decision-box.ts'
import { type Decisions, DecisionsContext } from './decisions.ts'
import { ShownPanels } from './shown-panels.ts'
import { notesOf, type StoredNote, StoredNotes } from './unsent-notes.ts'
import { UnsentNotices } from './unsent-notices.tsx'

/** The words are loaded with the page of the question. */
const tell = async (answer: Answer, wait: AwaitingInput | undefined, keyId: string | undefined) => {
  const { countedWords, wordsOf } = await import('./decision-words.ts')
  announce(wait ? countedWords(wait, keyId) : wordsOf(answer).done)
}

const isConflict = (error: unknown) => error instanceof RunwrightError && error.reasonCode === 'RUN_NOT_AWAITING_INPUT'

/** The wait of this answer, if it goes on. The service has the answer, whatever becomes of this. */
const readWait = async (client: Runwright, { runId, awaitSeq }: Decision): Promise<AwaitingInput | undefined> => {
  const { awaiting_input: wait } = await client.runs.get(runId, { include: ['awaiting_input'] }).catch(() => nothing)
  return wait?.seq === awaitSeq ? wait : undefined
}

const nothing = { awaiting_input: undefined }

const useBox = () => {
  const { client, signOut, signedInKey } = useSession()
  const signedIn = useRef(signedInKey)
  useEffect(() => {
    signedIn.current = signedInKey
  }, [signedInKey])
  const queries = useQueryClient()
  const [made] = useState(() => {
    const notes = new StoredNotes(() => signedIn.current)
    const earlier = notes.take()
    const refresh = (runId: string) => {
      void queries.invalidateQueries({ queryKey: ['run-counts'] })
      void queries.invalidateQueries({ queryKey: ['run', runId] })
    }
    const box = new DecisionBox({
      send: async (decision) => {
        const { runId, awaitSeq, answer, idempotencyKey } = decision
        await client.runs.signal(runId, { ...answer, await_seq: awaitSeq }, { idempotencyKey })
        return readWait(client, decision)
      },
      isConflict,
      isOnline: () => navigator.onLine,
      notes,
      onSent: ({ runId, answer }, wait) => {
        void tell(answer, wait, signedIn.current?.key_id)
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
  const [notices, setNotices] = useState<readonly StoredNote[]>(earlier)
  const { signedInKey } = useSession()
  const [decisions] = useState<Decisions>(() => ({ box, panels: new ShownPanels() }))
  useAskBeforeLeaving(box)
  useEffect(() => box.close, [box])
  return (
    <DecisionsContext value={decisions}>
      {children}
      <UnsentNotices notes={notesOf(notices, signedInKey)} onClose={() => setNotices([])} />
    </DecisionsContext>
  )
}
