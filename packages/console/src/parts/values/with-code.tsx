// A sentence in which words between backticks are code, as descriptions of tools have them. Nothing else is markup.

export function WithCode({ text }: { readonly text: string }) {
  return text.split(/`([^`\n]+)`/).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity, and never move.
      <code key={index} className="font-mono text-code">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
