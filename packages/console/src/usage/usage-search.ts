// What the usage page shows, as its URL has it: `#/usage?granularity=hour&type=tool.invoked&split=workspace_id`.
import { type Granularity, granularities } from '@runwright/contract'

export const splits = ['workspace_id', 'subject_id'] as const
export type Split = (typeof splits)[number]

export const costGroups = ['agent', 'run', 'subject', 'workspace', 'month', 'model'] as const
export type CostGroup = (typeof costGroups)[number]

export interface UsageSearch {
  /** Left out: `day`. */
  readonly granularity?: Granularity
  /** The event type of the chart. Left out: tokens. */
  readonly type?: string
  readonly split?: Split
  /** What the costs are told by. Left out: by agent. */
  readonly costs?: CostGroup
  readonly workspace_id?: string
  readonly subject_id?: string
  /** The last period of the chart, as the API writes it. Left out: the current one. */
  readonly until?: string
}

const oneOf = <T extends string>(words: readonly T[], word: unknown): T | undefined =>
  words.find((known) => known === word)

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Drops what the page does not know. */
export const usageSearchOf = (search: Record<string, unknown>): UsageSearch => {
  const granularity = oneOf(granularities, search.granularity)
  const split = oneOf(splits, search.split)
  const costs = oneOf(costGroups, search.costs)
  const type = text(search.type)
  const workspace_id = text(search.workspace_id)
  const subject_id = text(search.subject_id)
  const until = text(search.until)
  return {
    ...(granularity && granularity !== 'day' && { granularity }),
    ...(type && { type }),
    ...(split && { split }),
    ...(costs && costs !== 'agent' && { costs }),
    ...(workspace_id && { workspace_id }),
    ...(subject_id && { subject_id }),
    ...(until && !Number.isNaN(Date.parse(until)) && { until }),
  }
}

/** Of a link: the router marks it as the current one only if the whole URL is the same. */
export const exactly = { exact: true, includeSearch: true } as const
