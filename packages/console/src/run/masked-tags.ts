// Tags for what is masked in a request. The service does not tell which tags a request had, and without them, what a
// person enters in place of the masks would be stored and shown as it is.
import { maxSensitivityTags, type RunInput, type SensitivityTag } from '@runwright/contract'
import { hasMask } from '../parts/mask.ts'

type Sent = Pick<RunInput, 'input' | 'metadata'>

export function tagsOfMasked({ input, metadata }: Sent): SensitivityTag[] {
  const roots = [
    ['$.input', input],
    ['$.metadata', metadata],
  ] as const
  const paths = roots.flatMap(([root, value]) => maskedPaths(root, value))
  const whole = roots.filter(([, value]) => hasMask(value)).map(([root]) => root)
  // The usual kind. A person can choose another one.
  return (paths.length > maxSensitivityTags ? whole : paths).map((path) => ({ path, classification: 'pii' }))
}

function maskedPaths(path: string, value: unknown): string[] {
  if (typeof value === 'string') return hasMask(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    maskedPaths(`${path}${Array.isArray(value) ? `[${name}]` : segmentOf(name)}`, member),
  )
}

/** JSONPath has the escapes of JSON. */
const segmentOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)
