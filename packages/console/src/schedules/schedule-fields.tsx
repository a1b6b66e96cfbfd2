// The fields that say when a schedule fires, with its next ticks as they are typed.
import { catchUpPolicies } from '@runwright/contract'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { useSettled } from '../parts/use-settled.ts'
import { NextTicks } from './next-ticks.tsx'
import type { ScheduleDraft } from './schedule-draft.ts'
import { catchUpWords } from './schedule-words.tsx'

const examples = [
  ['Each hour', '0 * * * *'],
  ['Each day at 9', '0 9 * * *'],
  ['Working days at 9', '0 9 * * MON-FRI'],
  ['Mondays at 9', '0 9 * * MON'],
  ['First of the month', '0 9 1 * *'],
] as const

const zones: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft
  readonly onDraft: (draft: ScheduleDraft) => void
  readonly nameProblem?: string | undefined
}

export function ScheduleFields({ draft, onDraft, nameProblem }: ScheduleFieldsProps) {
  const { name, cron, timeZone, catchUp } = draft
  const settled = useSettled(cron)
  const change = (part: Partial<ScheduleDraft>) => onDraft({ ...draft, ...part })
  return (
    <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[1fr_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <Field label="Name (optional)" error={nameProblem}>
          {(field) => (
            <input
              {...field}
              maxLength={128}
              autoComplete="off"
              placeholder="Daily report"
              className={inputClass}
              value={name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field
          label="Cron expression"
          hint="Five fields: minute, hour, day of the month, month, day of the week. Names such as MON and JAN work, and so do L, 15W and MON#2."
        >
          {(field) => (
            <input
              {...field}
              required
              maxLength={256}
              autoComplete="off"
              spellCheck={false}
              className={`${inputClass} font-mono`}
              value={cron}
              onChange={(event) => change({ cron: event.target.value })}
            />
          )}
        </Field>
        <fieldset className="flex flex-wrap gap-1.5">
          <legend className="sr-only">Examples of expressions</legend>
          {examples.map(([label, example]) => (
            <Button key={example} aria-pressed={cron === example} onClick={() => change({ cron: example })}>
              {label}
            </Button>
          ))}
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <ZoneField value={timeZone} onChange={(zone) => change({ timeZone: zone })} />
          <Field label="Missed ticks" hint="If the service was down at a tick.">
            {(field) => (
              <select
                {...field}
                className={`${inputClass} h-9.5`}
                value={catchUp}
                onChange={(event) => change({ catchUp: event.target.value as ScheduleDraft['catchUp'] })}
              >
                {catchUpPolicies.map((policy) => (
                  <option key={policy} value={policy}>
                    {catchUpWords[policy]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      </div>
      <div role="status" aria-label="When it fires" className="rounded-md bg-sunken px-3 py-2.5">
        <h3 className="mb-1.5 text-sm font-medium">Fires next</h3>
        <NextTicks cron={settled} timeZone={timeZone} />
      </div>
    </div>
  )
}

function ZoneField({ value, onChange }: { readonly value: string; readonly onChange: (zone: string) => void }) {
  return (
    <Field label="Time zone" hint="An IANA name. Empty: UTC.">
      {(field) => (
        <>
          <input
            {...field}
            list="time-zones"
            autoComplete="off"
            spellCheck={false}
            placeholder="UTC"
            className={inputClass}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id="time-zones">
            {zones.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
