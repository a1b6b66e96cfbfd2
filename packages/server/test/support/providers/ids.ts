// What a provider issues, and a client has to send back unchanged.
import { randomBytes } from 'node:crypto'

export const issueId = (prefix: string): string => `${prefix}${randomBytes(12).toString('hex')}`

export const issueSignature = (): string => randomBytes(48).toString('base64')
