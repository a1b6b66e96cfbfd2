// The plan of a new run: its steps as cards, and the same plan as JSON beside them. Each changes the other.
import { showProblem } from '@runwright/contract'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { announce } from '../../parts/layout/status-line.tsx'
import { JsonField } from '../create-fields.tsx'
import {
  addStep,
  changeStep,
  emptyPlan,
  idOf,
  moveStep,
  type PlanDraft,
  readPlanText,
  removeStep,
  renameStep,
  type StepKind,
  writePlan,
} from './plan-text.ts'
import { StepCard } from './step-card.tsx'

interface PlanEditorProps {
  readonly text: string
  readonly onText: (text: string) => void
}

const newSteps: readonly { readonly kind: StepKind; readonly label: string }[] = [
  { kind: 'agent', label: 'Add an agent step' },
  { kind: 'tool', label: 'Add a tool step' },
  { kind: 'gate', label: 'Add a question' },
]

/** After a step has moved, the focus moves with it. */
const useStepFocus = () => {
  const list = useRef<HTMLDivElement>(null)
  const [wanted, setWanted] = useState<{ readonly index: number }>()
  useEffect(() => {
    if (wanted) list.current?.querySelectorAll<HTMLElement>('[data-step]')[wanted.index]?.focus()
  }, [wanted])
  return { list, focusStep: (index: number) => setWanted({ index }) }
}

export function PlanEditor({ text, onText }: PlanEditorProps) {
  const read = readPlanText(text)
  const { list, focusStep } = useStepFocus()
  const change = (plan: PlanDraft) => onText(plan.steps.length === 0 ? '' : writePlan(plan))
  const plan = read === undefined ? emptyPlan : 'plan' in read ? read.plan : undefined
  const add = (kind: StepKind) => {
    if (!plan) return
    change(addStep(plan, kind))
    focusStep(plan.steps.length)
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Plan (optional)</legend>
      {read === undefined && <p className="text-sm text-muted">Without a plan, the service decides on the steps.</p>}
      <div className={read === undefined ? '' : 'grid items-start gap-4 lg:grid-cols-2'}>
        <div ref={list} className="flex min-w-0 flex-col gap-3">
          {plan && read && 'problems' in read ? (
            <Cards plan={plan} problems={read.problems} onPlan={change} onFocus={focusStep} />
          ) : (
            read && <p className="text-sm text-muted">The cards come back when the JSON is a plan.</p>
          )}
          <div className="flex flex-wrap gap-2">
            {newSteps.map(({ kind, label }) => (
              <Button key={kind} disabled={!plan} onClick={() => add(kind)}>
                {label}
              </Button>
            ))}
          </div>
        </div>
        {read !== undefined && <PlanJson text={text} read={read} onText={onText} />}
      </div>
    </fieldset>
  )
}

interface CardsProps {
  readonly plan: PlanDraft
  readonly problems: Extract<NonNullable<ReturnType<typeof readPlanText>>, { plan: PlanDraft }>['problems']
  readonly onPlan: (plan: PlanDraft) => void
  readonly onFocus: (index: number) => void
}

function Cards({ plan, problems, onPlan, onFocus }: CardsProps) {
  const move = (index: number, by: -1 | 1) => {
    const to = index + by
    if (to < 0 || to >= plan.steps.length) return
    onPlan(moveStep(plan, index, by))
    onFocus(to)
    announce(`${idOf(plan.steps[index] ?? {}, index)} is now step ${to + 1} of ${plan.steps.length}.`)
  }
  const remove = (index: number) => {
    onPlan(removeStep(plan, index))
    onFocus(Math.max(0, index - 1))
    announce(`${idOf(plan.steps[index] ?? {}, index)} was removed.`)
  }
  return plan.steps.map((step, index) => (
    <StepCard
      // biome-ignore lint/suspicious/noArrayIndexKey: a renamed step keeps its fields, and two may have one id.
      key={index}
      step={step}
      index={index}
      ids={plan.steps.map(idOf)}
      problems={problems.filter((problem) => problem.step?.index === index)}
      onStep={(changed) => onPlan(changeStep(plan, index, changed))}
      canRename={(from, to) => renameStep(plan, { index, from, to }) !== undefined}
      onRename={(from, to) => onPlan(renameStep(plan, { index, from, to }) ?? plan)}
      onMove={(by) => move(index, by)}
      onRemove={() => remove(index)}
    />
  ))
}

interface PlanJsonProps extends PlanEditorProps {
  readonly read: NonNullable<ReturnType<typeof readPlanText>>
}

function PlanJson({ text, read, onText }: PlanJsonProps) {
  const problems = 'problems' in read ? read.problems.map(showProblem) : []
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <JsonField
        label="Plan, as JSON"
        rows={Math.min(40, Math.max(12, text.split('\n').length + 1))}
        error={'problem' in read ? read.problem : problems.length > 0 ? `${problems.join('; ')}.` : undefined}
        value={text}
        onChange={onText}
      />
    </div>
  )
}
