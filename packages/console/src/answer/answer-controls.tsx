// The ways to answer: two buttons, a reason, and data.
import { type AwaitingInput, maxCallErrorLength } from '@runwright/contract'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { DataForm } from './data-form.tsx'
import { type Draft, failureOf, rejectionOf, submissionOf } from './draft.ts'
import { isAboutOutcome } from './question.tsx'
import type { Answer } from './use-answer.ts'

interface AnswerControlsProps {
  readonly wait: AwaitingInput
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  /** Late: somebody else answered. */
  readonly state: 'open' | 'sending' | 'sent' | 'late'
  readonly hasShortcuts: boolean
  readonly onAnswer: (answer: Answer) => void
}

export function AnswerControls({ wait, draft, onDraft, state, hasShortcuts, onAnswer }: AnswerControlsProps) {
  const isDisabled = state !== 'open'
  const openPart = (open: Draft['open']) => onDraft({ ...draft, open: draft.open === open ? undefined : open })
  const approve = () => onAnswer({ action: 'approve' })
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        {wait.input_kind !== 'payload' && (
          <Button variant="primary" disabled={isDisabled} onClick={approve}>
            {state === 'sending' ? 'Sending…' : state === 'sent' ? 'Sent' : 'Approve'}
          </Button>
        )}
        <Button
          variant="danger"
          disabled={isDisabled}
          aria-expanded={draft.open === 'reason'}
          onClick={() => openPart('reason')}
        >
          Reject…
        </Button>
        {isAboutOutcome(wait.reason_code) && (
          <Button
            variant="quiet"
            disabled={isDisabled}
            aria-expanded={draft.open === 'error'}
            onClick={() => openPart('error')}
          >
            The call failed…
          </Button>
        )}
        <Button
          variant="quiet"
          disabled={isDisabled}
          aria-expanded={draft.open === 'data'}
          onClick={() => openPart('data')}
        >
          {isAboutOutcome(wait.reason_code) ? 'Give its result…' : 'Answer with data…'}
        </Button>
        {hasShortcuts && !isDisabled && <Shortcuts onApprove={approve} onReject={() => openPart('reason')} />}
      </div>
      {draft.open === 'reason' && (
        <ReasonForm draft={draft} onDraft={onDraft} isDisabled={isDisabled} onAnswer={onAnswer} />
      )}
      {draft.open === 'error' && (
        <ErrorForm draft={draft} onDraft={onDraft} isDisabled={isDisabled} onAnswer={onAnswer} />
      )}
      {draft.open === 'data' && (
        <DataPart draft={draft} onDraft={onDraft} isDisabled={isDisabled} onAnswer={onAnswer} />
      )}
    </div>
  )
}

interface ShortcutsProps {
  readonly onApprove: () => void
  readonly onReject: () => void
}

function Shortcuts({ onApprove, onReject }: ShortcutsProps) {
  useShortcut('a', 'Approve', onApprove)
  useShortcut('r', 'Reject', onReject)
  return null
}

interface PartProps {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly isDisabled: boolean
  readonly onAnswer: (answer: Answer) => void
}

function ReasonForm({ draft, onDraft, isDisabled, onAnswer }: PartProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAnswer(rejectionOf(draft))
  }
  return (
    <form onSubmit={submit} className="flex max-w-2xl flex-col gap-2">
      <Field label="Why do you reject it?" hint="The reason is kept with the run. The run fails.">
        {(field) => (
          <textarea
            {...field}
            // biome-ignore lint/a11y/noAutofocus: the field appears because the user pressed Reject.
            autoFocus
            rows={2}
            className={inputClass}
            value={draft.reason}
            onChange={(event) => onDraft({ ...draft, reason: event.target.value })}
          />
        )}
      </Field>
      <Button type="submit" variant="danger" className="self-start" disabled={isDisabled}>
        Reject and fail the run
      </Button>
    </form>
  )
}

function ErrorForm({ draft, onDraft, isDisabled, onAnswer }: PartProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAnswer(failureOf(draft))
  }
  return (
    <form onSubmit={submit} className="flex max-w-2xl flex-col gap-2">
      <Field label="How did the call fail?" hint="The run goes on as if the tool had returned this error.">
        {(field) => (
          <textarea
            {...field}
            // biome-ignore lint/a11y/noAutofocus: the field appears because the user pressed its button.
            autoFocus
            rows={2}
            maxLength={maxCallErrorLength}
            className={inputClass}
            value={draft.error}
            onChange={(event) => onDraft({ ...draft, error: event.target.value })}
          />
        )}
      </Field>
      <Button type="submit" variant="primary" className="self-start" disabled={isDisabled || draft.error.trim() === ''}>
        Say that it failed
      </Button>
    </form>
  )
}

function DataPart({ draft, onDraft, isDisabled, onAnswer }: PartProps) {
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const submission = submissionOf(draft)
    setProblem('problem' in submission ? submission.problem : undefined)
    if ('answer' in submission) onAnswer(submission.answer)
  }
  return (
    <form onSubmit={submit} noValidate className="flex max-w-2xl flex-col gap-3">
      <DataForm draft={draft} onDraft={onDraft} problem={problem} />
      <Button type="submit" variant="primary" className="self-start" disabled={isDisabled}>
        Send the data
      </Button>
    </form>
  )
}
