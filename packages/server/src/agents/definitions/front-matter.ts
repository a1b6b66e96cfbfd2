// Splits a Markdown file into its YAML front matter and its body.
import { parseDocument } from 'yaml'

interface Parts {
  readonly frontMatter: unknown
  readonly body: string
}

const opening = /^---[ \t]*\r?\n/
const closing = /^---[ \t]*(?:\r?\n|$)/m

/** The parts, or what is wrong: a clause without a full stop. */
export function splitFrontMatter(text: string): Parts | string {
  const start = opening.exec(text)
  if (!start) return 'the front matter is missing: the first line must be ---'
  const rest = text.slice(start[0].length)
  const end = closing.exec(rest)
  if (!end) return 'the front matter has no end: add a line with ---'
  const document = parseDocument(rest.slice(0, end.index), { prettyErrors: false })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) return `the front matter is not valid YAML: ${problem.message}`
  return { frontMatter: document.toJS() ?? {}, body: rest.slice(end.index + end[0].length) }
}
