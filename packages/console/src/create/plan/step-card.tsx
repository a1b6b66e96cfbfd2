// A step of the plan as a card. Alt with the arrow keys moves it.
import type { PlanProblem } from '@runwright/contract'
import type { KeyboardEvent } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { Field, inputClass } from '../../parts/controls/field.tsx'
import { DependencyField } from './dependency-field.tsx'
import { NameField } from './name-field.tsx'
import { changeKind, idOf, kindOf, type StepDraft, type StepKind } from './plan-text.ts'
import { AgentStepFields, GateFields, ToolStepFields } from './step-fields.tsx'

interface StepCardProps {
  readonly step: StepDraft
  readonly index: number
  /** Of all steps. */
  readonly ids: readonly string[]
  readonly problems: readonly PlanProblem[]
  readonly onStep: (step: StepDraft) => void
  readonly canRename: (from: string, to: string) => boolean
  readonly onRename: (from: string, to: string) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

const kinds: Readonly<Record<StepKind, { readonly label: string; readonly Fields: typeof AgentStepFields }>> = {
  agent: { label: 'Agent: a model works on an instruction', Fields: AgentStepFields },
  tool: { label: 'Tool: one call, without a model', Fields: ToolStepFields },
  gate: { label: 'Question: the run waits for a person', Fields: GateFields },
}

export function StepCard({ step, index, ids, problems, onStep, canRename, onRename, onMove, onRemove }: StepCardProps) {
  const kind = kindOf(step)
  const Fields = kind && kinds[kind].Fields
  const problemOf = (...fields: string[]) => {
    const found = problems.find(({ field }) => fields.includes(field ?? ''))
    return found && sentenceOf(found)
  }
  const others = problems.filter(({ field }) => field === undefined || !shownFields(kind).includes(field))
  const id = idOf(step, index)
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    onMove(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <fieldset
      data-step
      tabIndex={-1}
      aria-label={`Step ${index + 1}: ${id}`}
      onKeyDown={onKeyDown}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-ground p-3"
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm font-semibold">Step {index + 1}</p>
        <div className="flex flex-wrap gap-1">
          <Button variant="quiet" aria-label={`Move ${id} up`} disabled={index === 0} onClick={() => onMove(-1)}>
            Up
          </Button>
          <Button
            variant="quiet"
            aria-label={`Move ${id} down`}
            disabled={index === ids.length - 1}
            onClick={() => onMove(1)}
          >
            Down
          </Button>
          <Button variant="quiet" aria-label={`Remove ${id}`} onClick={onRemove}>
            Remove
          </Button>
        </div>
      </div>
      {others.map(sentenceOf).map((problem) => (
        <p key={problem} role="alert" className="text-sm text-bad">
          {problem}
        </p>
      ))}
      <div className="grid gap-3 sm:grid-cols-2">
        <NameField
          id={id}
          name={typeof step.id === 'string' ? step.id : ''}
          error={problemOf('id')}
          canRename={canRename}
          onRename={onRename}
        />
        <KindField kind={kind} onKind={(chosen) => onStep(changeKind(step, chosen))} />
      </div>
      {Fields && <Fields step={step} onStep={onStep} problemOf={problemOf} />}
      <DependencyField step={step} index={index} ids={ids} error={problemOf('depends_on')} onStep={onStep} />
    </fieldset>
  )
}

/** Some problems begin with their field or a template, the others with what the step does. */
const sentenceOf = ({ problem }: PlanProblem): string =>
  /^(?:depends|has|is|must) /.test(problem) ? `This step ${problem}.` : `${problem}.`

/** The fields of a kind whose problems stand beside them; others stand at the top of the card. */
const shownFields = (kind: StepKind | undefined): readonly string[] => {
  const common = ['id', 'depends_on']
  if (kind === 'agent') return [...common, 'instruction', 'agent', 'tools', 'output_schema', 'approval']
  if (kind === 'tool') return [...common, 'tool', 'input', 'approval']
  return kind === 'gate' ? [...common, 'await_input'] : common
}

interface KindFieldProps {
  readonly kind: StepKind | undefined
  readonly onKind: (kind: StepKind) => void
}

function KindField({ kind, onKind }: KindFieldProps) {
  return (
    <Field label="Kind">
      {(control) => (
        <select
          {...control}
          className={`${inputClass} h-9.5`}
          value={kind ?? ''}
          onChange={(event) => onKind(event.target.value as StepKind)}
        >
          {kind === undefined && <option value="">Choose one</option>}
          {Object.entries(kinds).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
