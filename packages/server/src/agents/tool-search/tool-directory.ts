// What a model is told about the tools that it can search for: which servers there are, and how many tools each has.
import type { ToolOffer } from '../../tools/port/catalogue.ts'

const maxDirectoryLength = 600
const ownTools = 'own tools'

/** One sentence, such as `Tools of: github (41), jira (12).` Ordered by name. */
export function describeDirectory(tools: readonly ToolOffer[]): string {
  const counts = new Map<string, number>()
  for (const { name } of tools) {
    const server = name.includes('.') ? name.slice(0, name.indexOf('.')) : ownTools
    counts.set(server, (counts.get(server) ?? 0) + 1)
  }
  const all = [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name} (${count})`)
  const shown = fitting(all)
  const left = all.length - shown.length
  return `Tools of: ${shown.join(', ')}${left > 0 ? `, and ${left} more servers` : ''}.`
}

function fitting(texts: readonly string[]): string[] {
  let length = 0
  return texts.filter((text) => {
    length += text.length + 2
    return length <= maxDirectoryLength
  })
}
