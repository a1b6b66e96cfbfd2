// What an answer has done that the service has taken: ended the wait, or only counted, because others must decide, too.
import type { Runwright } from '@runwright/client'

export type AnswerEffect =
  | { readonly kind: 'ended' }
  | { readonly kind: 'counted'; readonly approvals: number }
  /** The run could not be read. The answer has arrived all the same. */
  | { readonly kind: 'unknown' }

interface Answered {
  readonly runId: string
  /** The wait that it was for, if that is known. */
  readonly seq: number | undefined
  readonly signal?: AbortSignal
}

export async function readEffect(
  client: Pick<Runwright, 'runs'>,
  { runId, seq, signal }: Answered,
): Promise<AnswerEffect> {
  if (seq === undefined) return { kind: 'unknown' }
  try {
    const { awaiting_input: open } = await client.runs.get(runId, { include: ['awaiting_input'], signal })
    return open?.seq === seq ? { kind: 'counted', approvals: open.approvals } : { kind: 'ended' }
  } catch {
    return { kind: 'unknown' }
  }
}

/** What is worth a sentence. */
export function describeEffect(effect: AnswerEffect): string | undefined {
  if (effect.kind === 'counted') return `Others must decide, too: ${effect.approvals} people must give the same answer.`
  if (effect.kind === 'unknown') return 'Whether others must decide, too, is not known: the run could not be read.'
  return undefined
}
