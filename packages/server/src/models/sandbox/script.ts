// Which entry of the script an agent step plays, and the default scripts for runs that bring none.
import type { SandboxStep } from '@runwright/contract'
import type { Rehearsal } from '../port/model.ts'

type Script = readonly SandboxStep[]

/** For planned runs: a step that calls a tool, and a step that finishes. */
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

/** The script to plan from. The planner is called before there is a plan. */
export const scriptToPlan = (rehearsal: Rehearsal): Script => givenScript(rehearsal) ?? ownPlannedScript

export const scriptOf = (rehearsal: Rehearsal): Script =>
  givenScript(rehearsal) ?? (rehearsal.isLast === undefined ? ownUnplannedScript : ownPlannedScript)

/** Missing entries use the defaults. */
export const stepOf = (rehearsal: Rehearsal): SandboxStep => scriptOf(rehearsal)[rehearsal.agentStep] ?? {}
