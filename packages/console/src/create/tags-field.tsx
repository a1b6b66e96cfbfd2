// The sensitivity tags of a request: which values are sensitive, and what is shown of them.
import { classifications, redactions, type SensitivityTag } from '@runwright/contract'
import { Button } from '../parts/controls/button.tsx'
import { SelectField, TextField } from './create-fields.tsx'

interface TagsFieldProps {
  readonly tags: readonly SensitivityTag[]
  readonly onTags: (tags: readonly SensitivityTag[]) => void
  readonly problem: string | undefined
}

const newTag: SensitivityTag = { path: '$.input.', classification: 'pii' }

export function TagsField({ tags, onTags, problem }: TagsFieldProps) {
  const change = (index: number, changed: Partial<SensitivityTag>) =>
    onTags(tags.map((tag, at) => (at === index ? { ...tag, ...changed } : tag)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Sensitive values (optional)</legend>
      {tags.map((tag, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a path changes with every letter that is typed.
          key={index}
          className="grid items-end gap-3 rounded-lg border border-line bg-ground p-3 sm:grid-cols-[2fr_1fr_1fr_auto]"
        >
          <TextField
            label={`Path of value ${index + 1}`}
            value={tag.path}
            onChange={(path) => change(index, { path })}
          />
          <SelectField
            label="Classification"
            words={classifications}
            value={tag.classification}
            onChange={(text) => change(index, { classification: text as SensitivityTag['classification'] })}
          />
          <SelectField
            label="Redaction"
            words={redactions}
            value={tag.redaction ?? 'mask'}
            onChange={(text) => change(index, { redaction: text as NonNullable<SensitivityTag['redaction']> })}
          />
          <Button aria-label={`Remove value ${index + 1}`} onClick={() => onTags(tags.filter((_, at) => at !== index))}>
            Remove
          </Button>
        </div>
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      <p className="text-sm text-muted">
        A JSONPath such as $.input.iban. The value is hidden from models, events and the console.
      </p>
      <Button className="self-start" onClick={() => onTags([...tags, newTag])}>
        Tag a sensitive value
      </Button>
    </fieldset>
  )
}
