// Above the list of the inbox: whose questions it has, and whether an answer leads to the next one.
import { Link } from '@tanstack/react-router'
import type { AutoAdvance } from './auto-advance.ts'
import type { Assigned } from './waiting-runs.ts'

const choices: readonly { readonly name: string; readonly assigned: Assigned }[] = [
  { name: 'All questions', assigned: undefined },
  { name: 'For me to decide', assigned: 'me' },
]

export function WhoseQuestions({ assigned }: { readonly assigned: Assigned }) {
  return (
    <nav aria-label="Whose questions">
      <ul className="flex flex-wrap gap-1.5">
        {choices.map(({ name, assigned: choice }) => (
          <li key={name}>
            <Link
              to="/inbox"
              search={choice ? { assigned: choice } : {}}
              // The router would mark neither when the URL names a run, too.
              activeOptions={{ exact: true }}
              aria-current={choice === assigned ? 'page' : undefined}
              className="inline-block rounded-full border border-line bg-surface px-2.5 py-1 text-sm hover:border-edge aria-[current=page]:border-accent aria-[current=page]:bg-accent/12 aria-[current=page]:font-medium"
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

export function AdvanceSwitch({ advance: { isOn, turn } }: { readonly advance: AutoAdvance }) {
  return (
    <label className="flex items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={isOn}
        onChange={({ target }) => turn(target.checked)}
      />
      Open the next question after an answer
    </label>
  )
}
