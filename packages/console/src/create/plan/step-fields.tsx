// The fields of the three kinds of steps.
import { inputKinds } from '@runwright/contract'
import { ArgumentFields } from '../../agents/argument-form.tsx'
import { Field, inputClass } from '../../parts/controls/field.tsx'
import { AgentField } from '../agent-field.tsx'
import { SelectField, TextField } from '../create-fields.tsx'
import { ObjectField } from '../object-field.tsx'
import { SuggestField } from '../suggest-field.tsx'
import { isRecord, type StepDraft, setField } from './plan-text.ts'
import { inputOf, toolFormOf } from './tool-input.ts'
import { useTools } from './use-tools.ts'

interface StepFieldsProps {
  readonly step: StepDraft
  readonly onStep: (step: StepDraft) => void
  readonly problemOf: (...fields: string[]) => string | undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const orNone = (text: string): string | undefined => (text === '' ? undefined : text)

export function AgentStepFields({ step, onStep, problemOf }: StepFieldsProps) {
  const tools = Array.isArray(step.tools) ? step.tools.join(', ') : ''
  const setTools = (text: string) => onStep(setField(step, 'tools', toolsOf(text)))
  return (
    <>
      <LongText
        label="Instruction"
        hint="May contain templates, such as {{input.goal}} or {{steps.<name>.content}}."
        error={problemOf('instruction')}
        value={textOf(step.instruction)}
        onChange={(text) => onStep({ ...step, instruction: text })}
      />
      <ApprovalField step={step} onStep={onStep} error={problemOf('approval')} />
      <details className="flex flex-col" open={problemOf('agent', 'tools', 'output_schema') !== undefined || undefined}>
        <summary className="w-fit text-sm text-accent">Agent, tools and schema of the output</summary>
        <div className="mt-2 flex flex-col gap-3">
          <AgentField
            label="Agent of the step (optional)"
            hint="Empty: the agent of the run."
            error={problemOf('agent')}
            value={textOf(step.agent)}
            onChange={(name) => onStep(setField(step, 'agent', orNone(name)))}
          />
          <TextField
            label="Tools (optional)"
            hint="Names, separated by commas. Empty: all that policy allows. “none”: no tools."
            error={problemOf('tools')}
            value={Array.isArray(step.tools) && step.tools.length === 0 ? 'none' : tools}
            onChange={setTools}
          />
          <ObjectField
            label="Output schema (optional)"
            hint="A JSON Schema that the output of the step must match."
            rows={4}
            error={problemOf('output_schema')}
            value={step.output_schema}
            onChange={(schema) => onStep(setField(step, 'output_schema', schema))}
          />
        </div>
      </details>
    </>
  )
}

/** The last name may be empty while it is typed. */
const toolsOf = (text: string): readonly string[] | undefined => {
  if (text.trim() === '') return undefined
  return text.trim() === 'none' ? [] : text.split(',').map((name) => name.trim())
}

export function ToolStepFields({ step, onStep, problemOf }: StepFieldsProps) {
  const tools = useTools()
  const name = textOf(step.tool)
  const tool = tools?.find((one) => one.name === name)
  const isUnknown = tools !== undefined && name !== '' && !tool
  const form = toolFormOf(step, tools ?? [])
  const setInput = (value: unknown) => onStep(setField(step, 'input', value))
  return (
    <>
      <SuggestField
        label="Tool"
        hint={tool?.description}
        error={problemOf('tool') ?? (isUnknown ? 'No listed tool has this name.' : undefined)}
        suggestions={tools ?? []}
        value={name}
        onChange={(chosen) => onStep({ ...step, tool: chosen })}
      />
      {form ? (
        <ArgumentFields {...form} onTexts={(changed) => setInput(inputOf(form.fields, changed, form.input))} />
      ) : (
        <ObjectField
          label="Input of the tool"
          hint="A JSON object. May contain templates."
          rows={4}
          error={problemOf('input')}
          value={step.input}
          onChange={setInput}
        />
      )}
      <ApprovalField step={step} onStep={onStep} error={problemOf('approval')} />
    </>
  )
}

export function GateFields({ step, onStep, problemOf }: StepFieldsProps) {
  const question = isRecord(step.await_input) ? step.await_input : {}
  const set = (field: string, value: unknown) => onStep({ ...step, await_input: setField(question, field, value) })
  return (
    <>
      <LongText
        label="Question"
        hint="What the person reads. May contain templates."
        error={problemOf('await_input')}
        value={textOf(question.prompt)}
        onChange={(text) => set('prompt', orNone(text))}
      />
      <SelectField
        label="Kind of answer"
        unset="not said"
        words={inputKinds}
        value={textOf(question.input_kind)}
        onChange={(kind) => set('input_kind', orNone(kind))}
      />
    </>
  )
}

interface ApprovalFieldProps {
  readonly step: StepDraft
  readonly onStep: (step: StepDraft) => void
  readonly error: string | undefined
}

/** Who may approve and what they fill in has many fields: it is written as JSON. */
function ApprovalField({ step, onStep, error }: ApprovalFieldProps) {
  const { approval } = step
  const choice = approval === undefined ? '' : approval === 'required' ? 'required' : 'rules'
  const values: Readonly<Record<string, unknown>> = { '': undefined, required: 'required', rules: { approvals: 1 } }
  return (
    <>
      <Field label="Approval" error={choice === 'rules' ? undefined : error}>
        {(control) => (
          <select
            {...control}
            className={`${inputClass} h-9.5`}
            value={choice}
            onChange={(event) => onStep(setField(step, 'approval', values[event.target.value]))}
          >
            <option value="">no one is asked before</option>
            <option value="required">anyone who may answer</option>
            <option value="rules">by rules: who, how many, with what</option>
          </select>
        )}
      </Field>
      {choice === 'rules' && (
        <ObjectField
          label="Rules of the approval"
          hint="approvers, approvals, not_requester, escalate_after_seconds, escalate_to, approval_schema."
          rows={4}
          error={error}
          value={approval}
          onChange={(rules) => onStep(setField(step, 'approval', rules ?? {}))}
        />
      )}
    </>
  )
}

interface LongTextProps {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (text: string) => void
}

function LongText({ value, onChange, ...field }: LongTextProps) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          rows={3}
          className={inputClass}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
