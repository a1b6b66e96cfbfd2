// The body of `generateContent` and `streamGenerateContent`, from the Gemini API reference. Tools that Google runs
// itself are left out, and so are the snake_case spellings, which the API takes, too.
import { z } from 'zod'

const blob = z.strictObject({
  mimeType: z.string().min(1),
  data: z.string().min(1),
  displayName: z.string().optional(),
})

const part = z.strictObject({
  text: z.string().optional(),
  inlineData: blob.optional(),
  fileData: z.strictObject({ mimeType: z.string().optional(), fileUri: z.string().min(1) }).optional(),
  functionCall: z
    .strictObject({
      id: z.string().optional(),
      name: z.string().min(1),
      args: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  functionResponse: z
    .strictObject({
      id: z.string().optional(),
      name: z.string().min(1),
      response: z.record(z.string(), z.unknown()),
      parts: z.array(z.strictObject({ inlineData: blob })).optional(),
    })
    .optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
})

const declaration = z.strictObject({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  parametersJsonSchema: z.record(z.string(), z.unknown()).optional(),
  response: z.record(z.string(), z.unknown()).optional(),
  behavior: z.enum(['BLOCKING', 'NON_BLOCKING']).optional(),
})

const generationConfig = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().min(1).optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  stopSequences: z.array(z.string().min(1)).max(5).optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
  responseSchema: z.record(z.string(), z.unknown()).optional(),
  responseJsonSchema: z.record(z.string(), z.unknown()).optional(),
  responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])).optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(0).max(20).optional(),
  mediaResolution: z.string().optional(),
  thinkingConfig: z
    .strictObject({
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
      includeThoughts: z.boolean().optional(),
    })
    .optional(),
})

export const geminiRequest = z.strictObject({
  contents: z.array(z.strictObject({ role: z.string().optional(), parts: z.array(part) })),
  systemInstruction: z
    .strictObject({ role: z.string().optional(), parts: z.array(z.strictObject({ text: z.string() })).min(1) })
    .optional(),
  tools: z.array(z.strictObject({ functionDeclarations: z.array(declaration).min(1).optional() })).optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z
        .strictObject({
          mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
          allowedFunctionNames: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
  safetySettings: z.array(z.strictObject({ category: z.string(), threshold: z.string() })).optional(),
  generationConfig: generationConfig.optional(),
  cachedContent: z.string().optional(),
  serviceTier: z.enum(['standard', 'flex', 'priority']).optional(),
})

export type GeminiRequest = z.infer<typeof geminiRequest>
export type Content = GeminiRequest['contents'][number]
export type Part = Content['parts'][number]

export const declarationsOf = ({ tools = [] }: GeminiRequest) =>
  tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)

export const callsOf = ({ parts }: Content) =>
  parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]))

export const responsesOf = ({ parts }: Content) =>
  parts.flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse]))

export const isGemini3 = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model)
