// The filters of the list. Each choice is a link, so it can be bookmarked and undone with "back".
import { runStatuses } from '@runwright/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { readable } from '../parts/readable.ts'
import type { RunFilter } from './run-filter.ts'

type Choice = Pick<RunFilter, 'status' | 'awaiting_input'>

/** A waiting run is `running`, so waiting is an extra choice next to the statuses. */
const choices: readonly { readonly name: string; readonly choice: Choice }[] = [
  { name: 'all', choice: {} },
  { name: readable('awaiting_input'), choice: { awaiting_input: 'true' } },
  ...runStatuses.map((status) => ({ name: readable(status), choice: { status } })),
]

const withChoice = (choice: Choice, { workspace_id }: RunFilter): RunFilter => ({
  ...choice,
  ...(workspace_id !== undefined && { workspace_id }),
})

export function RunsFilter({ filter }: { readonly filter: RunFilter }) {
  return (
    <div className="flex flex-col gap-3 lg:flex-row lg:items-center lg:justify-between">
      <nav aria-label="Filter by status">
        <ul className="flex flex-wrap gap-1.5">
          {choices.map(({ name, choice }) => {
            return (
              <li key={name}>
                <Link
                  to="/runs"
                  search={withChoice(choice, filter)}
                  activeOptions={{ exact: true, includeSearch: true }}
                  className="block rounded-full border border-line bg-surface px-2.5 py-1 text-sm first-letter:uppercase hover:border-edge aria-[current=page]:border-accent aria-[current=page]:bg-accent/12 aria-[current=page]:font-medium"
                >
                  {name}
                </Link>
              </li>
            )
          })}
        </ul>
      </nav>
      <WorkspaceFilter filter={filter} />
    </div>
  )
}

function WorkspaceFilter({ filter }: { readonly filter: RunFilter }) {
  const id = useId()
  const [text, setText] = useState(filter.workspace_id ?? '')
  const navigate = useNavigate()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { workspace_id: _replaced, ...rest } = filter
    void navigate({ to: '/runs', search: { ...rest, ...(text !== '' && { workspace_id: text }) } })
  }
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <label htmlFor={id} className="text-sm text-muted">
        Workspace
      </label>
      <input
        id={id}
        type="search"
        placeholder="any"
        autoComplete="off"
        className={`${inputClass} lg:w-44`}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">Filter</Button>
    </form>
  )
}
