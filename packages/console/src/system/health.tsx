// Whether a part of the service is well, as a word with a colour.

interface HealthProps {
  readonly isWell: boolean
  readonly word: string
}

export function Health({ isWell, word }: HealthProps) {
  const tone = isWell ? 'bg-good/12 text-good' : 'bg-bad/12 text-bad'
  return <span className={`rounded-full px-2 py-0.5 text-xs font-medium ${tone}`}>{word}</span>
}
