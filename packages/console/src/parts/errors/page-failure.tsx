// Shown in place of a page that failed. The navigation stays.
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Problem } from './problem.tsx'

export function PageFailure({ error, reset }: ErrorComponentProps) {
  return <Problem error={error} onRetry={reset} />
}
