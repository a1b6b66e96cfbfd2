// What happens after each answer, and without one.
import { type AwaitingInput, type PlanStep, type RunDetail, visibleText } from '@runwright/contract'
import type { ReactNode } from 'react'
import { Instant } from '../../parts/values/instant.tsx'
import { outcomesOf } from './outcomes.ts'
import { useEvidence } from './use-evidence.ts'

interface ConsequencesProps {
  readonly runId: string
  readonly wait: AwaitingInput
}

const idOf = ({ id }: PlanStep, index: number) => id ?? String(index)

const doesWhat = (step: PlanStep): string => {
  if ('tool' in step) return `calls ${step.tool}`
  return 'await_input' in step ? 'asks a person' : 'asks the model'
}

/** The steps that have not begun, with what they do. */
export const stepsAhead = ({ plan, steps = [] }: Pick<RunDetail, 'plan' | 'steps'>): readonly string[] => {
  const pending = new Set((steps ?? []).filter(({ state }) => state === 'pending').map(({ id }) => id))
  return (plan?.steps ?? []).flatMap((step, index) => {
    const id = idOf(step, index)
    return pending.has(id) ? [`${visibleText(id)} (${visibleText(doesWhat(step))})`] : []
  })
}

const shownSteps = 4

const ahead = (run: RunDetail | undefined): string => {
  const steps = run ? stepsAhead(run) : []
  if (steps.length === 0) return 'Then the run goes on.'
  const more = steps.length - shownSteps
  return `Then: ${steps.slice(0, shownSteps).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

export function Consequences({ runId, wait }: ConsequencesProps) {
  const { data } = useEvidence(runId, wait)
  return (
    <section aria-label="What happens next" className="rounded-md bg-sunken/70 px-3 py-2 text-sm">
      <dl className="grid gap-x-3 gap-y-1 sm:grid-cols-[auto_1fr]">
        {outcomesOf(wait, ahead(data?.run)).map(({ name, text }) => (
          <Outcome key={name} name={name}>
            {text}
          </Outcome>
        ))}
        <Outcome name="No answer">
          The wait ends on <Instant at={wait.expires_at} />. Whether the run is then cancelled, fails or gets a new plan
          is a setting of the service.
        </Outcome>
      </dl>
    </section>
  )
}

function Outcome({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="font-medium">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
