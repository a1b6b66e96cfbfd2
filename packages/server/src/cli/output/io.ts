// The streams and the environment of a command. Tests replace them; `process` is the real one.

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Colours and animation are for people: not in a pipe, not with NO_COLOR, not on a terminal without them. */
export const isFancy = ({ env }: Io, output: Output): boolean =>
  output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'

/** Questions need a person who sees them and can answer. */
export const canAsk = ({ stdin, stderr }: Io): boolean => stdin.isTTY === true && stderr.isTTY === true
