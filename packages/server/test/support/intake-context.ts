// What a body is checked against: the built-in tools, and short waits.
import { builtInTools } from '@runwright/contract'

const limit = { signalTimeoutSeconds: 300 }

export const intakeContext = {
  knownTools: new Set<string>(builtInTools),
  workerIsSandbox: true,
  stepTimeoutSeconds: 600,
  limits: { short: limit, default: limit, long: limit },
}
