// Long answers as text in pieces: they are written one after another, as fast as the client reads.
import { nextTurn } from '../../../runtime/next-turn.ts'

/** A piece is larger than a socket's buffer, so that each one waits until the client has taken the one before. */
const pieceLength = 64 * 1024

type Texts = Iterable<string> | AsyncIterable<string>

export async function* inPieces(texts: Texts): AsyncGenerator<string, void, undefined> {
  let piece = ''
  for await (const text of texts) {
    piece += text
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
    // A socket whose client reads fast takes piece after piece without a turn of the event loop in between.
    await nextTurn()
  }
  if (piece !== '') yield piece
}

/** A JSON object whose first field is a list. `items` are JSON texts. */
export const jsonWithList = (name: string, items: Texts, otherFields: object = {}) =>
  inPieces(listTexts(name, items, otherFields))

async function* listTexts(name: string, items: Texts, otherFields: object): AsyncGenerator<string, void, undefined> {
  yield `{${JSON.stringify(name)}:[`
  let separator = ''
  for await (const item of items) {
    yield `${separator}${item}`
    separator = ','
  }
  const rest = JSON.stringify(otherFields).slice(1)
  yield rest === '}' ? ']}' : `],${rest}`
}
