// Reads the SQL statements of the store from its source files.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SqlText {
  readonly file: string
  readonly text: string
}

const isSql = (text: string) => /^\s*(with|select|insert into|update|delete from)\s/i.test(text)

/** Every template in the files of a folder that is a statement, with what is inserted into it. */
export function sqlTextsIn(folder: string): SqlText[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .flatMap((file) =>
      templatesOf(readFileSync(join(folder, file), 'utf8'))
        .filter(isSql)
        .map((text) => ({ file, text })),
    )
}

/** The outermost templates of a source text. A template within `${…}` belongs to the one around it. */
function templatesOf(source: string): string[] {
  const templates: string[] = []
  let depth = 0
  let start = 0
  const code: number[] = []
  for (let at = 0; at < source.length; at += 1) {
    const inTemplate = depth > code.length
    if (source[at] === '\\') at += 1
    else if (source[at] === '`' && inTemplate) {
      depth -= 1
      if (depth === 0) templates.push(source.slice(start, at))
    } else if (source[at] === '`') {
      if (depth === 0) start = at + 1
      depth += 1
    } else if (inTemplate && source.startsWith('${', at)) {
      code.push(1)
      at += 1
    } else if (!inTemplate && code.length > 0 && source[at] === '{') code[code.length - 1] = (code.at(-1) ?? 0) + 1
    else if (!inTemplate && code.length > 0 && source[at] === '}') {
      const open = (code.at(-1) ?? 0) - 1
      if (open === 0) code.pop()
      else code[code.length - 1] = open
    }
  }
  return templates
}
