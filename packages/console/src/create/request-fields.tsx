// The fields of the request.
import { routingHints, runClasses } from '@runwright/contract'
import { AgentField } from './agent-field.tsx'
import { JsonField, SelectField, TextField } from './create-fields.tsx'
import type { CreateDraft, DraftField, DraftProblems } from './draft.ts'
import { PlanEditor } from './plan/plan-editor.tsx'
import { TagsField } from './tags-field.tsx'

interface RequestFieldsProps {
  readonly draft: CreateDraft
  readonly onDraft: (draft: CreateDraft) => void
  readonly problems: DraftProblems
}

export function RequestFields({ draft, onDraft, problems }: RequestFieldsProps) {
  const change = (field: Exclude<DraftField, 'tags'>) => (text: string) => onDraft({ ...draft, [field]: text })
  return (
    <>
      <JsonField
        label="Input"
        rows={15}
        hint="A JSON object. The key “sandbox” contains a script for the sandbox model; other models treat it as regular input."
        error={problems.input}
        value={draft.input}
        onChange={change('input')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <AgentField value={draft.agent} onChange={change('agent')} />
        <TextField
          label="Workspace (optional)"
          error={problems.workspaceId}
          value={draft.workspaceId}
          onChange={change('workspaceId')}
        />
        <TextField
          label="Subject (optional)"
          error={problems.subjectId}
          value={draft.subjectId}
          onChange={change('subjectId')}
        />
        <SelectField
          label="Class"
          words={runClasses}
          error={problems.runClass}
          value={draft.runClass}
          onChange={change('runClass')}
        />
        <SelectField
          label="Planning"
          unset="decided by the service"
          words={routingHints}
          error={problems.routingHint}
          value={draft.routingHint}
          onChange={change('routingHint')}
        />
      </div>
      <PlanEditor text={draft.plan} onText={change('plan')} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <JsonField
          label="Schema of the result (optional)"
          rows={4}
          hint="A JSON Schema that the output of the run must match."
          error={problems.outputSchema}
          value={draft.outputSchema}
          onChange={change('outputSchema')}
        />
        <JsonField
          label="Rubric (optional)"
          rows={4}
          hint="What a good result is, in words or as a JSON object. The judge grades the result against it."
          error={problems.rubric}
          value={draft.rubric}
          onChange={change('rubric')}
        />
      </div>
      <TagsField tags={draft.tags} onTags={(tags) => onDraft({ ...draft, tags })} problem={problems.tags} />
      <JsonField
        label="Additional fields (optional)"
        rows={3}
        hint="A JSON object with other fields of the request: metadata, attachment_refs, streaming."
        error={problems.further}
        value={draft.further}
        onChange={change('further')}
      />
    </>
  )
}
