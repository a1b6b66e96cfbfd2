// Text of a model as Markdown. It is untrusted: raw HTML stays text, links lead only to web and mail addresses, and
// images of other hosts become links, so that a text cannot tell another host that it was read. Characters that turn or
// hide text are written out.
import { visibleText } from '@runwright/contract'
import { memo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

const allowedUrl = /^(https?:\/\/|mailto:)/i

/** An empty address for everything else, such as `javascript:` and relative paths. */
const urlTransform = (url: string): string => (allowedUrl.test(url) ? url : '')

const components: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer" className="text-accent underline wrap-anywhere">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src, alt }) =>
    typeof src === 'string' && src !== '' ? (
      <a href={src} target="_blank" rel="noopener noreferrer" className="text-accent underline wrap-anywhere">
        image: {alt || src}
      </a>
    ) : (
      <span>{alt}</span>
    ),
  // Headings of a text must not mix with those of the page.
  h1: ({ children }) => <p className="text-lg font-semibold">{children}</p>,
  h2: ({ children }) => <p className="text-base font-semibold">{children}</p>,
  h3: ({ children }) => <p className="font-semibold">{children}</p>,
  h4: ({ children }) => <p className="font-semibold">{children}</p>,
  h5: ({ children }) => <p className="font-semibold">{children}</p>,
  h6: ({ children }) => <p className="font-semibold">{children}</p>,
  input: ({ checked }) => <span>{checked ? '☑ ' : '☐ '}</span>,
  pre: ({ children }) => (
    // A group, not a region: a text may have several, and landmarks must be told apart.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div role="group" aria-label="Code" tabIndex={0} className="overflow-x-auto rounded-md bg-sunken px-3 py-2">
      <pre>{children}</pre>
    </div>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrollable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div role="group" aria-label="Table" tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
}

interface TextNode {
  value?: string
  alt?: string | null
  readonly children?: readonly TextNode[]
}

const showHidden = (node: TextNode): void => {
  if (node.value !== undefined) node.value = visibleText(node.value)
  if (node.alt) node.alt = visibleText(node.alt)
  for (const child of node.children ?? []) showHidden(child)
}

/** After parsing, because a text can also name a character as `&#x202e;`. */
const remarkVisible = () => showHidden

// Memoized: parsing a long text again for every other change of the page would make it slow.
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown min-w-0 wrap-anywhere">
      <ReactMarkdown remarkPlugins={[remarkGfm, remarkVisible]} components={components} urlTransform={urlTransform}>
        {text}
      </ReactMarkdown>
    </div>
  )
})
