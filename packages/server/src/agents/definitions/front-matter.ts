// Splits a Markdown file into its YAML front matter and its body.
import { parseYaml } from '../../domain/yaml/parse-yaml.ts'

interface Parts {
  readonly frontMatter: unknown
  readonly body: string
}

/** Many times what an agent needs. The parser takes up to half a second for it. */
const maxLength = 65_536
const opening = /^---[ \t]*\r?\n/
const closing = /^---[ \t]*(?:\r?\n|$)/m

/** The parts, or what is wrong: a clause without a full stop. */
export function splitFrontMatter(text: string): Parts | string {
  const start = opening.exec(text)
  if (!start) return 'the front matter is missing: the first line must be ---'
  const rest = text.slice(start[0].length)
  const end = closing.exec(rest)
  if (!end) return 'the front matter has no end: add a line with ---'
  if (end.index > maxLength) return `the front matter has more than ${maxLength.toLocaleString('en')} characters`
  const yaml = parseYaml(rest.slice(0, end.index))
  // The first line of the file is ---.
  if ('problem' in yaml) return `the front matter is not valid: in line ${yaml.line + 1}, ${yaml.problem}`
  return { frontMatter: yaml.value ?? {}, body: rest.slice(end.index + end[0].length) }
}
