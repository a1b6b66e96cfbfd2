// A policy rule in words, for people who look at a tool.
import type { Exposure, PolicyRule } from '../port/tool.ts'

/** `exposure` is undefined if it depends on the arguments of a call. */
export function describeRule(rule: PolicyRule, exposure: Exposure | undefined): string {
  if (rule === 'deny') return 'Calls are refused, and models do not see the tool.'
  if (rule === 'ask') return 'Each call needs approval.'
  if (exposure?.sendsOut !== true && exposure !== undefined) return withoutApproval
  return `${withoutApproval} ${reasonsToAsk(exposure)}`
}

const withoutApproval = 'Calls are made without approval.'

/** The reasons of `decidePolicy`. A tool that reads private data itself completes that part of the three. */
function reasonsToAsk(exposure: Exposure | undefined): string {
  const call = exposure === undefined ? 'A call that sends data out' : 'A call'
  const read = exposure?.readsPrivate ? 'untrusted text' : 'private data and untrusted text'
  return (
    `${call} needs approval if the run has read ${read}, or if a model fills in a sensitive value that its tag does ` +
    'not allow for the call.'
  )
}
