// Changes parts of the filter by going to its URL.
import { useNavigate } from '@tanstack/react-router'
import { type RunFilter, runFilterOf } from './run-filter.ts'

type Changes = Readonly<Partial<Record<keyof RunFilter, string>>>

/** An empty text removes the part. */
export const useFilter = (filter: RunFilter): ((changes: Changes) => void) => {
  const navigate = useNavigate()
  return (changes) => void navigate({ to: '/runs', search: runFilterOf({ ...filter, ...changes }) })
}
