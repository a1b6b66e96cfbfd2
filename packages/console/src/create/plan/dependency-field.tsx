// What a step waits for: the step before it, nothing, or chosen steps.
import { Field, inputClass } from '../../parts/controls/field.tsx'
import { type StepDraft, setField } from './plan-text.ts'

interface DependencyFieldProps {
  readonly step: StepDraft
  readonly index: number
  readonly ids: readonly string[]
  readonly error: string | undefined
  readonly onStep: (step: StepDraft) => void
}

type Choice = 'before' | 'none' | 'chosen'

const choiceOf = ({ depends_on }: StepDraft): Choice => {
  if (depends_on === undefined) return 'before'
  return Array.isArray(depends_on) && depends_on.length === 0 ? 'none' : 'chosen'
}

export function DependencyField({ step, index, ids, error, onStep }: DependencyFieldProps) {
  const choice = choiceOf(step)
  const chosen: readonly unknown[] = Array.isArray(step.depends_on) ? step.depends_on : []
  const others = ids.filter((_, at) => at !== index)
  const [before] = ids.slice(Math.max(index - 1, 0), index)
  const choose = (wanted: Choice) => {
    const first = before ?? others[0]
    const values = { before: undefined, none: [], chosen: first === undefined ? [] : [first] }
    onStep(setField(step, 'depends_on', values[wanted]))
  }
  const toggle = (id: string) =>
    onStep(setField(step, 'depends_on', chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]))
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Field label="Starts after" error={error}>
        {(control) => (
          <select
            {...control}
            className={`${inputClass} h-9.5`}
            value={choice}
            onChange={(event) => choose(event.target.value as Choice)}
          >
            <option value="before">
              {before === undefined ? 'nothing: it is the first' : `the step before: ${before}`}
            </option>
            <option value="none">nothing: it starts at once</option>
            {others.length > 0 && <option value="chosen">the steps chosen here</option>}
          </select>
        )}
      </Field>
      {choice === 'chosen' && (
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          {others.map((id) => (
            <label key={id} className="inline-flex items-center gap-1.5 text-sm wrap-anywhere">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={chosen.includes(id)}
                onChange={() => toggle(id)}
              />
              {id}
            </label>
          ))}
        </div>
      )}
    </div>
  )
}
