// Loads the bar of decisions with the first decision: the first load of the console goes without.
import { lazy, Suspense } from 'react'
import { useDecisions } from './decisions.ts'

const DecisionBar = lazy(async () => ({ default: (await import('./decision-bar.tsx')).DecisionBar }))

export function DecisionBarHost() {
  if (useDecisions().length === 0) return null
  return (
    <Suspense fallback={null}>
      <DecisionBar />
    </Suspense>
  )
}
