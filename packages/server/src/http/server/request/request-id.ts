// The correlation id of a request: that of the caller if it is well-formed, otherwise a new one.
import { newWireId } from '../../../runtime/ids.ts'

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/

export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && wellFormed.test(header) ? header : newWireId('req')
}
