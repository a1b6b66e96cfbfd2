// Filters the audit log by action, key and target. They apply together, on Enter or by the button.
import { auditActions } from '@runwright/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { type AuditSearch, auditSearchOf } from './audit-search.ts'

type Fields = Readonly<Record<keyof AuditSearch, string>>
const fieldsOf = (search: AuditSearch): Fields => ({ action: '', key_id: '', target: '', ...search })

/** What is typed, until the filter changes: then that of the URL. */
const useFields = (search: AuditSearch) => {
  const applied = JSON.stringify(search)
  const [typed, setTyped] = useState<{ readonly since: string; readonly fields: Fields }>()
  const fields: Fields = typed?.since === applied ? typed.fields : fieldsOf(search)
  const change = (part: Partial<Fields>) => setTyped({ since: applied, fields: { ...fields, ...part } })
  return { fields, change }
}

export function AuditFilter({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate()
  const { fields, change } = useFields(search)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ to: '/audit', search: auditSearchOf({ ...fields }) })
  }
  return (
    <form
      onSubmit={submit}
      className="grid items-end gap-3 rounded-lg border border-line bg-surface p-3 sm:grid-cols-2 xl:grid-cols-[1fr_1fr_1fr_auto]"
    >
      <Field label="Action">
        {(field) => (
          <select
            {...field}
            className={`${inputClass} h-9.5`}
            value={fields.action}
            onChange={(event) => change({ action: event.target.value })}
          >
            <option value="">any</option>
            {auditActions.map((action) => (
              <option key={action}>{action}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Key">
        {(field) => (
          <input
            {...field}
            autoComplete="off"
            placeholder="key_…"
            className={inputClass}
            value={fields.key_id}
            onChange={(event) => change({ key_id: event.target.value })}
          />
        )}
      </Field>
      <Field label="Target">
        {(field) => (
          <input
            {...field}
            autoComplete="off"
            placeholder="run_…, key_…, sched_…"
            className={inputClass}
            value={fields.target}
            onChange={(event) => change({ target: event.target.value })}
          />
        )}
      </Field>
      <div className="flex gap-2">
        <Button type="submit" variant="primary">
          Filter
        </Button>
        {Object.keys(search).length > 0 && (
          <Link to="/audit" className="self-center px-2 text-sm text-accent underline">
            Clear
          </Link>
        )}
      </div>
    </form>
  )
}
