// Somebody else was faster, or the wait ended: says who answered what.
import { useQuery } from '@tanstack/react-query'
import { Button } from '../parts/controls/button.tsx'
import { useSession } from '../session/session.ts'
import { AnswerWords } from './answer-record.tsx'

interface AnsweredElsewhereProps {
  readonly runId: string
  /** The `seq` of the wait. */
  readonly seq: number
  /** The answer of this person was counted before. */
  readonly isCounted: boolean
  readonly onClose: (() => void) | undefined
}

export function AnsweredElsewhere({ runId, seq, isCounted, onClose }: AnsweredElsewhereProps) {
  const { client } = useSession()
  const { data, isPending } = useQuery({
    queryKey: ['run', runId, 'answer-to', seq],
    queryFn: ({ signal }) => client.runs.get(runId, { include: ['signals'], signal }),
  })
  // A run writes nothing while it waits, so the answer is its next event.
  const signal = data?.signals?.find((one) => one.seq === seq + 1 && !one.counted)
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
              ? isCounted
                ? 'This is answered. Your answer was counted.'
                : 'Somebody else answered first.'
              : 'The run no longer awaits this input.'}
        </p>
        {signal && <AnswerWords signal={signal} />}
        {!isCounted && (
          <p className="text-sm text-muted">What you entered was not sent. It stays here until you close it.</p>
        )}
      </div>
      {onClose && <Button onClick={onClose}>Close</Button>}
    </div>
  )
}
