// The part of an answer that is open: a reason, other arguments, or data.
import { type AwaitingInput, maxCallErrorLength } from '@runwright/contract'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { HoldButton } from '../parts/controls/hold-button.tsx'
import { parseJson } from '../parts/parse-json.ts'
import { ShownPartsProvider, useShownParts } from '../parts/values/shown-parts.ts'
import { TextDiff } from '../parts/values/text-diff.tsx'
import { type Care, ShowAllFirst } from './approve-button.tsx'
import { CallChoices } from './call-choices.tsx'
import { DataForm } from './data-form.tsx'
import type { Answer } from './decisions/decision-box.ts'
import {
  callsOf,
  changeOf,
  type Draft,
  type DraftPart,
  denialOf,
  failureOf,
  rejectionOf,
  resultOf,
  submissionOf,
} from './draft.ts'
import { isAboutOutcome } from './question-text.ts'
import { useAreGrave } from './use-is-grave.ts'

interface AnswerPartProps {
  readonly part: DraftPart
  readonly wait: AwaitingInput
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly isLate: boolean
  readonly hasShortcuts: boolean
  readonly care: Care
  readonly onAnswer: (answer: Answer) => void
}

type Submission = { readonly answer: Answer } | { readonly problem: string }

const textParts = {
  reason: {
    label: 'Why do you reject it?',
    hint: 'The reason is kept with the run. The run fails.',
    send: 'Reject and fail the run',
    answerOf: rejectionOf,
  },
  deny: {
    label: 'Why is the call not made?',
    hint: 'The model reads this reason and goes on. A step of a plan that only makes this call fails.',
    send: 'Deny the call',
    answerOf: denialOf,
  },
  error: {
    label: 'How did the call fail?',
    hint: 'The run goes on as if the tool had returned this error.',
    send: 'Say that it failed',
    answerOf: failureOf,
  },
} as const

export function AnswerPart(props: AnswerPartProps) {
  const { part } = props
  if (part === 'arguments') return <ArgumentsPart {...props} />
  if (part === 'calls') return <CallsPart {...props} />
  if (part === 'data' || part === 'result') return <DataPart {...props} part={part} />
  return <TextPart {...props} part={part} />
}

function TextPart({ part, draft, onDraft, isLate, onAnswer }: AnswerPartProps & { part: keyof typeof textParts }) {
  const { label, hint, send, answerOf } = textParts[part]
  const isNeeded = part !== 'reason'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAnswer(answerOf(draft))
  }
  return (
    <form onSubmit={submit} className="flex max-w-2xl flex-col gap-2">
      <Field label={label} hint={hint}>
        {(field) => (
          <textarea
            {...field}
            // biome-ignore lint/a11y/noAutofocus: the field appears because the user pressed its button.
            autoFocus
            rows={2}
            maxLength={maxCallErrorLength}
            className={inputClass}
            value={draft[part]}
            onChange={(event) => onDraft({ ...draft, [part]: event.target.value })}
          />
        )}
      </Field>
      <Button
        type="submit"
        variant={part === 'reason' ? 'danger' : 'primary'}
        className="self-start"
        disabled={isLate || (isNeeded && draft[part].trim() === '')}
      >
        {send}
      </Button>
    </form>
  )
}

/** As it would be sent, if it is JSON: spaces and line breaks do not count as changes. */
const spacedOut = (text: string): string => {
  const parsed = parseJson(text)
  return 'problem' in parsed ? text : JSON.stringify(parsed.value, undefined, 2)
}

/** With what the call was asked for, as a comparison: what is sent is what is shown. */
function ArgumentsPart(props: AnswerPartProps) {
  const { wait, draft, onDraft } = props
  const [problem, setProblem] = useState<string>()
  const before = JSON.stringify(wait.arguments ?? {}, undefined, 2)
  const after = spacedOut(draft.arguments)
  return (
    <SubmitForm
      {...props}
      mayCall
      answer={() => changeOf(draft)}
      onProblem={setProblem}
      send="Call it with these arguments"
    >
      <Field
        label="Arguments, as JSON"
        hint="The call is made with these. The model is told, and both versions are kept with the run."
        error={problem}
      >
        {(field) => (
          <textarea
            {...field}
            rows={Math.min(16, before.split('\n').length + 1)}
            spellCheck={false}
            className={`${inputClass} font-mono text-sm`}
            value={draft.arguments}
            onChange={(event) => onDraft({ ...draft, arguments: event.target.value })}
          />
        )}
      </Field>
      {after !== before && (
        <div className="rounded-md border border-line">
          <TextDiff before={before} after={after} label="the arguments" />
        </div>
      )}
    </SubmitForm>
  )
}

/** The calls of the turn, each with its own choice. All of them must have been on the screen before any is approved. */
function CallsPart(props: AnswerPartProps) {
  const { wait, draft, onDraft, care } = props
  const [problem, setProblem] = useState<string>()
  const { parts, unseen, offScreen, showAll } = useShownParts()
  const calls = wait.calls ?? []
  const approved = calls.filter(({ call_id }) => draft.calls[call_id]?.kind === 'approve')
  const isGrave = useAreGrave(approved.map(({ tool }) => tool))
  return (
    <SubmitForm
      {...props}
      care={{
        isGrave,
        unseen: care.unseen + unseen,
        offScreen: care.offScreen + offScreen,
        onShowAll: offScreen > 0 ? showAll : care.onShowAll,
      }}
      mayCall={approved.length > 0}
      answer={() => callsOf(draft, calls)}
      onProblem={setProblem}
      send="Send these decisions"
    >
      <ShownPartsProvider value={parts}>
        <CallChoices calls={calls} draft={draft} onDraft={onDraft} />
      </ShownPartsProvider>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
    </SubmitForm>
  )
}

function DataPart(props: AnswerPartProps & { part: 'data' | 'result' }) {
  const { part, wait, draft, onDraft } = props
  const [problem, setProblem] = useState<string>()
  // About a call whose outcome is not known, the data is its result: nothing is called.
  const isResult = part === 'result'
  const isOutcome = isAboutOutcome(wait.reason_code)
  const submission = (): Submission => (isResult && !isOutcome ? resultOf(draft) : submissionOf(draft, wait))
  return (
    <SubmitForm
      {...props}
      mayCall={!isResult && wait.tool !== null}
      answer={submission}
      onProblem={setProblem}
      send={
        (wait.approval_schema ?? null) !== null && wait.input_kind !== 'payload'
          ? 'Approve with this data'
          : 'Send the data'
      }
    >
      <DataForm draft={draft} onDraft={onDraft} problem={problem} />
    </SubmitForm>
  )
}

interface SubmitFormProps extends AnswerPartProps {
  /** The answer lets the call be made. */
  readonly mayCall: boolean
  readonly answer: () => Submission
  readonly onProblem: (problem: string | undefined) => void
  readonly send: string
  readonly children: ReactNode
}

function SubmitForm({
  mayCall,
  answer,
  onProblem,
  send,
  isLate,
  hasShortcuts,
  care,
  onAnswer,
  children,
}: SubmitFormProps) {
  const isBlocked = isLate || (mayCall && care.unseen > 0)
  const isHeld = mayCall && care.isGrave
  const give = () => {
    const submission = answer()
    onProblem('problem' in submission ? submission.problem : undefined)
    if ('answer' in submission) onAnswer(submission.answer)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Enter in a field must not do what the button does only when it is held.
    if (!isHeld && !isBlocked) give()
  }
  return (
    <form onSubmit={submit} noValidate className="flex max-w-2xl flex-col gap-3">
      {children}
      <span className="flex flex-wrap items-center gap-2">
        {isHeld ? (
          <HoldButton name={send} hasShortcut={hasShortcuts} disabled={isBlocked} onHeld={give}>
            {send}
          </HoldButton>
        ) : (
          <Button type="submit" variant="primary" disabled={isBlocked}>
            {send}
          </Button>
        )}
        {mayCall && !isLate && <ShowAllFirst care={care} />}
      </span>
    </form>
  )
}
