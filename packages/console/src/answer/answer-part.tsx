// The part of an answer that is open: a reason, other arguments, a result, or data.
import { type AwaitingInput, maxCallErrorLength } from '@runwright/contract'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { TextDiff } from '../parts/values/text-diff.tsx'
import { type DraftPart, isApprovalWithData, needsData } from './answer-parts.ts'
import { CallsPart } from './calls-part.tsx'
import { DataForm } from './data-form.tsx'
import { answerOf, type Draft, formsOf } from './draft.ts'
import { type FormProblems, startOf, textOf } from './form.ts'
import { isAboutOutcome } from './question-text.ts'
import { type GivenPart, SubmitForm } from './submit-form.tsx'

interface AnswerPartProps extends Omit<GivenPart, 'submission'> {
  readonly part: DraftPart
  readonly wait: AwaitingInput
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
}

export function AnswerPart(props: AnswerPartProps) {
  const { part, wait, draft } = props
  const given = { ...props, submission: () => answerOf(part, draft, wait) }
  if (part === 'arguments') return <ArgumentsPart {...given} />
  if (part === 'calls') return <CallsPart {...given} />
  if (part === 'data') return <DataPart {...given} />
  if (part === 'result') return <ResultPart {...given} />
  return <TextPart {...given} part={part} />
}

type PartProps = AnswerPartProps & GivenPart

const textParts = {
  reason: {
    label: 'Why do you reject it?',
    hint: 'The reason is kept with the run. The run fails.',
    send: 'Reject and fail the run',
  },
  deny: {
    label: 'Why is the call not made?',
    hint: 'The model reads this reason and goes on. A step of a plan that only makes this call fails.',
    send: 'Deny the call',
  },
  error: {
    label: 'How did the call fail?',
    hint: 'The run goes on as if the tool had returned this error.',
    send: 'Say that it failed',
  },
} as const

function TextPart(props: PartProps & { readonly part: keyof typeof textParts }) {
  const { part, draft, onDraft } = props
  const { label, hint, send } = textParts[part]
  const isReady = part === 'reason' || draft[part].trim() !== ''
  return (
    <SubmitForm {...props} mayCall={false} send={send} isDanger={part === 'reason'} isReady={isReady}>
      {(problems) => (
        <>
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
          {part === 'error' && <NeededData {...props} problems={problems.data} />}
        </>
      )}
    </SubmitForm>
  )
}

/** With what the call was asked for, as a comparison: what is sent is what is shown. */
function ArgumentsPart(props: PartProps) {
  const { wait, draft, onDraft } = props
  const form = formsOf(wait).arguments
  const before = textOf(form, startOf(form))
  const after = textOf(form, draft.arguments)
  return (
    <SubmitForm {...props} mayCall send="Call it with these arguments">
      {(problems) => (
        <>
          <DataForm
            name="Arguments"
            hint="The call is made with these. The model is told, and both versions are kept with the run."
            form={form}
            draft={draft.arguments}
            onDraft={(changed) => onDraft({ ...draft, arguments: changed })}
            problems={problems.arguments}
          />
          {after !== before && (
            <div className="rounded-md border border-line">
              <TextDiff before={before} after={after} label="the arguments" />
            </div>
          )}
          <NeededData {...props} problems={problems.data} />
        </>
      )}
    </SubmitForm>
  )
}

/** The call is not made, or was made already: this is its result. */
function ResultPart(props: PartProps) {
  const { wait, draft, onDraft } = props
  const again = isAboutOutcome(wait.reason_code) ? ' again' : ''
  return (
    <SubmitForm {...props} mayCall={false} send="Give this result">
      {(problems) => (
        <>
          <p className="text-sm text-muted">The call is not made{again}. The run goes on with this result.</p>
          <DataForm
            name="Result of the call"
            form={formsOf(wait).result}
            draft={draft.result}
            onDraft={(result) => onDraft({ ...draft, result })}
            problems={problems.result}
          />
          <NeededData {...props} problems={problems.data} />
        </>
      )}
    </SubmitForm>
  )
}

function DataPart(props: PartProps) {
  const { wait, draft, onDraft } = props
  const send = isApprovalWithData(wait) ? 'Approve with this data' : 'Send the data'
  return (
    <SubmitForm {...props} mayCall={wait.tool !== null} send={send}>
      {(problems) => (
        <DataForm
          name="Data for the run"
          form={formsOf(wait).data}
          draft={draft.data}
          onDraft={(data) => onDraft({ ...draft, data })}
          problems={problems.data}
        />
      )}
    </SubmitForm>
  )
}

interface NeededDataProps extends Pick<AnswerPartProps, 'wait' | 'draft' | 'onDraft'> {
  readonly problems: FormProblems | undefined
}

/** Where the question wants data with every answer but a no. */
function NeededData({ wait, draft, onDraft, problems }: NeededDataProps) {
  if (!needsData(wait)) return null
  return (
    <DataForm
      name="Data that the question needs"
      form={formsOf(wait).data}
      draft={draft.data}
      onDraft={(data) => onDraft({ ...draft, data })}
      problems={problems}
    />
  )
}
