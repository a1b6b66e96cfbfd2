// The answer to a create: 201 with the path of what was created, or 200 if an earlier request has created it.
import type { Answer } from '../server/response/handler.ts'

interface Creation extends Pick<Answer, 'body' | 'headers'> {
  readonly isRepeated: boolean
}

export const createdOrRepeated = (path: string, { isRepeated, headers, body }: Creation): Answer =>
  isRepeated
    ? { status: 200, ...(headers && { headers }), body }
    : { status: 201, headers: { ...headers, location: path }, body }
