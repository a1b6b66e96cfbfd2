// The estimate for tokens that the provider did not count: four characters per token.

const charactersPerToken = 4

export const tokensOfCharacters = (characters: number): number => Math.ceil(characters / charactersPerToken)

export const estimateTokens = (text: string): number => tokensOfCharacters(text.length)
