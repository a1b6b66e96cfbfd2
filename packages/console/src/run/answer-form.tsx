// The form that sends a signal to a waiting run: the prompt, the three actions, and their data.
import { type AwaitingInput, type InputKind, type Signal, type SignalAction, signalActions } from '@runwright/contract'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Field, inputClass } from '../parts/field.tsx'
import { Instant } from '../parts/instant.tsx'
import { Panel } from '../parts/panel.tsx'
import { readable } from '../parts/readable.ts'
import { type AnswerDraft, signalOf } from './signal-of.ts'

interface AnswerFormProps {
  readonly wait: AwaitingInput
  readonly state: 'open' | 'sending' | 'sent'
  readonly onAnswer: (signal: Signal) => void
}

const buttonTexts: Readonly<Record<AnswerFormProps['state'], (action: SignalAction) => string>> = {
  open: (action) => `Send: ${readable(action)}`,
  sending: () => 'Sending…',
  sent: () => 'Sent',
}

const likelyAction: Readonly<Record<InputKind, SignalAction>> = {
  approval: 'approve',
  rejection: 'reject',
  payload: 'submit_input',
}

const effects: Readonly<Record<SignalAction, string>> = {
  approve: 'The run continues.',
  reject: 'The run fails.',
  submit_input: 'The run continues with your data.',
}

export function AnswerForm({ wait, state, onAnswer }: AnswerFormProps) {
  const [draft, setDraft] = useState<AnswerDraft>({
    action: likelyAction[wait.input_kind ?? 'approval'],
    reason: '',
    json: '',
  })
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const signal = signalOf(draft, wait.seq)
    setProblem('problem' in signal ? signal.problem : undefined)
    if (!('problem' in signal)) onAnswer(signal)
  }
  return (
    <Panel title="This run is waiting for input" aside={<WaitTimes wait={wait} />}>
      <form onSubmit={submit} noValidate className="flex max-w-2xl flex-col gap-3">
        <Question wait={wait} />
        <Actions chosen={draft.action} onChoose={(action) => setDraft({ ...draft, action })} />
        <DraftField draft={draft} onDraft={setDraft} problem={problem} />
        <Button type="submit" variant="primary" className="self-start" disabled={state !== 'open'}>
          {buttonTexts[state](draft.action)}
        </Button>
      </form>
    </Panel>
  )
}

function WaitTimes({ wait }: { readonly wait: AwaitingInput }) {
  return (
    <span className="text-sm text-muted">
      since <Instant at={wait.since} />, until <Instant at={wait.expires_at} />
    </span>
  )
}

function Question({ wait }: { readonly wait: AwaitingInput }) {
  return (
    <div>
      {wait.prompt !== null && <p className="text-base font-medium whitespace-pre-wrap wrap-anywhere">{wait.prompt}</p>}
      <p className="text-sm text-muted">
        <span className="font-mono">{wait.reason_code}</span>
        {wait.input_kind !== null && ` · asks for: ${readable(wait.input_kind)}`}
      </p>
    </div>
  )
}

interface ActionsProps {
  readonly chosen: SignalAction
  readonly onChoose: (action: SignalAction) => void
}

function Actions({ chosen, onChoose }: ActionsProps) {
  return (
    <fieldset className="flex flex-col gap-2 sm:flex-row">
      <legend className="sr-only">Answer</legend>
      {signalActions.map((action) => (
        <label
          key={action}
          className="flex flex-1 items-start gap-2 rounded-md border border-line px-3 py-2 has-checked:border-accent has-checked:bg-accent/10"
        >
          <input
            type="radio"
            name="action"
            className="mt-1 accent-accent"
            checked={chosen === action}
            onChange={() => onChoose(action)}
          />
          <span>
            <span className="block font-medium first-letter:uppercase">{readable(action)}</span>
            <span className="block text-sm text-muted">{effects[action]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface DraftFieldProps {
  readonly draft: AnswerDraft
  readonly onDraft: (draft: AnswerDraft) => void
  readonly problem: string | undefined
}

function DraftField({ draft, onDraft, problem }: DraftFieldProps) {
  if (draft.action === 'approve') return null
  if (draft.action === 'reject') {
    return (
      <Field label="Reason (optional)">
        {(field) => (
          <textarea
            {...field}
            rows={2}
            className={inputClass}
            value={draft.reason}
            onChange={(event) => onDraft({ ...draft, reason: event.target.value })}
          />
        )}
      </Field>
    )
  }
  return (
    <Field label="Data, as JSON" hint={'Any JSON value, such as {"account": "DE-000-42"}.'} error={problem}>
      {(field) => (
        <textarea
          {...field}
          rows={4}
          spellCheck={false}
          className={`${inputClass} font-mono text-sm`}
          value={draft.json}
          onChange={(event) => onDraft({ ...draft, json: event.target.value })}
        />
      )}
    </Field>
  )
}
