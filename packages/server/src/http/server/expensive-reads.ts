// The reads that take a slot of their customer: their answers may be large, or the database works long for them.
import type { Call, HandledRoute } from './handler.ts'

const always = () => true

const expensiveReads: { readonly [R in HandledRoute]?: (query: Call<R>['query']) => boolean } = {
  listRuns: ({ include }) => include !== undefined,
  countRuns: always,
  listTurns: always,
  getUsage: always,
  listUsageEvents: always,
  listBudgets: always,
  listMemory: always,
  exportMemory: always,
}

// TypeScript cannot see that `name` selects both the function and the type of its query.
export const isExpensive = (name: HandledRoute, query: unknown): boolean =>
  (expensiveReads[name] as ((query: unknown) => boolean) | undefined)?.(query) ?? false
