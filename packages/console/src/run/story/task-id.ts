// The `task_id` of a step, from the run and the step's id. Events name only the task; the plan names only the step.
import { sha256 } from '@noble/hashes/sha2.js'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const bitsOfWireId = (id: string): number[] => {
  const bytes: number[] = []
  let pending = 0
  let bits = -2
  for (const character of id.slice(id.indexOf('_') + 1)) {
    pending = (pending << 5) | alphabet.indexOf(character)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((pending >>> bits) & 255)
    pending &= (1 << bits) - 1
  }
  return bytes
}

const uuidOf = (bytes: readonly number[]): string => {
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const wireIdOf = (prefix: string, bytes: Uint8Array): string => {
  let text = `${prefix}_`
  let pending = 0
  let bits = 2
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(pending >>> bits) & 31]
    }
    pending &= (1 << bits) - 1
  }
  return text
}

/** As the service derives it: a hash of the run and the step that begins with the time of the run. */
export const taskIdOf = (runId: string, generation: number, stepId: string): string => {
  const run = bitsOfWireId(runId)
  const bytes = sha256(new TextEncoder().encode(`${uuidOf(run)}\n${generation}/${stepId}`)).slice(0, 16)
  bytes.set(run.slice(0, 6))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return wireIdOf('task', bytes)
}
