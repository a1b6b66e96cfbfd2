// Calls to models and tools that are shown on the board: the watchdog tells from it what a run was doing.
import type { Model } from '../../models/port/model.ts'
import { type BoardLine, noLine } from '../../runtime/watchdog/work-board.ts'
import type { Tools } from '../../tools/port/catalogue.ts'
import type { Tool } from '../../tools/port/tool.ts'

/** Between a call and the next one, the run works on the answer. */
export function watchedModel(model: Model, line: BoardLine): Model {
  if (line === noLine) return model
  return {
    ...model,
    respond: async (request) => {
      const { role } = request
      line.enter(`${role}: model call`)
      try {
        return await model.respond(request)
      } finally {
        line.enter(`${role}: reading the answer`)
      }
    },
  }
}

export function watchedTools(tools: Tools, line: BoardLine): Tools {
  if (line === noLine) return tools
  const watched = new WeakMap<Tool, Tool>()
  const watch = (tool: Tool): Tool => {
    const known = watched.get(tool) ?? watchedTool(tool, line)
    watched.set(tool, known)
    return known
  }
  return {
    find: (name) => {
      const tool = tools.find(name)
      return tool && watch(tool)
    },
    offers: (names) => tools.offers(names),
    whenListed: (signal) => tools.whenListed(signal),
    whenTried: (name, signal) => tools.whenTried(name, signal),
    absence: (name) => tools.absence(name),
  }
}

function watchedTool(tool: Tool, line: BoardLine): Tool {
  const call = `tool call: ${tool.name}`
  return {
    ...tool,
    run: async (input, context) => {
      line.enter(call)
      try {
        // Up to its first wait, a tool may block the event loop.
        return await line.during(call, () => tool.run(input, context))
      } finally {
        line.enter(`result of ${tool.name}`)
      }
    },
  }
}
