// Equal questions on one page, answered with one press. Each answer is a decision of its own, with its own countdown
// and undo. The list stays as it was opened: nothing moves under the pointer, and nothing joins unread.
import { maxCallErrorLength, visibleText } from '@runwright/contract'
import { type FormEvent, useState } from 'react'
import { ApproveButton, ShowAllFirst } from '../answer/approve-button.tsx'
import { Approvers } from '../answer/approvers.tsx'
import type { Answer } from '../answer/decisions/decision-box.ts'
import { useDecisionBox } from '../answer/decisions/decisions.ts'
import { HasRead } from '../answer/question.tsx'
import { useAreGrave } from '../answer/use-is-grave.ts'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { plural } from '../parts/values/plural.ts'
import { ShownPartsProvider, useShownParts } from '../parts/values/shown-parts.ts'
import { runName } from '../runs/run-name.tsx'
import { TogetherQuestion } from './together-question.tsx'
import { type WaitingRun, waitKey } from './waiting-runs.ts'

interface TogetherPanelProps {
  /** As they were when the panel was opened. */
  readonly runs: readonly [WaitingRun, ...WaitingRun[]]
  readonly isWaiting: (run: WaitingRun) => boolean
  readonly onDecided: () => void
  readonly onBack: () => void
}

const useChoice = (runs: readonly WaitingRun[], isWaiting: (run: WaitingRun) => boolean) => {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  return {
    chosen: runs.filter((run) => isWaiting(run) && !left.has(waitKey(run))),
    choose: (run: WaitingRun, isChosen: boolean) =>
      setLeft((was) => {
        const next = new Set(was)
        if (isChosen) next.delete(waitKey(run))
        else next.add(waitKey(run))
        return next
      }),
  }
}

export function TogetherPanel({ runs, isWaiting, onDecided, onBack }: TogetherPanelProps) {
  const box = useDecisionBox()
  const { chosen, choose } = useChoice(runs, isWaiting)
  const { parts, unseen, offScreen, showAll } = useShownParts()
  const [isDenying, setDenying] = useState(false)
  // "Show all first" goes away once all was shown.
  const keptFocus = useKeptFocus<HTMLElement>()
  const { tool, why, has_read, approvals } = runs[0].awaiting_input
  const name = visibleText(tool ?? '')
  const isGrave = useAreGrave([tool ?? ''])
  const care = { isGrave, unseen, offScreen, onShowAll: showAll }
  const decide = (answer: Answer) => {
    for (const run of chosen)
      box.decide({ runId: run.id, awaitSeq: run.awaiting_input.seq, name: runName(run) }, answer)
    onDecided()
  }
  return (
    <Panel
      title={`${plural(runs.length, 'question')} about ${name}`}
      tone="warn"
      aside={
        // The questions follow it: Tab leads through all of them to the answer.
        <Button variant="quiet" autoFocus onClick={onBack}>
          Back to one question
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          {approvals > 1
            ? `If you approve, that counts as one of ${approvals} approvals. After the last one, each chosen run calls `
            : 'If you approve, each chosen run calls '}
          <span className="font-mono text-sm font-semibold">{name}</span> with exactly the arguments that are shown for
          it.
        </p>
        {why !== null && <p className="text-sm wrap-anywhere">Why they ask: {visibleText(why)}</p>}
        <HasRead kinds={has_read} />
        {/* When others may decide, too, and who has decided differs between them. */}
        <Approvers wait={{ ...runs[0].awaiting_input, escalates_at: null, decisions: [] }} />
        <ol className="flex flex-col gap-3">
          {runs.map((run, index) => (
            <li key={waitKey(run)}>
              {/* What is left out need not be seen. */}
              <ShownPartsProvider value={chosen.includes(run) ? parts : undefined}>
                <TogetherQuestion
                  run={run}
                  number={index + 1}
                  isWaiting={isWaiting(run)}
                  isChosen={chosen.includes(run)}
                  onChosen={(isChosen) => choose(run, isChosen)}
                />
              </ShownPartsProvider>
            </li>
          ))}
        </ol>
        <section {...keptFocus} aria-label="Answer to the questions" tabIndex={-1} className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-3">
            <ApproveButton
              name={`Approve ${chosen.length}`}
              care={care}
              disabled={chosen.length === 0}
              hasLetter={false}
              hasChord={!isDenying}
              onApprove={() => decide({ action: 'approve' })}
            />
            <Button variant="quiet" aria-expanded={isDenying} onClick={() => setDenying(!isDenying)}>
              Deny these calls…
            </Button>
          </div>
          {isDenying && (
            <DenialForm count={chosen.length} onDeny={(deny) => decide({ action: 'submit_input', call: { deny } })} />
          )}
          {chosen.length > 0 && <ShowAllFirst care={care} />}
        </section>
      </div>
    </Panel>
  )
}

interface DenialFormProps {
  readonly count: number
  readonly onDeny: (reason: string) => void
}

function DenialForm({ count, onDeny }: DenialFormProps) {
  const [reason, setReason] = useState('')
  const isBlocked = count === 0 || reason.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBlocked) onDeny(reason.trim())
  }
  return (
    <form onSubmit={submit} className="flex max-w-2xl flex-col gap-2">
      <Field
        label="Why are the calls not made?"
        hint="The model of each run reads this reason and goes on. A step of a plan that only makes the call fails."
      >
        {(field) => (
          <textarea
            {...field}
            // biome-ignore lint/a11y/noAutofocus: the field appears because the user pressed its button.
            autoFocus
            rows={2}
            maxLength={maxCallErrorLength}
            className={inputClass}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" className="self-start" disabled={isBlocked}>
        Deny {plural(count, 'call')}
      </Button>
    </form>
  )
}
