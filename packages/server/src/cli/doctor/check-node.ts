// Whether this Node is new enough.
import { type Check, ok, problem } from './check.ts'

const oldest = [20, 19] as const

export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return ok('Node', version)
  return problem('Node', `${version} is too old.`, `Install Node ${oldest.join('.')} or later.`)
}
