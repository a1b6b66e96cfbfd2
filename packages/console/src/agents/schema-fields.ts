// The arguments of a tool, read from its JSON Schema for a table. A schema of an MCP server may have any shape.

export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function schemaFields({ properties, required }: Readonly<Record<string, unknown>>): readonly SchemaField[] {
  if (!isRecord(properties)) return []
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    isRequired: names.includes(name),
    description: isRecord(schema) && typeof schema.description === 'string' ? schema.description : '',
  }))
}

function typeOf(schema: unknown): string {
  if (!isRecord(schema)) return 'any'
  const { type, enum: values, items, const: only } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  if (type === 'array') return items === undefined ? 'list' : `list of ${typeOf(items)}`
  if (Array.isArray(type)) return type.map(String).join(' or ')
  if (typeof type === 'string') return type
  const choices = schema.anyOf ?? schema.oneOf
  return Array.isArray(choices) ? [...new Set(choices.map(typeOf))].join(' or ') : 'any'
}
