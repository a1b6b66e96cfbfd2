// What clients did and what they were answered: the operations that the checker explains.

export type SignalAction = 'approve' | 'submit_input' | 'reject'

/** What a client asked of one run. */
export type Ask =
  | { readonly kind: 'create'; readonly key: string }
  | { readonly kind: 'signal'; readonly action: SignalAction; readonly awaitSeq: number; readonly key: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'read' }
  | { readonly kind: 'events'; readonly cursor: number; readonly limit: number }
  /** Events that a stream brought, one after another. */
  | { readonly kind: 'stream'; readonly cursor: number }

/** One event as a client or the log has it. */
export interface SeenEvent {
  readonly seq: number
  readonly type: string
}

/** Unknown is no answer: the operation may have taken place, may still take place, or never will. */
export type Answer =
  | { readonly kind: 'ok'; readonly replayed?: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'state'; readonly status: string; readonly awaitSeq: number | null }
  | { readonly kind: 'events'; readonly events: readonly SeenEvent[] }

export interface Operation {
  readonly client: string
  readonly ask: Ask
  /** Milliseconds of one clock. */
  readonly start: number
  /** Undefined together with the answer. */
  readonly end?: number
  readonly answer?: Answer
}

/** An event of the log. Events of one change became visible at once. */
export interface LogEntry extends SeenEvent {
  readonly change: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The operations on one run, in the order in which they began. */
export class History {
  readonly operations: Operation[] = []

  /** Records what `act` does; undefined is an unknown outcome. */
  async record<Reply>(
    client: string,
    ask: Ask,
    act: () => Promise<{ readonly answer: Answer | undefined; readonly reply: Reply }>,
  ): Promise<Reply> {
    const start = performance.now()
    const { answer, reply } = await act()
    this.operations.push({ client, ask, start, ...(answer && { end: performance.now(), answer }) })
    return reply
  }
}
