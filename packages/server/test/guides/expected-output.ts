// What a guide says that a command prints. `…` stands for anything in a line, and a line of its own for any lines.

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const lineSource = (line: string): string => line.split('…').map(escapePattern).join('[^\\n]*')

function sourceOf(text: string): string {
  const lines = text.trimEnd().split('\n')
  return lines
    .map((line, index) => {
      const isLast = index === lines.length - 1
      if (line.trim() === '…') return isLast ? '[\\s\\S]*' : '(?:[^\\n]*\\n)*?'
      return `${lineSource(line.trimEnd())}${isLast ? '' : '\\n'}`
    })
    .join('')
}

/** Matches at `lastIndex`, up to the end of the output if nothing may follow. */
export const expectedOutput = (text: string, { isLast }: { readonly isLast: boolean }): RegExp =>
  new RegExp(`\\n*${sourceOf(text)}${isLast ? '\\n*$' : ''}`, 'y')

/** Finds the text anywhere, as a reader who looks for it does. */
export const containsExpected = (output: string, text: string): boolean => new RegExp(sourceOf(text)).test(output)

const escapeCode = String.fromCharCode(27)
const controls = new RegExp(`${escapeCode}\\[[0-9;?]*[A-Za-z]|\\r`, 'g')

/** Without colors and cursor movements, and without blanks at the end of lines. */
export const plainOutput = (output: string): string => output.replace(controls, '').replace(/[ \t]+$/gm, '')
