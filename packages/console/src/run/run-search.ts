// What the URL of the page of a run chooses.
export const runTabs = ['steps', 'result', 'input', 'events', 'turns'] as const
export type RunTab = (typeof runTabs)[number]

/** Which events the raw log shows. */
export interface EventsSearch {
  readonly type?: string
  /** The task whose events are shown. */
  readonly task?: string
  readonly text?: string
}

export interface RunSearch extends EventsSearch {
  readonly tab?: RunTab
  readonly seq?: string
  readonly step?: string
  readonly attempt?: string
  readonly turn?: string
  readonly graph?: 'yes'
}

const isNumber = (value: unknown): value is string => typeof value === 'string' && /^[1-9]\d*$/.test(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const runSearchOf = (search: Record<string, unknown>): RunSearch => {
  const tab = runTabs.find((name) => name === search.tab)
  return {
    ...(tab && { tab }),
    ...(isNumber(search.seq) && { seq: search.seq }),
    ...(isText(search.type) && { type: search.type }),
    ...(isText(search.task) && { task: search.task }),
    ...(isText(search.text) && { text: search.text }),
    ...(isText(search.step) && { step: search.step }),
    ...(isNumber(search.attempt) && { attempt: search.attempt }),
    ...(isNumber(search.turn) && { turn: search.turn }),
    ...(search.graph === 'yes' && { graph: 'yes' }),
  }
}
