// Remembers the answers of a pure function of short texts: the same keys and paths come with every request.

const maxEntries = 10_000
const maxLength = 64

/** Both bounds keep hostile texts from filling memory; a full memory starts afresh, which costs less than bookkeeping. */
export function rememberAnswers<Answer>(answer: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, Answer>()
  return (text) => {
    if (text.length > maxLength) return answer(text)
    const remembered = known.get(text)
    if (remembered !== undefined) return remembered
    if (known.size >= maxEntries) known.clear()
    const fresh = answer(text)
    known.set(text, fresh)
    return fresh
  }
}
