// A tool that only computes: counts the words of a text and returns the most frequent ones.

const wordPattern = /[\p{L}\p{N}]+/gu

/** @param {string} text */
function countWords(text) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const [word] of text.toLowerCase().matchAll(wordPattern)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

export default {
  name: 'word_count',
  description: 'Counts the words of a text and returns the most frequent ones, in descending order.',
  input: {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'The text to count' },
      top: { type: 'integer', minimum: 0, maximum: 100, default: 3, description: 'How many words to return' },
    },
    required: ['text'],
    additionalProperties: false,
  },
  effect: 'read',

  /** @param {{ text: string, top: number }} input */
  run({ text, top }) {
    const counts = [...countWords(text)].map(([word, count]) => ({ word, count }))
    const words = counts.reduce((sum, { count }) => sum + count, 0)
    return { words, top: counts.sort((a, b) => b.count - a.count).slice(0, top) }
  },
}
