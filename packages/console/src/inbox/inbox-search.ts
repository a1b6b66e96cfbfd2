// What the URL of the inbox says: the run that is shown, and which of its questions.

export interface InboxSearch {
  readonly run?: string
  /** The `seq` of the wait. Left out: the one that is open. */
  readonly seq?: number
}

export const inboxSearchOf = ({ run, seq }: Record<string, unknown>): InboxSearch => {
  if (typeof run !== 'string' || run === '') return {}
  return Number.isSafeInteger(Number(seq)) ? { run, seq: Number(seq) } : { run }
}
