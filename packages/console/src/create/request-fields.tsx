// The fields of the request.
import { routingHints, runClasses } from '@runwright/contract'
import { AgentField } from './agent-field.tsx'
import { JsonField, SelectField, TextField } from './create-fields.tsx'
import type { CreateDraft, DraftProblems } from './create-request.ts'

interface RequestFieldsProps {
  readonly draft: CreateDraft
  readonly onDraft: (draft: CreateDraft) => void
  readonly problems: DraftProblems
}

export function RequestFields({ draft, onDraft, problems }: RequestFieldsProps) {
  const change = (field: keyof CreateDraft) => (text: string) => onDraft({ ...draft, [field]: text })
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
        <TextField label="Workspace (optional)" value={draft.workspaceId} onChange={change('workspaceId')} />
        <TextField label="Subject (optional)" value={draft.subjectId} onChange={change('subjectId')} />
        <SelectField label="Class" words={runClasses} value={draft.runClass} onChange={change('runClass')} />
        <SelectField
          label="Planning"
          unset="decided by the service"
          words={routingHints}
          value={draft.routingHint}
          onChange={change('routingHint')}
        />
      </div>
      <JsonField
        label="Additional fields (optional)"
        rows={3}
        hint="A JSON object with other fields of the request: metadata, plan, sensitivity_tags, attachment_refs, streaming."
        error={problems.further}
        value={draft.further}
        onChange={change('further')}
      />
    </>
  )
}
