// Which entry of the sandbox's script an agent step plays, and the scripts of its own for runs that bring none.
import type { SandboxStep } from '@runwright/contract'
import type { Rehearsal } from '../port/model.ts'

type Script = readonly SandboxStep[]

/** With a plan: a step that calls a tool, and one that finishes. */
const ownPlannedScript: Script = [
  {
    say: 'This is the sandbox: as its script says, it called the calculator.',
    tools: [{ name: 'calculator', input: { expression: '2+2' } }],
  },
  {},
]

const ownUnplannedScript: Script = [{}]

const givenScript = ({ script }: Rehearsal): Script | undefined =>
  script?.steps !== undefined && script.steps.length > 0 ? script.steps : undefined

export const isScripted = (rehearsal: Rehearsal): boolean => givenScript(rehearsal) !== undefined

/** The script that is planned from: a planner is asked before there is a plan. */
export const scriptToPlan = (rehearsal: Rehearsal): Script => givenScript(rehearsal) ?? ownPlannedScript

export const scriptOf = (rehearsal: Rehearsal): Script =>
  givenScript(rehearsal) ?? (rehearsal.isLast === undefined ? ownUnplannedScript : ownPlannedScript)

/** Left out or missing entries play the defaults. */
export const stepOf = (rehearsal: Rehearsal): SandboxStep => scriptOf(rehearsal)[rehearsal.agentStep] ?? {}
