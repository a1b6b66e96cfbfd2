// Reads what a handler returned as a client would receive it.
import type { Answer } from '../../src/http/server/response/handler.ts'

export async function textOf({ body }: Answer): Promise<string> {
  if (typeof body === 'string') return body
  if (!(Symbol.asyncIterator in body)) return JSON.stringify(body)
  let text = ''
  for await (const piece of body) text += piece
  return text
}

export const jsonOf = async (answer: Answer): Promise<unknown> => JSON.parse(await textOf(answer))
