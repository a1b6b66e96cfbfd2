// Sends JSON Schemas to Gemini as they are. The SDK package converts them to Google's older form, which has no value of
// any type and no object with free keys, so that Google would refuse many tools.
import type { LanguageModel, ProviderCall } from './language-model.ts'

type Fetch = typeof globalThis.fetch
type Body = Readonly<Record<string, unknown>>

export function withJsonSchemas(open: (fetch: Fetch) => LanguageModel, fetch: Fetch): LanguageModel {
  const { specificationVersion, provider, modelId, supportedUrls, doGenerate } = open(fetch)
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate,
    // A model of its own per call, because only its fetch can change what the package sends.
    doStream: (call) => open(sendSchemasOf(call, fetch)).doStream(withoutSchemas(call)),
  }
}

const noSchema = { type: 'object', properties: {} } as const

function withoutSchemas({ tools, responseFormat, ...call }: ProviderCall): ProviderCall {
  return {
    ...call,
    ...(tools && {
      tools: tools.map((tool) => (tool.type === 'function' ? { ...tool, inputSchema: noSchema } : tool)),
    }),
    ...(responseFormat && { responseFormat: { type: responseFormat.type } }),
  }
}

function sendSchemasOf({ tools, responseFormat }: ProviderCall, fetch: Fetch): Fetch {
  const declarations = (tools ?? []).flatMap((tool) =>
    tool.type === 'function'
      ? [{ name: tool.name, description: tool.description ?? '', parametersJsonSchema: tool.inputSchema }]
      : [],
  )
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined
  if (declarations.length === 0 && schema === undefined) return fetch
  return (url, init) => {
    const body: Body = JSON.parse(String(init?.body))
    const sent = {
      ...body,
      ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
      ...(schema && { generationConfig: { ...(body.generationConfig as Body), responseJsonSchema: schema } }),
    }
    return fetch(url, { ...init, body: JSON.stringify(sent) })
  }
}
