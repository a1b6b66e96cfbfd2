// The filter of the list, as it stands in the URL. What is not valid is ignored.
import type { RunListQuery } from '@runwright/client'
import { type RunClass, type RunStatus, runClasses, runStatuses } from '@runwright/contract'

/** How far back the list goes. */
export const periods = {
  '1h': { name: 'Last hour', minutes: 60 },
  '24h': { name: 'Last 24 hours', minutes: 1_440 },
  '7d': { name: 'Last 7 days', minutes: 10_080 },
  '30d': { name: 'Last 30 days', minutes: 43_200 },
} as const
export type Period = keyof typeof periods

/** Texts that are compared as they are. */
export const textFilters = ['q', 'agent', 'workspace_id', 'subject_id', 'error', 'schedule_id'] as const
export type TextFilter = (typeof textFilters)[number]

export interface RunFilter extends Readonly<Partial<Record<TextFilter, string>>> {
  readonly status?: RunStatus
  readonly awaiting_input?: 'true'
  readonly period?: Period
  readonly created_after?: string
  readonly created_before?: string
  readonly run_class?: RunClass
}

const oneOf = <Word extends string>(words: readonly Word[], word: unknown): word is Word =>
  (words as readonly unknown[]).includes(word)

const isPeriod = (word: unknown): word is Period => typeof word === 'string' && Object.hasOwn(periods, word)

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

const isInstant = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))

export const runFilterOf = (search: Record<string, unknown>): RunFilter => {
  const { status, awaiting_input, period, created_after, created_before, run_class } = search
  return {
    ...(oneOf(runStatuses, status) && { status }),
    ...(awaiting_input === 'true' && { awaiting_input }),
    ...(isPeriod(period) && { period }),
    ...(isInstant(created_after) && { created_after }),
    ...(isInstant(created_before) && { created_before }),
    ...(oneOf(runClasses, run_class) && { run_class }),
    ...Object.fromEntries(textFilters.flatMap((name) => (isText(search[name]) ? [[name, search[name]]] : []))),
  }
}

const minuteMs = 60_000

/** To the minute: lists that were opened within the same minute are the same query for the service. */
const startOf = (period: Period, now: number): string =>
  new Date(Math.floor(now / minuteMs - periods[period].minutes) * minuteMs).toISOString()

/** The filter in the words of the API. */
export const queryOf = ({ period, awaiting_input, ...filter }: RunFilter, now: number): RunListQuery => ({
  ...filter,
  ...(awaiting_input && { awaiting_input: true }),
  ...(period && { created_after: startOf(period, now) }),
})

/** The filter without some of its parts. */
export const without = (filter: RunFilter, ...names: readonly (keyof RunFilter)[]): RunFilter =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => !oneOf(names, name)))
