// @ts-check
// The mutants of a source file: small changes, each of which a test should notice.
import { parseAst } from 'rolldown/parseAst'

/** @typedef {{ start: number, end: number, text: string, kind: string }} Mutant */
/** @typedef {Record<string, any> & { type: string, start: number, end: number }} Node */

/** @type {Record<string, string>} */
const operators = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** In SQL, which stands in template strings. @type {[RegExp, string][]} */
const inSql = [
  [/\band\b/g, 'or'],
  [/<>/g, '='],
  [/ \+ 1\b/g, ' + 2'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
  [/ (?:<|>) /g, ' = '],
]

/** @param {string} source @param {string} file @returns {Mutant[]} */
export function mutantsOf(source, file) {
  /** @type {Mutant[]} */
  const found = []
  const add = (/** @type {Node} */ node, /** @type {string} */ text, /** @type {string} */ kind) =>
    found.push({ start: node.start, end: node.end, text, kind })
  walk(/** @type {any} */ (parseAst(source, { lang: 'ts' }, file)), (node) => {
    changeExpression(source, node, add)
    if (node.type === 'TemplateLiteral') found.push(...sqlMutants(source, node))
  })
  return found
}

/** @param {string} source @param {Node} node @param {(node: Node, text: string, kind: string) => void} add */
function changeExpression(source, node, add) {
  const textOf = (/** @type {Node} */ part) => source.slice(part.start, part.end)
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
    const other = operators[node.operator]
    // Parentheses, because the other operator may bind in another way.
    if (other) add(node, `((${textOf(node.left)}) ${other} (${textOf(node.right)}))`, `${node.operator} → ${other}`)
  }
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') {
    add(node.test, 'true', 'condition → true')
    add(node.test, 'false', 'condition → false')
  }
  if (node.type === 'UnaryExpression' && node.operator === '!') add(node, `(${textOf(node.argument)})`, '! removed')
  if (node.type === 'Literal' && typeof node.value === 'boolean') add(node, String(!node.value), 'boolean flipped')
  if (node.type === 'Literal' && typeof node.value === 'number') add(node, String(node.value + 1), 'number + 1')
  const isCall = ['CallExpression', 'AwaitExpression'].includes(node.expression?.type)
  if (node.type === 'ExpressionStatement' && isCall) add(node, ';', 'call removed')
}

/** @param {string} source @param {Node} node @returns {Mutant[]} */
function sqlMutants(source, node) {
  const quasis = /** @type {Node[]} */ (node.quasis)
  const isSql = /\b(select|update|insert|delete|where|case)\b/.test(source.slice(node.start, node.end))
  if (!isSql) return []
  return quasis.flatMap((quasi) => {
    const text = source.slice(quasi.start, quasi.end)
    return inSql.flatMap(([pattern, other]) =>
      [...text.matchAll(pattern)].map((match) => {
        const start = quasi.start + match.index
        return { start, end: start + match[0].length, text: other, kind: `SQL: ${match[0].trim()} → ${other.trim()}` }
      }),
    )
  })
}

/** @param {any} node @param {(node: Node) => void} visit */
function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit)
  } else if (node && typeof node.type === 'string') {
    // Types are gone when the code runs.
    if (node.type.startsWith('TSType') || node.type.startsWith('TSInterface')) return
    visit(node)
    for (const [name, child] of Object.entries(node)) if (name !== 'parent') walk(child, visit)
  }
}

/** @param {string} source @param {Mutant} mutant */
export const apply = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end)
