// @ts-check
// The mutants of a source file: small changes, each of which a test should notice.
import { parseAst } from 'rolldown/parseAst'

/**
 * What to put in the place of the code from `start` to `end`, which is an expression, or a statement that is left out.
 * `was` is what changes in it: of a statement in SQL, only the clause.
 * @typedef {{ start: number, end: number, text: string | undefined, kind: string, was: string, at: number }} Mutant
 */
/** @typedef {Record<string, any> & { type: string, start: number, end: number }} Node */

/** @type {Record<string, string[]>} */
const operators = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
}

/** In SQL, which stands in template strings: a pattern, its replacement, and the name of the change. */
const inSql = /** @type {const} */ ([
  // Not those of `between`.
  [/(?<!\bbetween [^ \n]+ )\band\b/g, 'or', 'SQL: and → or'],
  // One clause a line: the rest of the line is the condition, up to a bracket that an earlier line opened.
  [/ *(?<!\bbetween [^ \n]+ )\band (?:[^\n()]|\([^\n()]*\))+/g, '', 'SQL: condition dropped'],
  [/<>/g, '=', 'SQL: <> → ='],
  [/ <= /g, ' < ', 'SQL: <= → <'],
  [/ >= /g, ' > ', 'SQL: >= → >'],
  [/ < /g, ' <= ', 'SQL: < → <='],
  [/ > /g, ' >= ', 'SQL: > → >='],
  [/ \+ 1\b/g, ' + 2', 'SQL: + 1 → + 2'],
  [/\bis null\b/g, 'is not null', 'SQL: is null → is not null'],
  [/\bis not null\b/g, 'is null', 'SQL: is not null → is null'],
])

/** @param {string} source @param {string} file @returns {Mutant[]} */
export function mutantsOf(source, file) {
  /** @type {Mutant[]} */
  const found = []
  const add = (/** @type {Node} */ node, /** @type {string | undefined} */ text, /** @type {string} */ kind) =>
    found.push({ ...rangeOf(node), text, kind, was: source.slice(node.start, node.end), at: node.start })
  walk(/** @type {any} */ (parseAst(source, { lang: 'ts' }, file)), (node) => {
    changeOperator(source, node, add)
    changeCondition(source, node, add)
    changeValue(source, node, add)
    if (node.type === 'TemplateLiteral') found.push(...sqlMutants(source, node))
  })
  return found
}

/** @param {Node} node */
const rangeOf = ({ start, end }) => ({ start, end })

/** @typedef {(node: Node, text: string | undefined, kind: string) => void} Add */

/** @param {string} source @param {Node} node @param {Add} add */
function changeOperator(source, node, add) {
  if (node.type !== 'BinaryExpression' && node.type !== 'LogicalExpression') return
  const textOf = (/** @type {Node} */ part) => source.slice(part.start, part.end)
  for (const other of operators[node.operator] ?? []) {
    // Parentheses, because the other operator may bind in another way.
    add(node, `(${textOf(node.left)}) ${other} (${textOf(node.right)})`, `${node.operator} → ${other}`)
  }
}

/** @param {string} source @param {Node} node @param {Add} add */
function changeCondition(source, node, add) {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
    add(node.test, 'true', 'condition → true')
    add(node.test, 'false', 'condition → false')
  }
  if (node.type === 'UnaryExpression' && node.operator === '!') {
    add(node, source.slice(node.argument.start, node.argument.end), '! removed')
  }
}

/** @param {string} source @param {Node} node @param {Add} add */
function changeValue(source, node, add) {
  if (node.type === 'Literal' && typeof node.value === 'boolean') add(node, String(!node.value), 'boolean flipped')
  if (node.type === 'Literal' && typeof node.value === 'number') add(node, String(node.value + 1), 'number + 1')
  const returned = node.type === 'ReturnStatement' ? node.argument : undefined
  if (returned && source.slice(returned.start, returned.end) !== 'undefined') {
    add(returned, 'undefined', 'returns undefined')
  }
  const isCall = ['CallExpression', 'AwaitExpression', 'AssignmentExpression'].includes(node.expression?.type)
  if (node.type === 'ExpressionStatement' && isCall) add(node, undefined, 'statement removed')
}

/** @param {string} sql @param {number} at */
const isInComment = (sql, at) => sql.slice(sql.lastIndexOf('\n', at) + 1, at).includes('--')

/** @param {string} source @param {Node} node @returns {Mutant[]} */
function sqlMutants(source, node) {
  const all = source.slice(node.start, node.end)
  if (!/\b(select|update|insert|delete|where|case)\b/.test(all)) return []
  return /** @type {Node[]} */ (node.quasis).flatMap((quasi) => {
    // The range of the node includes the marks around the text.
    const text = quasi.value.raw
    return inSql.flatMap(([pattern, other, kind]) =>
      [...text.matchAll(pattern)].flatMap((match) => {
        const [was] = match
        if (isInComment(text, match.index)) return []
        const at = quasi.start + 1 + match.index
        const changed = source.slice(node.start, at) + other + source.slice(at + was.length, node.end)
        return { ...rangeOf(node), text: changed, kind, was: was.trim(), at }
      }),
    )
  })
}

/** @param {any} node @param {(node: Node) => void} visit */
function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit)
  } else if (node && typeof node.type === 'string') {
    // Types are gone when the code runs: what is left is `x` of `x as T`.
    if (node.type.startsWith('TS')) {
      walk(node.expression, visit)
      return
    }
    visit(node)
    for (const [name, child] of Object.entries(node)) {
      const isName = name === 'key' && !node.computed
      if (name !== 'parent' && !isName) walk(child, visit)
    }
  }
}
