// Untrusted text in monospace. React escapes it; it never becomes markup.
const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')

interface CodeProps {
  readonly value: unknown
  /** The label for screen readers. */
  readonly label: string
}

export function Code({ value, label }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long text must be scrollable by keyboard.
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto rounded-md bg-sunken">
      <pre className="px-3 py-2 font-mono text-code whitespace-pre-wrap wrap-anywhere">{asText(value)}</pre>
    </section>
  )
}
