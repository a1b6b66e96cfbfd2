// The tools `find_tools` and `call_tool`, for steps with more tools than a model is offered at once.
import { z } from 'zod'
import { findTools } from '../../agents/tool-search/found-tools.ts'
import { callToolName, findToolsName } from '../../agents/tool-search/wrapped-call.ts'
import { runSliced } from '../../runtime/time-slices.ts'
import type { ToolOffer } from '../../tools/port/catalogue.ts'
import type { Tool } from '../../tools/port/tool.ts'

const query = z.strictObject({ query: z.string() })

/** `searchedBy` are the tools that the step of a call can search for. */
export const findToolsTool = (searchedBy: (callId: string) => readonly ToolOffer[]): Tool<z.infer<typeof query>> => ({
  name: findToolsName,
  description:
    'Finds tools that are not listed here, by words for what they do, such as "create issue". Returns their input schemas. ' +
    `Call a tool that you have found with ${callToolName}.`,
  input: query,
  effectOf: () => 'read',
  timeoutSeconds: 10,
  run: (asked, { toolCallId }) => runSliced(findTools(searchedBy(toolCallId), asked.query)),
})

const named = z.looseObject({ name: z.string() })

/**
 * A reply is read as a call of the tool that it names. So this runs only if that is `call_tool` itself, or if no tool
 * is named, which the check of the input says.
 */
export const callToolTool: Tool<z.infer<typeof named>> = {
  name: callToolName,
  description: `Calls a tool that ${findToolsName} has found. \`input\` must match its input schema.`,
  input: named,
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, input: { type: 'object', additionalProperties: true } },
    required: ['name', 'input'],
  },
  effectOf: () => 'read',
  timeoutSeconds: 10,
  run: async () => {
    throw new Error(`${callToolName} cannot call itself. Name a tool that ${findToolsName} has found.`)
  },
}
