// Calls of the same tool, one after another, are one line: `80 × calculator, 1 failed`.
import type { StoryCall } from '../story/story.ts'

export interface CallGroup {
  readonly name: string
  readonly calls: readonly [StoryCall, ...StoryCall[]]
  readonly failed: number
  /** Of these, the outcome is not known. */
  readonly unknown: number
}

/** Up to this many in a row stand alone. */
const alone = 3

const fine: ReadonlySet<StoryCall['state']> = new Set(['running', 'succeeded', 'unknown'])

const groupOf = (calls: readonly [StoryCall, ...StoryCall[]]): CallGroup => ({
  name: calls[0].name,
  calls,
  failed: calls.filter(({ state }) => !fine.has(state)).length,
  unknown: calls.filter(({ state }) => state === 'unknown').length,
})

export const groupCalls = (calls: readonly StoryCall[]): readonly CallGroup[] => {
  const rows: [StoryCall, ...StoryCall[]][] = []
  for (const call of calls) {
    const last = rows.at(-1)
    if (last?.[0].name === call.name) last.push(call)
    else rows.push([call])
  }
  return rows.flatMap((row) => (row.length > alone ? [groupOf(row)] : row.map((call) => groupOf([call]))))
}
