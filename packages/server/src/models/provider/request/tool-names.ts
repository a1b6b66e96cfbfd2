// Tool names in a form that providers accept: most refuse the dot in `server.tool`.
import { createHash } from 'node:crypto'
import type { Message, ModelRequest } from '../../port/model.ts'

const longestName = 64
const fitting = /^[A-Za-z0-9_-]{1,64}$/

export interface ProviderToolNames {
  toProvider(name: string): string
  /** A name that was not assigned here is returned unchanged: the model invented it. */
  fromProvider(name: string): string
}

/**
 * Covers all names of a request, including those of earlier calls. The same set of names always gets the same result,
 * in any order.
 */
export function providerToolNames({ tools, messages }: Pick<ModelRequest, 'tools' | 'messages'>): ProviderToolNames {
  const names = new Set([...tools.map(({ name }) => name), ...messages.flatMap(namesIn)])
  const claims = new Map<string, number>()
  for (const own of [...names].map(plainName)) claims.set(own, (claims.get(own) ?? 0) + 1)
  // A server could name a tool like the name that another one gets.
  const hashed = new Set([...names].map(hashedName))
  const isFree = (own: string) => claims.get(own) === 1 && own.length <= longestName && !hashed.has(own)
  const given = new Map(
    [...names].map((name) => {
      const own = plainName(name)
      return [name, own === name || isFree(own) ? own : hashedName(name)]
    }),
  )
  const real = new Map([...given].map(([name, own]) => [own, name]))
  return {
    toProvider: (name) => given.get(name) ?? name,
    fromProvider: (name) => real.get(name) ?? name,
  }
}

function namesIn(message: Message): string[] {
  if (message.from === 'tool') return [message.name]
  return message.from === 'assistant' ? message.toolCalls.map(({ name }) => name) : []
}

/** The form of a name that providers accept, unless it is too long or two names share it. */
export const plainName = (name: string): string =>
  fitting.test(name) ? name : name.replaceAll('.', '__').replace(/[^A-Za-z0-9_-]/g, '_')

/** As much of the name as fits, plus a hash that makes it unique. */
function hashedName(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10)
  return `${plainName(name).slice(0, longestName - hash.length - 1)}_${hash}`
}
