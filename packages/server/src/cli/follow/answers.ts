// Says how a wait was answered, and by whom.
import type { RunSignal } from '@runwright/client'
import { safeLine } from '../output/safe-text.ts'

const verbs = { approve: 'Approved', reject: 'Rejected', submit_input: 'Input submitted' } as const

export function describeAnswer({ action, key_id, key_name, payload }: RunSignal, isOurs: boolean): string {
  const who = isOurs ? '' : ` by ${safeLine(key_name === null ? key_id : `${key_name} (${key_id})`)}`
  return `${verbs[action]}${who}${reasonOf(payload)}.`
}

function reasonOf(payload: unknown): string {
  const reason = typeof payload === 'object' && payload !== null && 'reason' in payload ? payload.reason : undefined
  return typeof reason === 'string' && reason.trim() !== '' ? `: ${safeLine(reason).replace(/\.$/, '')}` : ''
}
