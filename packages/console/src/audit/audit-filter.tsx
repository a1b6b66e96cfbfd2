// Filters the audit log by action, key and target. They apply together, on Enter or by the button.
import { auditActions } from '@runwright/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { Field, inputClass } from '../parts/controls/field.tsx'
import { type AuditSearch, auditSearchOf } from './audit-search.ts'

export function AuditFilter({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = Object.fromEntries(new FormData(event.currentTarget))
    void navigate({ to: '/audit', search: auditSearchOf(fields) })
  }
  return (
    <form
      onSubmit={submit}
      className="grid items-end gap-3 rounded-lg border border-line bg-surface p-3 sm:grid-cols-2 xl:grid-cols-[1fr_1fr_1fr_auto]"
    >
      <Field label="Action">
        {(field) => (
          <select {...field} name="action" defaultValue={search.action ?? ''} className={`${inputClass} h-9.5`}>
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
            name="key_id"
            defaultValue={search.key_id}
            autoComplete="off"
            placeholder="key_…"
            className={inputClass}
          />
        )}
      </Field>
      <Field label="Target">
        {(field) => (
          <input
            {...field}
            name="target"
            defaultValue={search.target}
            autoComplete="off"
            placeholder="run_…, key_…, sched_…"
            className={inputClass}
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
