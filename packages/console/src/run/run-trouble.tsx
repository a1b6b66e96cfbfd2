// Why a run failed, is stalled or was cancelled, in words, with the next action as a button.
import { type EventPayload, type RunDetail, visibleText } from '@runwright/contract'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Icon } from '../parts/controls/icon.tsx'
import { useSession } from '../session/session.ts'
import { adviceFor, type NextAction } from './failure-advice.ts'
import { RunAgainDialog } from './run-again-dialog.tsx'
import { useCommand } from './run-commands.tsx'
import type { Story } from './story/story.ts'
import { useRunAgain } from './use-run-again.ts'

interface RunTroubleProps {
  readonly run: RunDetail
  readonly story: Story
  readonly created: EventPayload<'run.created'> | undefined
  /** Shows an event in the raw log. */
  readonly onShowEvent: (seq: number) => void
}

interface Trouble {
  readonly title: string
  readonly code: string
  readonly message: string | null
  readonly seq: number | undefined
}

const troubleOf = ({ status, failure }: RunDetail, { reasonCode }: Story): Trouble | undefined => {
  if (status === 'failed' && failure) {
    return { title: 'This run failed', code: failure.reason_code, message: failure.message, seq: failure.seq }
  }
  if (status === 'stalled') {
    return { title: 'This run is stalled', code: reasonCode ?? 'heartbeat_lost', message: null, seq: undefined }
  }
  if (status === 'cancelled' && reasonCode !== undefined) {
    return { title: 'This run was cancelled by the service', code: reasonCode, message: null, seq: undefined }
  }
  return undefined
}

export function RunTrouble({ run, story, created, onShowEvent }: RunTroubleProps) {
  const trouble = troubleOf(run, story)
  if (!trouble) return null
  const { sentence, advice, actions } = adviceFor(trouble.code)
  return (
    <section aria-label="Failure" className="flex gap-3 rounded-lg border border-bad/40 bg-bad/8 px-4 py-3">
      <Icon name="warning" className="mt-1 text-bad" />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <h2 className="font-semibold">{trouble.title}</h2>
        <p>{visibleText(sentence)}</p>
        {trouble.message !== null && (
          <p className="border-l-2 border-bad/40 pl-3 whitespace-pre-wrap wrap-anywhere">
            {visibleText(trouble.message)}
          </p>
        )}
        {advice !== '' && <p>{advice}</p>}
        <div className="flex flex-wrap items-center gap-2 pt-1">
          <Actions run={run} created={created} actions={actions} />
          <span className="font-mono text-xs text-muted">{visibleText(trouble.code)}</span>
          {trouble.seq !== undefined && (
            <button
              type="button"
              className="text-sm text-accent underline"
              onClick={() => onShowEvent(trouble.seq as number)}
            >
              Event {trouble.seq}
            </button>
          )}
        </div>
      </div>
    </section>
  )
}

const words: Readonly<Record<NextAction, string>> = {
  retry: 'Retry the run',
  resume: 'Resume the run',
  'run again': 'Run it again…',
  'run again in class long': 'Run again in class long…',
  'edit and run again': 'Edit and run again',
}

interface ActionsProps {
  readonly run: RunDetail
  readonly created: EventPayload<'run.created'> | undefined
  readonly actions: readonly NextAction[]
}

function Actions({ run, created, actions }: ActionsProps) {
  const { can } = useSession()
  const { mutate, isPending } = useCommand(run.id)
  const again = useRunAgain({ run, created })
  const [asks, setAsks] = useState<'run again' | 'run again in class long'>()
  const does: Readonly<Record<NextAction, () => void>> = {
    retry: () => mutate('retry'),
    resume: () => mutate('resume'),
    'run again': () => setAsks('run again'),
    'run again in class long': () => setAsks('run again in class long'),
    'edit and run again': () => again.edit(),
  }
  const isPossible = (action: NextAction) =>
    (action !== 'retry' || run.status === 'failed') &&
    (action !== 'run again in class long' || run.run_class !== 'long')
  if (!can('runs:write')) return null
  const runAgain = () => {
    setAsks(undefined)
    again.runAgain(asks === 'run again in class long' ? 'long' : undefined)
  }
  return (
    <>
      {actions.filter(isPossible).map((action, index) => (
        <Button
          key={action}
          variant={index === 0 ? 'primary' : 'plain'}
          disabled={isPending || again.isPending}
          onClick={does[action]}
        >
          {words[action]}
        </Button>
      ))}
      <RunAgainDialog isOpen={asks !== undefined} onClose={() => setAsks(undefined)} onYes={runAgain} />
    </>
  )
}
