// Untrusted text in a prompt.

/** Marks untrusted text as data. The text cannot close its own mark. */
export const asData = (name: string, text: string): string =>
  `<data name=${JSON.stringify(name)}>\n${text.replaceAll('</data', '<\\/data')}\n</data>`
