// One of several equal questions: its run, its arguments, and whether the common answer is for it, too.
import { Link } from '@tanstack/react-router'
import { DecidedSoFar } from '../answer/approvers.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { Countdown } from '../parts/values/duration.tsx'
import { RunName, runName } from '../runs/run-name.tsx'
import type { WaitingRun } from './waiting-runs.ts'

interface TogetherQuestionProps {
  readonly run: WaitingRun
  readonly number: number
  /** It has no answer yet. */
  readonly isWaiting: boolean
  readonly isChosen: boolean
  readonly onChosen: (isChosen: boolean) => void
}

export function TogetherQuestion({ run, number, isWaiting, isChosen, onChosen }: TogetherQuestionProps) {
  const wait = run.awaiting_input
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-line px-3 pb-3">
      <legend className="px-1 text-sm">
        <label className="flex items-center gap-2 font-medium wrap-anywhere">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={isChosen}
            disabled={!isWaiting}
            onChange={({ target }) => onChosen(target.checked)}
          />
          <span>
            {number}. <RunName run={run} />
          </span>
        </label>
      </legend>
      <ArgumentsTable label={`Arguments of question ${number}`} value={wait.arguments} />
      <DecidedSoFar wait={wait} />
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        {isWaiting ? <Countdown until={wait.expires_at} /> : <span>no longer awaits input</span>}
        <Link
          to="/runs/$runId"
          params={{ runId: run.id }}
          aria-label={`Open the run ${runName(run)}`}
          className="font-medium text-accent underline"
        >
          Open the run
        </Link>
      </p>
    </fieldset>
  )
}
