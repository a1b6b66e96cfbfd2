// The list of agents over HTTP.
import type { Agent as AgentView, Skill as SkillView } from '@runwright/contract'
import type { Agent, CurrentAgents, Skill } from '../../agents/definitions/agent-set.ts'
import type { Handlers } from '../server/response/handler.ts'

export const agentHandlers = (agents: CurrentAgents): Pick<Handlers, 'listAgents'> => ({
  listAgents: async ({ requestId }) => {
    const { agents: all = [], skills = [] } = agents.current ?? {}
    return { body: { agents: all.map(viewOf), skills: skills.map(viewOfSkill), request_id: requestId } }
  },
})

/** Without the instructions, which are the operator's. */
const viewOf = ({
  name,
  description,
  hash,
  model,
  tools,
  skills,
  judge,
  maxTurns,
  outputSchema,
  rubric,
}: Agent): AgentView => ({
  name,
  description,
  hash,
  model: model ?? null,
  tools: tools ? [...tools] : null,
  skills: skills ? [...skills] : null,
  judge: judge ?? (rubric ? 'never' : 'each_step'),
  max_turns: maxTurns ?? null,
  output_schema: outputSchema ?? null,
  rubric: rubric ?? null,
})

const viewOfSkill = ({ name, description, hash, files }: Skill): SkillView => ({
  name,
  description,
  hash,
  files: files.map(({ path }) => path),
})
