// The filters in use, besides the status. Each is a link that removes it.
import { visibleText } from '@runwright/contract'
import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/controls/icon.tsx'
import { utcText } from '../parts/values/instant.tsx'
import { periods, type RunFilter, without } from './run-filter.ts'

type Shown = Exclude<keyof RunFilter, 'status' | 'awaiting_input'>

const words: Readonly<Record<Shown, (value: string) => string>> = {
  q: (text) => `Search: ${text}`,
  period: (period) => periods[period as keyof typeof periods].name,
  created_after: (at) => `From ${utcText(at)}`,
  created_before: (at) => `Until ${utcText(at)}`,
  run_class: (name) => `Class: ${name}`,
  agent: (name) => `Agent: ${name}`,
  workspace_id: (id) => `Workspace: ${id}`,
  subject_id: (id) => `Subject: ${id}`,
  error: (code) => `Error: ${code}`,
  schedule_id: (id) => `Schedule: ${id}`,
}

export function ActiveFilters({ filter }: { readonly filter: RunFilter }) {
  const active = (Object.keys(words) as Shown[]).filter((name) => filter[name] !== undefined)
  if (active.length === 0) return null
  return (
    <ul aria-label="Filters in use" className="flex flex-wrap items-center gap-1.5 text-sm">
      {active.map((name) => (
        <li key={name}>
          <Link
            to="/runs"
            search={without(filter, name)}
            className="flex items-center gap-1 rounded-md bg-accent/12 py-0.5 pr-1 pl-2 wrap-anywhere hover:bg-accent/20"
          >
            {visibleText(words[name](filter[name] ?? ''))}
            <Icon name="close" className="size-3.5" />
            <span className="sr-only"> (remove)</span>
          </Link>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <Link to="/runs" search={without(filter, ...active)} className="px-1 text-accent underline">
            Clear all
          </Link>
        </li>
      )}
    </ul>
  )
}
