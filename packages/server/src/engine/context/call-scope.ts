// What a call can look for: tools and skills of its step.
import type { Skill } from '../../agents/definitions/agent-set.ts'
import type { ToolOffer } from '../../tools/port/catalogue.ts'

export interface CallScope {
  /** What `find_tools` looks through, as it is now. */
  readonly searched: readonly ToolOffer[]
  /** What `load_skill` can load. */
  readonly skills: readonly Skill[]
}
