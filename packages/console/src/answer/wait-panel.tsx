// A run that waits for a person: what it asks, and the answer. The draft stays if somebody else answers first.
import type { AwaitingInput } from '@runwright/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Problem } from '../parts/errors/problem.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Countdown } from '../parts/values/duration.tsx'
import { useSession } from '../session/session.ts'
import { AnswerControls } from './answer-controls.tsx'
import { AnswerWords } from './answer-record.tsx'
import { emptyDraft } from './draft.ts'
import { Question } from './question.tsx'
import { useAnswer } from './use-answer.ts'

interface WaitPanelProps {
  readonly run: { readonly id: string }
  readonly wait: AwaitingInput
  /** The run no longer waits for this answer: the panel says who answered, and keeps the draft. */
  readonly isOver?: boolean
  /** Registers `a` and `r`. Only one panel of a page may do so. */
  readonly hasShortcuts?: boolean
  /** This page answered, and the service took the answer. */
  readonly onAnswered: () => void
  /** Closes the panel of a wait that is over. */
  readonly onClose?: (() => void) | undefined
}

export function WaitPanel({ run, wait, isOver = false, hasShortcuts = false, onAnswered, onClose }: WaitPanelProps) {
  const { can } = useSession()
  const [draft, setDraft] = useState(() => emptyDraft(wait))
  const answer = useAnswer(run.id, wait.seq, onAnswered)
  const isLate = isOver || answer.isConflict
  return (
    <Panel
      title={isLate ? 'This run was awaiting input' : 'This run is awaiting input'}
      tone="warn"
      aside={!isLate && <Countdown until={wait.expires_at} />}
    >
      <div className="flex flex-col gap-4">
        <Question wait={wait} />
        {isLate && !answer.isSent && <AnsweredElsewhere runId={run.id} seq={wait.seq} onClose={onClose} />}
        {answer.error && !isLate && <Problem error={answer.error} />}
        {can('runs:signal') ? (
          <AnswerControls
            wait={wait}
            draft={draft}
            onDraft={setDraft}
            state={answer.isSending ? 'sending' : answer.isSent ? 'sent' : isLate ? 'late' : 'open'}
            hasShortcuts={hasShortcuts}
            onAnswer={answer.send}
          />
        ) : (
          <p className="rounded-md border border-line bg-sunken px-3 py-2 text-sm">
            Your key may read this run, but not answer it: it does not have the scope <code>runs:signal</code>. Sign in
            with another key, or ask somebody who has one.
          </p>
        )}
      </div>
    </Panel>
  )
}

interface AnsweredElsewhereProps {
  readonly runId: string
  /** The `seq` of the wait. */
  readonly seq: number
  readonly onClose: (() => void) | undefined
}

/** Somebody else was faster, or the wait ended: says who answered what. */
function AnsweredElsewhere({ runId, seq, onClose }: AnsweredElsewhereProps) {
  const { client } = useSession()
  const { data, isPending } = useQuery({
    queryKey: ['run', runId, 'answer-to', seq],
    queryFn: ({ signal }) => client.runs.get(runId, { include: ['signals'], signal }),
  })
  const signal = data?.signals?.find((one) => one.seq > seq)
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-3 rounded-md border border-info/40 bg-info/10 px-3 py-2.5"
    >
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {isPending
            ? 'This was answered already.'
            : signal
              ? 'Somebody else answered first.'
              : 'The run no longer awaits this input.'}
        </p>
        {signal && <AnswerWords signal={signal} />}
        <p className="text-sm text-muted">What you entered was not sent. It stays here until you close it.</p>
      </div>
      {onClose && <Button onClick={onClose}>Close</Button>}
    </div>
  )
}
