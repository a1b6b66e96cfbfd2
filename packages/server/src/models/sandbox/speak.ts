// Streams a known text: word by word with pauses, or in a few large pieces without.
import { sleep } from '../../runtime/backoff.ts'

interface Speech {
  readonly pauseMs: number
  readonly signal: AbortSignal
  readonly onText: (text: string) => void | Promise<void>
}

const largestPiece = 4_096

/** Resolves with the text that was sent, which is incomplete when the signal aborts. */
export async function speak(text: string, { pauseMs, signal, onText }: Speech): Promise<string> {
  let said = 0
  for (const piece of pauseMs > 0 ? words(text) : largePieces(text)) {
    if (said > 0 && pauseMs > 0) await sleep(pauseMs, signal)
    if (signal.aborted) break
    await onText(piece)
    said += piece.length
  }
  return text.slice(0, said)
}

/** Each word includes the white space after it. */
function* words(text: string): Generator<string> {
  for (const [word] of text.matchAll(/\S+\s*|\s+/g)) yield word
}

function* largePieces(text: string): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + largestPiece
    if (endsInsidePair(text, end)) end -= 1
    yield text.slice(start, end)
  }
}

// Half a surrogate pair could not be stored.
const endsInsidePair = (text: string, end: number): boolean => {
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last <= 0xdbff
}
