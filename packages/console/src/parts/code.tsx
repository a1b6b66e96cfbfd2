// Text of unknown origin, shown as text: React escapes it, and nothing here ever turns it into markup.
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')

interface CodeProps {
  readonly value: unknown
  /** What it is, for those who cannot see where it stands. */
  readonly label: string
}

export function Code({ value, label }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long text scrolls, and must do so by keyboard too.
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto rounded-md bg-sunken">
      <pre className="px-3 py-2 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere">
        {asText(value)}
      </pre>
    </section>
  )
}
