// The one rule of thumb for tokens that nobody counted: four characters make one.

const charactersPerToken = 4

export const tokensOfCharacters = (characters: number): number => Math.ceil(characters / charactersPerToken)

export const estimateTokens = (text: string): number => tokensOfCharacters(text.length)
