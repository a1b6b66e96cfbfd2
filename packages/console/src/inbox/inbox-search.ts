// What the URL of the inbox says: whose questions are listed, the run that is shown, and which of its questions.

export interface InboxSearch {
  /** Only what the signed-in person may decide, and has not decided yet. */
  readonly assigned?: 'me'
  readonly run?: string
  /** The `seq` of the wait. Left out: the one that is open. */
  readonly seq?: number
}

export const inboxSearchOf = ({ assigned, run, seq }: Record<string, unknown>): InboxSearch => {
  const whose: InboxSearch = assigned === 'me' ? { assigned } : {}
  if (typeof run !== 'string' || run === '') return whose
  return Number.isSafeInteger(Number(seq)) ? { ...whose, run, seq: Number(seq) } : { ...whose, run }
}
