// OpenAI's reasoning models take other parameters than the rest.

export const isReasoningModel = (model: string): boolean => /(^|\/)(o\d|gpt-5(?!-chat))/.test(model)
