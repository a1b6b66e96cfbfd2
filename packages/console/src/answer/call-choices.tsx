// The calls of one turn, each with its arguments and what becomes of it.
import { type AskedCall, maxCallErrorLength, visibleText } from '@runwright/contract'
import { useId } from 'react'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { ArgumentsTable } from '../parts/values/arguments-table.tsx'
import { type CallChoice, type Draft, undecided } from './draft.ts'

const kinds: Readonly<Record<CallChoice['kind'], string>> = {
  approve: 'Approve',
  deny: 'Deny',
  later: 'Ask again',
}

interface CallChoicesProps {
  readonly calls: readonly AskedCall[]
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
}

export function CallChoices({ calls, draft, onDraft }: CallChoicesProps) {
  return (
    <ol className="flex flex-col gap-3">
      {calls.map((call, index) => (
        <li key={call.call_id}>
          <OneCall
            call={call}
            name={`${index + 1}. ${visibleText(call.tool)}`}
            choice={draft.calls[call.call_id] ?? undecided}
            onChoice={(choice) => onDraft({ ...draft, calls: { ...draft.calls, [call.call_id]: choice } })}
          />
        </li>
      ))}
    </ol>
  )
}

interface OneCallProps {
  readonly call: AskedCall
  readonly name: string
  readonly choice: CallChoice
  readonly onChoice: (choice: CallChoice) => void
}

function OneCall({ call, name, choice, onChoice }: OneCallProps) {
  const group = useId()
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-line px-3 pb-3">
      <legend className="px-1 font-mono text-sm font-semibold wrap-anywhere">{name}</legend>
      <ArgumentsTable label={`Arguments of call ${name}`} value={call.arguments} />
      <p className="text-sm text-muted wrap-anywhere">Why it asks: {visibleText(call.why)}</p>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {Object.entries(kinds).map(([kind, word]) => (
          <label key={kind} className="flex items-center gap-1.5">
            <input
              type="radio"
              name={group}
              className="size-4 accent-accent"
              checked={choice.kind === kind}
              onChange={() => onChoice({ ...choice, kind: kind as CallChoice['kind'] })}
            />
            {word}
          </label>
        ))}
      </div>
      {choice.kind === 'deny' && (
        <Field label="Why is the call not made?" hint="The model reads this reason.">
          {(field) => (
            <input
              {...field}
              autoComplete="off"
              maxLength={maxCallErrorLength}
              className={inputClass}
              value={choice.reason}
              onChange={({ target }) => onChoice({ ...choice, reason: target.value })}
            />
          )}
        </Field>
      )}
    </fieldset>
  )
}
