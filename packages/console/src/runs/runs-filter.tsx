// The filters of the list. Each choice is a link, so it can be bookmarked and undone with "back".
import { runStatuses } from '@runwright/contract'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { inputClass } from '../parts/field.tsx'
import { readable } from '../parts/readable.ts'
import { goTo, type RunFilter, runsHash } from '../route.ts'

type Choice = Pick<RunFilter, 'status' | 'awaitingInput'>

/** A waiting run is `running`, so waiting is an extra choice next to the statuses. */
const choices: readonly { readonly name: string; readonly choice: Choice }[] = [
  { name: 'all', choice: {} },
  { name: readable('awaiting_input'), choice: { awaitingInput: true } },
  ...runStatuses.map((status) => ({ name: readable(status), choice: { status } })),
]

const withChoice = (choice: Choice, { workspaceId }: RunFilter): RunFilter => ({
  ...choice,
  ...(workspaceId !== undefined && { workspaceId }),
})

export function RunsFilter({ filter }: { readonly filter: RunFilter }) {
  return (
    <div className="flex flex-col gap-3 lg:flex-row lg:items-center lg:justify-between">
      <nav aria-label="Filter by status">
        <ul className="flex flex-wrap gap-1.5">
          {choices.map(({ name, choice }) => {
            const hash = runsHash(withChoice(choice, filter))
            return (
              <li key={name}>
                <a
                  href={hash}
                  aria-current={hash === runsHash(filter) ? 'true' : undefined}
                  className="block rounded-full border border-line bg-surface px-2.5 py-1 text-sm first-letter:uppercase hover:border-edge aria-[current=true]:border-accent aria-[current=true]:bg-accent/12 aria-[current=true]:font-medium"
                >
                  {name}
                </a>
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
  const [text, setText] = useState(filter.workspaceId ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { workspaceId: _replaced, ...rest } = filter
    goTo(runsHash({ ...rest, ...(text !== '' && { workspaceId: text }) }))
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
